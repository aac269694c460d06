import { ServiceApiError } from "../errors/base.ts";
import { stringOf } from "./json.ts";

/**
 * Returns the `code` of an error of Node, Postgres or Redis, or of the first error that it bundles; an empty string if
 * it has none.
 */
export function errorCodeOf(error: unknown): string {
  const { code, errors }: { readonly code?: unknown; readonly errors?: unknown } = Object(error);
  if (typeof code === "string" && /^\w{1,40}$/.test(code)) return code;
  // One error for each IP address of a host.
  return Array.isArray(errors) && errors.length > 0 && errors[0] !== error ? errorCodeOf(errors[0]) : "";
}

/**
 * Returns what a database or its client threw, as the `cause` of our error: only names, messages, codes and stacks,
 * because clients keep connection strings and commands with passwords on their errors. At most four levels deep: causes
 * can be cyclic.
 */
export function causeOf(error: unknown, depth = 4): unknown {
  if (!(error instanceof Error)) return typeof error === "object" && error !== null ? undefined : error;
  // Our errors have been through this.
  if (ServiceApiError.isInstance(error)) return error;
  const code = errorCodeOf(error);
  const plain = new Error(stringOf(error.message), {
    ...(error.cause !== undefined && depth > 1 && { cause: causeOf(error.cause, depth - 1) }),
  });
  Object.defineProperty(plain, "name", { value: stringOf(error.name), configurable: true });
  Object.defineProperty(plain, "stack", { value: stringOf(error.stack), configurable: true });
  return code === "" ? plain : Object.assign(plain, { code });
}
