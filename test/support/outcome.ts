import type { ClientOptions } from "../../src/index.ts";
import { clientOf, failureOf } from "./client.ts";
import { safe } from "./operations.ts";
import { type Answer, reply, startServer } from "./server.ts";

/** What one call comes to when the server answers so. */
export async function outcomeOf<T extends Error>(
  answer: Answer,
  errorClass: abstract new (...args: never[]) => T,
  options: ClientOptions = {},
): Promise<T> {
  const server = await startServer(answer);
  return failureOf(clientOf(server, { maxRetries: 0, ...options }).send(safe, {}), errorClass);
}

/** Answers every request so. */
export const answers =
  (status: number, body: unknown, headers?: Record<string, string>): Answer =>
  (response) =>
    reply(response, status, body, headers);
