import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Issue } from "../errors/base.ts";
import { formatPath, listIssues } from "../errors/issues.ts";
import { ConfigurationError, RequestValidationError } from "../errors/request.ts";
import type { PartialStream } from "../errors/stream.ts";
import type { AutofilledField, Operation } from "../operation.ts";
import { type ClientOptions, defaults, layerOptions, type RequestOptions, type StreamOptions } from "../options.ts";
import { hookResult, issueList } from "../shared/hook-result.ts";
import { isObject, isObjectOrList } from "../shared/json.ts";
import { merge } from "../shared/objects.ts";
import { object } from "../shared/options.ts";
import { ignoreRejection } from "../shared/promises.ts";
import { createReference } from "../shared/ulid.ts";
import { isChecked, validate } from "../shared/validate.ts";
import { version } from "../version.ts";
import type { OperationUrls } from "./base-url.ts";
import { CallScope } from "./cancellation.ts";
import { type Credentials, readCredentials } from "./credentials.ts";
import { timeoutOrAbortError } from "./errors/no-response.ts";
import { loadProof } from "./errors/refusal.ts";
import { createReporter } from "./log.ts";
import { secretsOf } from "./redact.ts";
import { type CalledOperation, type CallProgress, type PreparedCall, startProgress } from "./request.ts";

/** The settings in which a stream differs from other calls. */
export interface CallMode {
  readonly accept: string;
  readonly totalTimeout: number | false;
  readonly stream: boolean;
  /** Receives, before anything is sent, the function that aborts the call. */
  readonly onStart?: ((abort: (reason: unknown) => void) => void) | undefined;
  /** Awaited when the request is ready, with its credentials. Deadlines do not count its time. */
  readonly beforeSending?: (() => Promise<unknown>) | undefined;
}

/** A call whose body is read and checked by the transport. */
export const wholeResponse: CallMode = {
  accept: "application/json",
  totalTimeout: defaults.totalTimeout,
  stream: false,
};

/** The content that a stream has received before it begins. */
const nothing: PartialStream = { partialText: "", contextToken: undefined, events: 0 };

/** The means of sending a call, and the time at which it was made. */
export interface Sending extends Pick<PreparedCall, "send" | "startedAt"> {
  readonly urls: OperationUrls;
}

/**
 * Makes a call ready to be sent: checks its params, reads the credentials, and writes headers and body.
 *
 * @param options - The client's options, overridden by those of the call.
 * @throws A typed error, and closes the call's scope, if the call must not be sent.
 */
export async function prepareCall<P extends object>(
  operation: Operation<P, unknown>,
  params: P,
  options: ClientOptions & StreamOptions,
  { urls, send, startedAt }: Sending,
  mode: CallMode,
): Promise<PreparedCall> {
  const given = normalized(operation, params, options);
  const broken = checkParams(operation, given, options);
  if (broken !== undefined) refuseParams(operation, given, await broken);
  const fields = jsonCopy(given);
  const notSent = checkCopy(operation, fields, options);
  if (notSent !== undefined) refuseParams(operation, given, await notSent);
  const url = urls.urlOf(operation);
  const scope = startScope(options, mode);
  mode.onStart?.((reason) => scope.abort(reason));
  const progress = startProgress();
  const received = mode.stream ? nothing : undefined;
  try {
    const read = readCredentials(options);
    const credentials =
      read instanceof Promise
        ? await waitForCredentials(read, scope, progress, options.timeout ?? operation.timeout)
        : read;
    autofillBody(operation, fields, options, credentials);
    if (options.createReference !== undefined && options.validation?.request !== "off") {
      await checkReference(operation, fields);
    }
    const { body, json } = writeBody(operation, fields, options);
    const loading = loadProof(operation);
    if (loading !== undefined) await scope.pauseFor(loading, "call");
    if (mode.beforeSending !== undefined) await scope.pauseFor(mode.beforeSending(), "call");
    const secrets = secretsOf(credentials.clientSecret, options.headers);
    const clientReferenceId = referenceOf(body);
    return {
      operation,
      clientReferenceId,
      options,
      secrets,
      progress,
      url,
      headers: prepareHeaders(options, credentials, mode.accept),
      body,
      json,
      send,
      scope,
      reporter: createReporter(options, operation.name, clientReferenceId, secrets, startedAt),
      received,
      startedAt,
    };
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
function startScope({ signal, totalTimeout, stream }: StreamOptions, mode: CallMode): CallScope {
  const total = totalTimeout ?? mode.totalTimeout;
  const streamTimeout = stream?.timeout ?? defaults.stream.timeout;
  const isStreamFirst = mode.stream && streamTimeout !== false && (total === false || streamTimeout < total);
  return isStreamFirst ? new CallScope(signal, streamTimeout, "stream") : new CallScope(signal, total);
}

/** The timeout of an attempt also applies to functions that supply credentials. */
async function waitForCredentials(
  reading: Promise<Credentials>,
  scope: CallScope,
  progress: CallProgress,
  timeout: number | false,
): Promise<Credentials> {
  progress.phase = "credentials";
  scope.startAttempt(timeout);
  return await scope.race(reading);
}

/** The headers of §5 and the caller's own. */
function prepareHeaders(
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

/**
 * Refuses browsers, where anyone can read the client secret (docs/assumptions.md, T5). Workers and edge runtimes pass.
 */
export function refuseBrowser(options: ClientOptions): void {
  if (options.dangerouslyAllowBrowser === true || typeof document === "undefined" || typeof window === "undefined")
    return;
  throw new ConfigurationError(
    "This looks like a browser, where anyone can read the client secret. Call the service from your server; " +
      "`dangerouslyAllowBrowser: true` is for tests that imitate a browser (jsdom).",
  );
}

/** The functions that a call needs, in addition to `fetch`. */
const neededGlobals = "AbortController Headers ReadableStream Response TextDecoder TextEncoder URL".split(" ");

/** Refuses an environment such as plain jsdom, where the call would fail after it was sent, or look as if it had been. */
export function refuseMissingGlobals(options: ClientOptions): void {
  const isMissing = (name: string) => typeof Reflect.get(globalThis, name) !== "function";
  if (options.fetch === undefined && isMissing("fetch")) {
    throw new ConfigurationError("There is no `fetch` here (as in jsdom). Pass the option `fetch`.");
  }
  const missing = neededGlobals.find(isMissing);
  if (missing === undefined) return;
  throw new ConfigurationError(
    `There is no \`${missing}\` here (as in jsdom). Run this in an environment that has it, such as \`node\` for a test runner.`,
  );
}

/** Returns the client's options, overridden by those of the call. */
export function callOptions(client: ClientOptions, call: StreamOptions | undefined): ClientOptions & StreamOptions {
  if (call === undefined) return client;
  const options = layerOptions(client, call);
  return options.extraBody === undefined ? options : layerOptions(options, { extraBody: jsonCopy(options.extraBody) });
}

/** Returns the issues of what the caller passed (docs/assumptions.md, A5), or undefined at once if there are none. */
function checkParams<P extends object>(
  operation: Operation<P, unknown>,
  given: P,
  options: ClientOptions,
): Promise<readonly Issue[]> | undefined {
  // What is not an object cannot be sent, checked or not.
  if (options.validation?.request === "off" && isObject(given)) return undefined;
  const found = validate(operation.params, given, operation.name);
  const more = isObject(given) ? moreIssuesOf(operation, given, options) : [];
  if (found === undefined && more.length === 0) return undefined;
  return Promise.resolve(found).then((issues = []) => [...issues, ...more]);
}

/** JSON leaves out what an object inherits, such as the getters of a class: a field that was there may not be sent. */
function checkCopy(
  { name, params }: { readonly name: string; readonly params: StandardSchemaV1 },
  copy: object,
  options: ClientOptions,
): Promise<readonly Issue[]> | undefined {
  // A schema of the application may ask for what JSON changes, such as a `Date`.
  if (options.validation?.request === "off" || !isChecked(params)) return undefined;
  const found = validate(params, copy, name);
  return found?.then((issues) =>
    issues.map((issue) => ({ ...issue, message: `${issue.message} in the JSON that would be sent` })),
  );
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
  const issue = (await validate(params, body, name))?.find(({ path }) => path[0] === "client_referenceId");
  if (issue === undefined) return;
  throw new ConfigurationError(`${name}: the result of \`createReference\` ${issue.message}. Nothing was sent.`);
}
