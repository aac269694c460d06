/** The `code` of an error of Node, Postgres or Redis, or of the first failure that it bundles; empty if it has none. */
export function codeOf(error: unknown): string {
  const { code, errors }: { readonly code?: unknown; readonly errors?: unknown } = Object(error);
  if (typeof code === "string" && /^\w{1,40}$/.test(code)) return code;
  // One attempt for each address of a host.
  return Array.isArray(errors) && errors.length > 0 && errors[0] !== error ? codeOf(errors[0]) : "";
}

/** The error as a `cause`: one that holds the URL that it complains about, with a password in it, is left out. */
export function causeOf(error: unknown): unknown {
  return codeOf(error) === "ERR_INVALID_URL" ? undefined : error;
}
