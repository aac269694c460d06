import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ValidationIssue } from "../errors/base.ts";
import { formatPath, listIssues } from "../errors/issues.ts";
import { ConfigurationError, RequestValidationError } from "../errors/request.ts";
import { type Judged, judge, type Operation } from "../operation.ts";
import { type ClientOptions, defaults, type StreamOptions } from "../options.ts";
import { isObject, isObjectOrList, jsonCopy } from "../shared/json.ts";
import { loadParts } from "../shared/load-parts.ts";
import { merge } from "../shared/objects.ts";
import { ignoreRejection } from "../shared/promises.ts";
import { createReference } from "../shared/ulid.ts";
import { isOwnSchema, validate } from "../shared/validate.ts";
import { version } from "../version.ts";
import { CallScope } from "./cancellation.ts";
import { type OperationUrls, readCredentials } from "./endpoint.ts";
import type { OperationResponse } from "./envelope.ts";
import { timeoutOrAbortError } from "./errors/no-response.ts";
import { createReporter } from "./log.ts";
import { secretsOf } from "./redact.ts";
import type { CallProgress, PreparedCall } from "./request.ts";

/** Functions of this package that take part in a call. */
export interface CallHooks {
  /** Awaited when the request is ready, with its credentials. Deadlines do not count its time. */
  readonly beforeSending?: (() => Promise<unknown>) | undefined;
  /**
   * Called just before the request is passed to `fetch`, with the milliseconds that the attempt may take.
   *
   * @returns The milliseconds that the call may take from now on, if they are fewer.
   * @throws A typed error, if the request must not be sent any more.
   */
  readonly onSend?: ((limit: number) => number) | undefined;
}

/** The settings in which a stream differs from other calls. */
export interface CallSettings extends CallHooks {
  /** @default "application/json" */
  readonly accept?: string | undefined;
  readonly stream?: true | undefined;
  /** Reads the body of a response, in the framings of a stream too. @default as JSON */
  readonly parse?: ((text: string) => unknown) | undefined;
  /** Receives, before anything is sent, the function that aborts the call. */
  readonly onStart?: ((abort: (reason: unknown) => void) => void) | undefined;
}

/**
 * Makes a call ready to be sent: checks its params, reads the credentials, and writes headers and body.
 *
 * @param options - The client's options, overridden by those of the call.
 * @param startedAt - When the call was made, by `performance.now()`.
 * @throws A typed error, and closes the call's scope, if the call must not be sent.
 */
export async function prepareCall<P extends object>(
  operation: Operation<P, unknown> & Judged,
  params: P,
  options: ClientOptions & StreamOptions,
  settings: CallSettings,
  urls: OperationUrls,
  startedAt: number,
): Promise<PreparedCall> {
  const { name, retry, autofill, validateParams } = operation;
  if (!isObject(params))
    return refuseParams(operation, params, (await validate(operation.params, params, name)) ?? [notJson]);
  const given = operation.normalize?.(params, options) ?? params;
  const fields = jsonCopy(given);
  if (!isObject(fields)) return refuseParams(operation, given, [notJson]);
  const extra = options.extraBody && jsonCopy(options.extraBody);
  if (options.extraBody !== undefined && !isObject(extra))
    return refuseParams(operation, given, [{ ...notJson, path: ["extraBody"] }]);
  const isStrict = options.validation?.request !== "off";
  if (isStrict) {
    // The copy is what is sent: JSON leaves out what an object inherits, such as the getters of a class. A schema of the
    // application may ask for what JSON changes, such as a `Date` (docs/assumptions.md, A5).
    const checked = isOwnSchema(operation.params) ? (fields as P) : given;
    const found = validate(operation.params, checked, name);
    const more = validateParams?.(checked, options) ?? [];
    if (found !== undefined || more.length > 0) refuseParams(operation, fields, [...((await found) ?? []), ...more]);
  }
  const url = urls.urlOf(operation);
  const timeout = options.timeout === false ? unlimited : (options.timeout ?? operation.timeout);
  // The deadline of a whole stream starts with the call. When the response begins, the receiver takes over its rest.
  const isStream = settings.stream === true;
  const total = (options.totalTimeout ?? (isStream ? false : defaults.totalTimeout)) || unlimited;
  const whole = (isStream && (options.stream?.timeout ?? defaults.stream.timeout)) || unlimited;
  const scope = new CallScope(options.signal, Math.min(total, whole), whole < total ? "stream" : "total");
  settings.onStart?.((reason) => scope.abort(reason));
  const phase = "credentials";
  const progress: CallProgress = { phase, attempts: 0, inFlight: false, outcome: "notSent", sentAt: 0, attemptedAt: 0 };
  let body = fields;
  try {
    const reading = readCredentials(options);
    // The timeout of an attempt also applies to functions that supply credentials.
    if (reading instanceof Promise) scope.startAttempt(timeout);
    const { clientId, clientSecret } = reading instanceof Promise ? await scope.race(reading) : reading;
    if (autofill.includes("clientData")) fields.clientData ??= { client_id: clientId };
    if (extra !== undefined) body = merge(fields, extra) as Record<string, unknown>;
    if (autofill.includes("client_referenceId") && body.client_referenceId == null) {
      body.client_referenceId = newReference(options);
      if (options.createReference !== undefined && isStrict) await checkReference(operation, given, body);
    }
    const json = JSON.stringify(body);
    // JSON has nothing else as an escape of this beginning. Half a pair is not text: nobody knows what it becomes.
    const halves = json.includes("\\ud") ? [...halfPairs(body, [])] : [];
    if (halves.length > 0) refuseParams(operation, body, halves);
    // Before a call that is sent once leaves: without these parts no refusal of it would be proved.
    const loading = retry === "never" && Promise.all([operation[judge]?.(), import("./errors/response.ts")]);
    const [proveRefusal] = loading ? await scope.pauseFor(loadParts(loading)) : [];
    const known = options.knownMessages?.refused ?? [];
    const request = proveRefusal && { path: operation.path, sent: body, params: fields, known };
    const prove = request && ((response: OperationResponse) => proveRefusal(response, request));
    if (settings.beforeSending !== undefined) await scope.pauseFor(settings.beforeSending());
    const headers: Record<string, string> = {
      "client-id": clientId,
      "client-secret": clientSecret,
      "content-type": "application/json",
      accept: settings.accept ?? "application/json",
    };
    if (options.userAgent !== false) headers["user-agent"] = options.userAgent ?? `serviceapi/${version}`;
    // The caller's replace ours of the same name.
    Object.assign(headers, options.headers);
    const secrets = secretsOf(clientSecret, options.headers);
    const clientReferenceId = referenceOf(body);
    const reporter = createReporter(options, name, clientReferenceId, secrets, startedAt);
    const { onSend, parse } = settings;
    return {
      ...{ operation, clientReferenceId, options, secrets, progress, isStream, prove, startedAt },
      ...{ url, headers, body, json, scope, timeout, reporter, onSend, parse },
    };
  } catch (error) {
    scope.close();
    if (scope.cancellation === undefined) throw error;
    const call = { operation, clientReferenceId: referenceOf(body), progress, isStream, options, secrets: [] };
    throw timeoutOrAbortError(call, scope.cancellation);
  }
}

const unlimited = Number.POSITIVE_INFINITY;

/** The functions that a call needs, in addition to `fetch`. */
const neededGlobals = "AbortController Headers ReadableStream Response TextDecoder TextEncoder URL".split(" ");

/**
 * Refuses browsers, where anyone can read the client secret (docs/assumptions.md, T5), and environments such as plain
 * jsdom, where the call would fail after it was sent, or look as if it had been. Workers and edge runtimes pass.
 */
export function refuseEnvironment({ dangerouslyAllowBrowser, fetch = globalThis.fetch }: ClientOptions): true {
  if (dangerouslyAllowBrowser !== true && typeof document !== "undefined" && typeof window !== "undefined") {
    throw new ConfigurationError(
      "This looks like a browser, where anyone can read the client secret. Call the service from your server; " +
        "`dangerouslyAllowBrowser: true` is for tests that imitate a browser (jsdom).",
    );
  }
  if (typeof fetch !== "function") {
    throw new ConfigurationError("There is no `fetch` here (as in jsdom). Pass the option `fetch`.");
  }
  for (const name of neededGlobals) {
    // Not read: with the first of them Node loads its `fetch`, which a call by `nodeFetch` does not need.
    if (name in globalThis) continue;
    throw new ConfigurationError(
      `There is no \`${name}\` here (as in jsdom). Run this in an environment that has it, such as \`node\` for a test runner.`,
    );
  }
  return true;
}

/** Refuses params that break a rule of the document. */
function refuseParams({ name }: { readonly name: string }, params: unknown, issues: readonly ValidationIssue[]): never {
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

const notJson: ValidationIssue = {
  path: [],
  message: "cannot be serialized: it must be a plain object without circular references or BigInts",
  code: "not_json",
};

/** Yields an issue for each string or name with half a surrogate pair. */
function* halfPairs(value: unknown, path: ValidationIssue["path"]): Generator<ValidationIssue> {
  if (typeof value === "string" && /\p{Surrogate}/u.test(value)) {
    yield { path, message: "has half a surrogate pair, as of an emoji that was cut", code: "unpaired_surrogate" };
  }
  if (!isObjectOrList(value)) return;
  for (const [name, child] of Object.entries(value)) {
    yield* halfPairs(name, path);
    yield* halfPairs(child, [...path, Array.isArray(value) ? Number(name) : name]);
  }
}

/** Returns a new `client_referenceId`, by the option `createReference` if there is one. */
export function newReference(options: ClientOptions): string {
  if (options.createReference === undefined) return createReference();
  let made: unknown;
  try {
    made = options.createReference();
    ignoreRejection(made);
  } catch {
    throw new ConfigurationError("The function passed as `createReference` threw. Nothing was sent.");
  }
  if (typeof made === "string" && made.trim() !== "") return made;
  throw new ConfigurationError("`createReference` must return a non-empty string. Nothing was sent.");
}

/** Checks a reference of `createReference` as if the caller had passed it (§8: at most 30 characters). */
async function checkReference(
  { params, name }: { readonly params: StandardSchemaV1; readonly name: string },
  given: object,
  { client_referenceId }: Readonly<Record<string, unknown>>,
): Promise<void> {
  const issues = await validate(params, { ...given, client_referenceId }, name);
  const issue = issues?.find(({ path }) => path[0] === "client_referenceId");
  if (issue === undefined) return;
  throw new ConfigurationError(`${name}: the result of \`createReference\` ${issue.message}. Nothing was sent.`);
}
