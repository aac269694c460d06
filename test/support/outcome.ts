import type { ClientOptions } from "../../src/index.ts";
import { clientOf, failureOf } from "./client.ts";
import { safe } from "./operations.ts";
import { type Answer, reply, startServer } from "./server.ts";

/** Returns the error of one call to a server that responds like this. */
export async function outcomeOf<T extends Error>(
  answer: Answer,
  errorClass: abstract new (...args: never[]) => T,
  options: ClientOptions = {},
): Promise<T> {
  const server = await startServer(answer);
  return failureOf(clientOf(server, { maxRetries: 0, ...options }).send(safe, {}), errorClass);
}

/** Responds to every request like this. */
export const answers =
  (status: number, body: unknown, headers?: Record<string, string>): Answer =>
  (response) =>
    reply(response, status, body, headers);
