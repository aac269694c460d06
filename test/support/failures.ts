/** An error with a code, as runtimes have it, and with more: a cause, a system call. */
export function coded(
  code: string,
  { message = "x", cause, ...more }: { readonly [name: string]: unknown; readonly message?: string } = {},
) {
  return Object.assign(new Error(message, { cause }), { code, ...more });
}

/** The error with which the `fetch` of Node rejects. */
export const fetchFailed = (cause: unknown) => new TypeError("fetch failed", { cause });
