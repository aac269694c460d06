import { formatPath, listIssues, RequestValidationError } from "../errors/request.ts";
import type { Operation } from "../operation.ts";
import type { ClientOptions } from "../options.ts";
import { isObject } from "../shared/json.ts";
import { validate } from "../shared/validate.ts";

/** Refuses params that break a rule of the document, before anything is sent. */
export function checkParams<P extends object>(
  operation: Operation<P, unknown>,
  params: P,
  options: ClientOptions,
): void {
  const issues = validate(operation.params, params, operation.name);
  const all = isObject(params) ? [...issues, ...(operation.validateParams?.(params, options) ?? [])] : issues;
  if (all.length === 0) return;
  const list = listIssues(all, ({ path, message }) => `${formatPath(path, "params")} ${message}`);
  throw new RequestValidationError({
    message: `${operation.name}: ${list}. Nothing was sent.`,
    operation: operation.name,
    clientReferenceId: givenReference(params),
    issues: all,
  });
}

/** The reference that the caller gave, where it did. */
export function givenReference(params: unknown): string | undefined {
  const reference = isObject(params) ? params.client_referenceId : undefined;
  return typeof reference === "string" ? reference : undefined;
}
