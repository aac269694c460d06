/** Resolves after a number of milliseconds. */
export function sleep(duration: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, duration));
}

/**
 * Handles the rejection of a promise that is not awaited: a callback of the application may be an `async` function
 * although its result is not awaited, and its failure must not end the process.
 */
export function ignoreRejection(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => {});
}

/** Returns whether a value is a promise, also one of another realm or library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (typeof value === "object" || typeof value === "function") && value !== null && "then" in value
    ? typeof value.then === "function"
    : false;
}
