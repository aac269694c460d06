import type { ClientOptions } from "../../src/index.ts";
import { clientOf, failureOf } from "./client.ts";
import { safe } from "./operations.ts";
import { type Answer, startServer, succeeds } from "./server.ts";

/** Starts a server that responds like this, or with a success, and makes a client of it. */
export async function serve(answer: Answer = succeeds, options: ClientOptions = {}) {
  const server = await startServer(answer);
  return { server, api: clientOf(server, options) };
}

/** Returns the error of one call, made in one attempt, to a server that responds like this. */
export async function outcomeOf<T extends Error>(
  answer: Answer,
  errorClass: abstract new (...args: never[]) => T,
  options: ClientOptions = {},
): Promise<T> {
  const { api } = await serve(answer, { maxRetries: 0, ...options });
  return failureOf(api.send(safe, {}), errorClass);
}
