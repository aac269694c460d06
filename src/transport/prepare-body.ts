import type { StandardSchemaV1 } from "@standard-schema/spec";
import { formatPath, listIssues } from "../errors/issues.ts";
import { ConfigurationError, RequestValidationError } from "../errors/request.ts";
import type { AutofilledField, Operation } from "../operation.ts";
import type { ClientOptions, RequestOptions } from "../options.ts";
import { isObject } from "../shared/json.ts";
import { merge } from "../shared/objects.ts";
import { ignoreRejection } from "../shared/promises.ts";
import { createReference } from "../shared/ulid.ts";
import { validate } from "../shared/validate.ts";
import type { Credentials } from "./credentials.ts";
import type { CalledOperation } from "./request.ts";

/** Normalizes and checks what the caller passed (docs/assumptions.md, A5), and returns a copy of it. */
export function prepareParams<P extends object>(
  operation: Operation<P, unknown>,
  params: P,
  options: ClientOptions,
): Record<string, unknown> {
  const given = isObject(params) && operation.normalize !== undefined ? operation.normalize(params, options) : params;
  // What is not an object cannot be sent, checked or not.
  if (options.validation?.request !== "off" || !isObject(params)) checkParams(operation, given, options);
  return jsonCopy(given);
}

/** Refuses params that break a rule of the document. */
function checkParams<P extends object>(operation: Operation<P, unknown>, params: P, options: ClientOptions): void {
  const issues = validate(operation.params, params, operation.name);
  const all = isObject(params) ? [...issues, ...(operation.validateParams?.(params, options) ?? [])] : issues;
  if (all.length === 0) return;
  const list = listIssues(all, ({ path, message }) => `${formatPath(path, "params")} ${message}`);
  throw new RequestValidationError({
    message: `${operation.name}: ${list}. Nothing was sent.`,
    operation: operation.name,
    clientReferenceId: referenceOf(params),
    issues: all,
  });
}

/** The `client_referenceId` of params or of a body, if it is a string. */
export function referenceOf(params: unknown): string | undefined {
  const reference = isObject(params) ? params.client_referenceId : undefined;
  return typeof reference === "string" ? reference : undefined;
}

/** Copies the body now: the caller may change the object before the credentials are there. */
export function jsonCopy(value: object): Record<string, unknown> {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(value));
    if (isObject(copy)) return copy;
  } catch {
    // The message of the runtime quotes the fields.
  }
  const message = "cannot be serialized: it must be a plain object without circular references or BigInts";
  throw new RequestValidationError({
    message: `The request ${message}. Nothing was sent.`,
    issues: [{ path: [], message, code: "not_json" }],
  });
}

/**
 * Fills in the fields that the caller omitted from `body`, which is changed in place, and merges `extraBody` into it.
 */
export function prepareBody(
  operation: CalledOperation & { readonly params: StandardSchemaV1 },
  body: Record<string, unknown>,
  options: ClientOptions & RequestOptions,
  credentials: Credentials,
): Readonly<Record<string, unknown>> {
  for (const field of operation.autofill) autofill[field](body, options, credentials);
  if (options.createReference !== undefined && options.validation?.request !== "off") checkReference(operation, body);
  return options.extraBody === undefined ? body : (merge(body, options.extraBody) as Record<string, unknown>);
}

const autofill: Record<
  AutofilledField,
  (body: Record<string, unknown>, options: ClientOptions, credentials: Credentials) => void
> = {
  client_referenceId(body, options) {
    body.client_referenceId ??= newReference(options);
  },
  clientData(body, _options, { clientId }) {
    body.clientData ??= { client_id: clientId };
  },
};

function newReference(options: ClientOptions): string {
  if (options.createReference === undefined) return createReference();
  let made: unknown;
  try {
    made = options.createReference();
    ignoreRejection(made);
  } catch {
    throw new ConfigurationError("The function passed as `createReference` threw. Nothing was sent.");
  }
  if (typeof made === "string" && made !== "") return made;
  throw new ConfigurationError("`createReference` must return a non-empty string. Nothing was sent.");
}

/** Checks a reference of `createReference` as if the caller had passed it (§8: at most 30 characters). */
function checkReference({ params, name }: { readonly params: StandardSchemaV1; readonly name: string }, body: object) {
  const issue = validate(params, body, name).find(({ path }) => path[0] === "client_referenceId");
  if (issue === undefined) return;
  throw new ConfigurationError(`${name}: the result of \`createReference\` ${issue.message}. Nothing was sent.`);
}
