import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Issue } from "../errors/base.ts";
import { formatPath, listIssues } from "../errors/issues.ts";
import { ConfigurationError, RequestValidationError } from "../errors/request.ts";
import type { AutofilledField, Operation } from "../operation.ts";
import type { ClientOptions, RequestOptions } from "../options.ts";
import { vendor } from "../shared/checked-schema.ts";
import { hookResult, issueList } from "../shared/hook-result.ts";
import { isObject, isObjectOrList } from "../shared/json.ts";
import { merge } from "../shared/objects.ts";
import { object } from "../shared/options.ts";
import { ignoreRejection } from "../shared/promises.ts";
import { createReference } from "../shared/ulid.ts";
import { validate } from "../shared/validate.ts";
import type { Credentials } from "./credentials.ts";
import type { CalledOperation } from "./request.ts";

/**
 * Normalizes and checks what the caller passed (docs/assumptions.md, A5), and returns a copy of it: later only if it is
 * refused, because the explanation is loaded first.
 */
export function prepareParams<P extends object>(
  operation: Operation<P, unknown>,
  params: P,
  options: ClientOptions,
): Record<string, unknown> | Promise<never> {
  const given = normalized(operation, params, options);
  // What is not an object cannot be sent, checked or not.
  if (options.validation?.request === "off" && isObject(params)) return jsonCopy(given);
  const issues = validate(operation.params, given, operation.name);
  const more = isObject(params) ? moreIssuesOf(operation, given, options) : [];
  if (issues instanceof Promise) return issues.then((found) => refuseParams(operation, given, [...found, ...more]));
  return issues.length === 0 && more.length === 0
    ? checkedCopy(operation, given)
    : refuseParams(operation, given, [...issues, ...more]);
}

/** JSON leaves out what an object inherits, such as the getters of a class: a field that was there may not be sent. */
function checkedCopy<P extends object>(operation: Operation<P, unknown>, given: P) {
  const copy = jsonCopy(given);
  // A schema of the application may ask for what JSON changes, such as a `Date`.
  if (operation.params["~standard"].vendor !== vendor) return copy;
  const issues = validate(operation.params, copy, operation.name);
  return issues instanceof Promise ? issues.then((found) => refuseParams(operation, given, found.map(notSent))) : copy;
}

function notSent(issue: Issue): Issue {
  return { ...issue, message: `${issue.message} in the JSON that would be sent` };
}

function normalized<P extends object>(
  { name, normalize }: Operation<P, unknown>,
  params: P,
  options: ClientOptions,
): P {
  if (normalize === undefined || !isObject(params)) return params;
  return hookResult(name, "normalize", normalize(params, options), object);
}

function moreIssuesOf<P extends object>(
  { name, validateParams }: Operation<P, unknown>,
  params: P,
  options: ClientOptions,
): readonly Issue[] {
  if (validateParams === undefined) return [];
  return hookResult(name, "validateParams", validateParams(params, options), issueList) ?? [];
}

/** Refuses params that break a rule of the document. */
function refuseParams({ name }: { readonly name: string }, params: object, issues: readonly Issue[]): never {
  const list = listIssues(issues, ({ path, message }) => `${formatPath(path, "params")} ${message}`);
  throw new RequestValidationError({
    message: `${name}: ${list}. Nothing was sent.`,
    operation: name,
    clientReferenceId: referenceOf(params),
    issues,
  });
}

/** The `client_referenceId` of params or of a body, if it is a string. */
export function referenceOf(params: unknown): string | undefined {
  try {
    const reference = isObject(params) ? params.client_referenceId : undefined;
    return typeof reference === "string" ? reference : undefined;
  } catch {
    return undefined; // A getter threw, or a proxy was revoked.
  }
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

/** Fills in the fields that the caller omitted from `body`, which is changed in place. */
export function autofillBody(
  operation: CalledOperation,
  body: Record<string, unknown>,
  options: ClientOptions,
  credentials: Credentials,
): void {
  for (const field of operation.autofill) autofill[field](body, options, credentials);
}

/**
 * Merges `extraBody` into the body, and writes it as JSON.
 *
 * @throws RequestValidationError if half a surrogate pair is in it, which is not text: nobody knows what it becomes.
 */
export function writeBody(
  operation: CalledOperation,
  fields: Record<string, unknown>,
  { extraBody }: RequestOptions,
): { readonly body: Record<string, unknown>; readonly json: string } {
  const body = extraBody === undefined ? fields : (merge(fields, extraBody) as Record<string, unknown>);
  const json = JSON.stringify(body);
  // JSON has nothing else as an escape of this beginning.
  const issues = json.includes("\\ud") ? [...halfPairs(body, [])] : [];
  return issues.length === 0 ? { body, json } : refuseParams(operation, body, issues);
}

/** Yields an issue for each string or name with half a surrogate pair. */
function* halfPairs(value: unknown, path: Issue["path"]): Generator<Issue> {
  if (typeof value === "string" && /\p{Surrogate}/u.test(value)) {
    yield { path, message: "has half a surrogate pair, as of an emoji that was cut", code: "unpaired_surrogate" };
  }
  if (!isObjectOrList(value)) return;
  for (const [name, child] of Object.entries(value)) {
    yield* halfPairs(name, path);
    yield* halfPairs(child, [...path, Array.isArray(value) ? Number(name) : name]);
  }
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
export async function checkReference(
  { params, name }: { readonly params: StandardSchemaV1; readonly name: string },
  body: object,
): Promise<void> {
  const issues = await validate(params, body, name);
  const issue = issues.find(({ path }) => path[0] === "client_referenceId");
  if (issue === undefined) return;
  throw new ConfigurationError(`${name}: the result of \`createReference\` ${issue.message}. Nothing was sent.`);
}
