import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ValidationIssue } from "../errors/base.ts";
import { formatPath, listIssues } from "../errors/issues.ts";
import { ConfigurationError, RequestValidationError } from "../errors/request.ts";
import type { PartialStream } from "../errors/stream.ts";
import { type Judged, judge, type Operation } from "../operation.ts";
import { type ClientOptions, defaults, type RequestOptions, type StreamOptions } from "../options.ts";
import { isObject, isObjectOrList } from "../shared/json.ts";
import { loadParts } from "../shared/load-parts.ts";
import { merge } from "../shared/objects.ts";
import { ignoreRejection } from "../shared/promises.ts";
import { createReference } from "../shared/ulid.ts";
import { isChecked, validate } from "../shared/validate.ts";
import { version } from "../version.ts";
import { CallScope } from "./cancellation.ts";
import { type Credentials, type OperationUrls, readCredentials } from "./endpoint.ts";
import { timeoutOrAbortError } from "./errors/no-response.ts";
import { createSend } from "./fetch.ts";
import { createReporter } from "./log.ts";
import { secretsOf } from "./redact.ts";
import type { CalledOperation, CallProgress, PreparedCall } from "./request.ts";

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
  readonly accept: string;
  readonly stream: boolean;
  /** Receives, before anything is sent, the function that aborts the call. */
  readonly onStart?: ((abort: (reason: unknown) => void) => void) | undefined;
}

/** The content that a stream has received before it begins. */
const nothing: PartialStream = { partialText: "", contextToken: undefined, events: 0 };

/** The settings of a call, the URLs of its client, and the time at which it was made. */
interface Sending extends CallSettings, Pick<PreparedCall, "startedAt"> {
  readonly urls: OperationUrls;
}

/**
 * Makes a call ready to be sent: checks its params, reads the credentials, and writes headers and body.
 *
 * @param options - The client's options, overridden by those of the call.
 * @throws A typed error, and closes the call's scope, if the call must not be sent.
 */
export async function prepareCall<P extends object>(
  operation: Operation<P, unknown> & Judged,
  params: P,
  options: ClientOptions & StreamOptions,
  { urls, startedAt, ...settings }: Sending,
): Promise<PreparedCall> {
  refuseEnvironment(options);
  if (!isObject(params))
    return refuseParams(operation, params, (await validate(operation.params, params, operation.name)) ?? [notJson]);
  const given = operation.normalize?.(params, options) ?? params;
  const fields = jsonCopy(given);
  const extra = options.extraBody && jsonCopy(options.extraBody);
  const broken = checkParams(operation, given, fields as P, options);
  if (broken !== undefined) refuseParams(operation, fields, await broken);
  const url = urls.urlOf(operation);
  const timeout = options.timeout ?? operation.timeout;
  const scope = startScope(options, settings);
  settings.onStart?.((reason) => scope.abort(reason));
  const progress: CallProgress = {
    phase: "credentials",
    attempts: 0,
    inFlight: false,
    outcome: "notSent",
    sentAt: 0,
    attemptedAt: 0,
  };
  const received = settings.stream ? nothing : undefined;
  try {
    const reading = readCredentials(options);
    // The timeout of an attempt also applies to functions that supply credentials.
    if (reading instanceof Promise) scope.startAttempt(timeout);
    const credentials = reading instanceof Promise ? await scope.race(reading) : reading;
    autofill(operation, fields, options, credentials);
    if (options.createReference !== undefined && options.validation?.request !== "off") {
      await checkReference(operation, fields);
    }
    const { body, json } = writeBody(operation, fields, extra);
    // Before a call that is sent once leaves: without these parts no refusal of it would be proved.
    const loading = operation.retry === "never" && Promise.all([operation[judge]?.(), import("./errors/response.ts")]);
    const [prove] = loading ? await scope.pauseFor(loadParts(loading)) : [];
    if (settings.beforeSending !== undefined) await scope.pauseFor(settings.beforeSending());
    const secrets = secretsOf(credentials.clientSecret, options.headers);
    const clientReferenceId = referenceOf(body);
    const reporter = createReporter(options, operation.name, clientReferenceId, secrets, startedAt);
    const headers = headersOf(options, credentials, settings.accept);
    const call = { operation, clientReferenceId, options, secrets, progress, received, prove, startedAt };
    const send = createSend(options.fetch, operation.retry);
    return { ...call, url, headers, body, json, send, scope, timeout, reporter, onSend: settings.onSend };
  } catch (error) {
    scope.close();
    if (scope.cancellation === undefined) throw error;
    const call = { operation, clientReferenceId: referenceOf(fields), progress, received, options };
    throw timeoutOrAbortError(call, scope.cancellation);
  }
}

/**
 * The deadline of a whole stream starts with the call. When the response begins, the receiver takes over the rest of
 * it.
 */
function startScope({ signal, totalTimeout, stream }: StreamOptions, { stream: isStream }: CallSettings): CallScope {
  const total = totalTimeout ?? (isStream ? false : defaults.totalTimeout);
  const streamTimeout = stream?.timeout ?? defaults.stream.timeout;
  const isStreamFirst = isStream && streamTimeout !== false && (total === false || streamTimeout < total);
  return isStreamFirst ? new CallScope(signal, streamTimeout, "stream") : new CallScope(signal, total);
}

/** The headers of §5 and the caller's own. */
function headersOf(
  options: ClientOptions & RequestOptions,
  credentials: Credentials,
  accept: string,
): Readonly<Record<string, string>> {
  return {
    "client-id": credentials.clientId,
    "client-secret": credentials.clientSecret,
    "content-type": "application/json",
    accept,
    ...(options.userAgent !== false && { "user-agent": options.userAgent ?? `serviceapi/${version}` }),
    ...(options.headers && lowerCased(options.headers)),
  };
}

/** The caller's headers replace ours of the same name. */
function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The functions that a call needs, in addition to `fetch`. */
const neededGlobals = "AbortController Headers ReadableStream Response TextDecoder TextEncoder URL".split(" ");

/**
 * Refuses browsers, where anyone can read the client secret (docs/assumptions.md, T5), and environments such as plain
 * jsdom, where the call would fail after it was sent, or look as if it had been. Workers and edge runtimes pass.
 */
function refuseEnvironment({ dangerouslyAllowBrowser, fetch = globalThis.fetch }: ClientOptions): void {
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
    if (typeof Reflect.get(globalThis, name) === "function") continue;
    throw new ConfigurationError(
      `There is no \`${name}\` here (as in jsdom). Run this in an environment that has it, such as \`node\` for a test runner.`,
    );
  }
}

/**
 * Returns the issues of a request (docs/assumptions.md, A5), or undefined at once if there are none. What is checked is
 * the copy that is sent: JSON leaves out what an object inherits, such as the getters of a class. A schema of the
 * application may ask for what JSON changes, such as a `Date`, and checks what was given.
 */
function checkParams<P extends object>(
  { name, params, validateParams }: Operation<P, unknown>,
  given: P,
  copy: P,
  options: ClientOptions,
): Promise<readonly ValidationIssue[]> | undefined {
  if (options.validation?.request === "off") return undefined;
  const checked = isChecked(params) ? copy : given;
  const found = validate(params, checked, name);
  const more = validateParams?.(checked, options) ?? [];
  if (found === undefined && more.length === 0) return undefined;
  return Promise.resolve(found).then((issues = []) => [...issues, ...more]);
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

/** Copies the body now: the caller may change the object before the credentials are there. */
function jsonCopy(value: object): Record<string, unknown> {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(value));
    if (isObject(copy)) return copy;
  } catch {
    // The message of the runtime quotes the fields.
  }
  throw new RequestValidationError({ message: `The request ${notJson.message}. Nothing was sent.`, issues: [notJson] });
}

const notJson: ValidationIssue = {
  path: [],
  message: "cannot be serialized: it must be a plain object without circular references or BigInts",
  code: "not_json",
};

/** Fills in the fields that the caller omitted from `body`, which is changed in place. */
function autofill(
  { autofill }: CalledOperation,
  body: Record<string, unknown>,
  options: ClientOptions,
  { clientId }: Credentials,
): void {
  if (autofill.includes("client_referenceId")) body.client_referenceId ??= newReference(options);
  if (autofill.includes("clientData")) body.clientData ??= { client_id: clientId };
}

/**
 * Merges `extraBody` into the body, and writes it as JSON.
 *
 * @throws RequestValidationError if half a surrogate pair is in it, which is not text: nobody knows what it becomes.
 */
function writeBody(
  operation: CalledOperation,
  fields: Record<string, unknown>,
  extraBody: object | undefined,
): { readonly body: Record<string, unknown>; readonly json: string } {
  const body = extraBody === undefined ? fields : (merge(fields, extraBody) as Record<string, unknown>);
  const json = JSON.stringify(body);
  // JSON has nothing else as an escape of this beginning.
  const issues = json.includes("\\ud") ? [...halfPairs(body, [])] : [];
  return issues.length === 0 ? { body, json } : refuseParams(operation, body, issues);
}

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
  body: object,
): Promise<void> {
  const issue = (await validate(params, body, name))?.find(({ path }) => path[0] === "client_referenceId");
  if (issue === undefined) return;
  throw new ConfigurationError(`${name}: the result of \`createReference\` ${issue.message}. Nothing was sent.`);
}
