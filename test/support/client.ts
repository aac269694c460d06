import { readFileSync } from "node:fs";
import { type ClientOptions, ServiceApi, ServiceApiError } from "../../src/index.ts";
import { expectNoSecret, secret } from "./secrets.ts";

/** A client of a test server; retries are immediate. */
export function clientOf(server: { readonly url: string }, options: ClientOptions = {}): ServiceApi {
  return new ServiceApi({
    baseUrl: server.url,
    clientId: "test-client",
    clientSecret: secret,
    retryDelay: () => 0,
    ...options,
  });
}

/** The service of a client whose `fetch` reaches no server, or that must not send. */
export const nowhere = { url: "https://api.example.com" };

/** A client for which `fetch` returns this JSON. */
export function answering(body: object, options: ClientOptions = {}, status = 200): ServiceApi {
  return clientOf(nowhere, { fetch: async () => Response.json(body, { status }), ...options });
}

/** Returns a sample of the service: the JSON value of `src/emulator/samples/<name>.json`. */
export function sample<T = Record<string, unknown>>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../src/emulator/samples/${name}.json`, import.meta.url), "utf8"));
}

/** The error that a call rejects with. */
export async function errorOf(call: PromiseLike<unknown>): Promise<ServiceApiError>;
export async function errorOf<T extends Error>(call: PromiseLike<unknown>, errorClass: ErrorClass<T>): Promise<T>;
export async function errorOf(
  call: PromiseLike<unknown>,
  errorClass: ErrorClass<Error> = ServiceApiError,
): Promise<Error> {
  const error = await Promise.resolve(call).then(
    (value) => {
      // Not returned, since it is an `Error`, which a caller may expect.
      throw new Error(`expected ${errorClass.name}, got the value ${JSON.stringify(value)}`);
    },
    (reason: unknown) => reason,
  );
  if (error instanceof errorClass) return error;
  throw error;
}

/** The error that a call rejects with, of exactly that class and without the secret anywhere in it. */
export async function failureOf<T extends Error>(call: PromiseLike<unknown>, errorClass: ErrorClass<T>): Promise<T> {
  const error = await errorOf(call, errorClass);
  expectNoSecret(error);
  if (Object.getPrototypeOf(error) !== errorClass.prototype) throw error;
  return error;
}

export type ErrorClass<T> = abstract new (...args: never[]) => T;
