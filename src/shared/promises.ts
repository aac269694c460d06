import { ConfigurationError } from "../errors/request.ts";
import type { Rule } from "./options.ts";

export function sleep(duration: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, duration));
}

/** Removes a listener. A polyfilled signal that fails here must not replace a result that is there. */
export function forget(signal: AbortSignal | undefined, listener: () => void): void {
  try {
    signal?.removeEventListener("abort", listener);
  } catch {
    // It keeps the listener.
  }
}

/**
 * Handles the rejection of a promise that is not awaited: a callback of the application may be an `async` function
 * although its result is not awaited, and its failure must not end the process.
 */
export function ignoreRejection(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => {});
}

/**
 * Returns what a function of the application returns, or undefined if it throws: its failure is not that of the call. The
 * rejection of a promise that it returns is handled.
 */
export function quietly<T>(call: () => T): T | undefined {
  try {
    const result = call();
    ignoreRejection(result);
    return result;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is a promise, also one of another realm or library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (typeof value === "object" || typeof value === "function") && value !== null && "then" in value
    ? typeof value.then === "function"
    : false;
}

/**
 * Returns what a function of the caller returned, if it keeps the rule. A promise breaks every rule: it is truthy and
 * has no fields, whatever it resolves with.
 *
 * @param owner - The owner of the function, for the message: the name of an operation.
 * @throws ConfigurationError for any other result. The rejection of a promise is handled.
 */
export function hookResult<T>(owner: string, name: string, result: T, rule: Rule): T {
  ignoreRejection(result);
  const complaint = rule(result, name);
  if (complaint === undefined && !isThenable(result)) return result;
  const must = complaint?.replace(/^must be/, "must return") ?? "must return its result";
  throw new ConfigurationError(`${owner}: \`${name}\` ${must}${isThenable(result) ? ", not a promise" : ""}.`);
}
