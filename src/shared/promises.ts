/** Resolves after a number of milliseconds. */
export function sleep(duration: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, duration));
}

/**
 * Handles the rejection of a promise that is not awaited: a callback of the application may be an `async` function
 * although its result is not awaited, and its failure must not end the process.
 */
export function ignoreRejection(value: unknown): void {
  if (value instanceof Promise) value.catch(() => {});
}
