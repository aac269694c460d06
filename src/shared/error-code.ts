/** Returns the `code` of an error of Node, Postgres or Redis, or of the first error that it bundles; an empty string if it has none. */
export function codeOf(error: unknown): string {
  const { code, errors }: { readonly code?: unknown; readonly errors?: unknown } = Object(error);
  if (typeof code === "string" && /^\w{1,40}$/.test(code)) return code;
  // One error for each IP address of a host.
  return Array.isArray(errors) && errors.length > 0 && errors[0] !== error ? codeOf(errors[0]) : "";
}

/** Returns the error as a `cause`, unless it holds a URL that may have a password in it. */
export function causeOf(error: unknown): unknown {
  return codeOf(error) === "ERR_INVALID_URL" ? undefined : error;
}
