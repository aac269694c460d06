import { defaults } from "../defaults.ts";
import { ConfigurationError } from "../errors/request.ts";
import type { PartialStream } from "../errors/stream.ts";
import type { Operation } from "../operation.ts";
import { type ClientOptions, layerOptions, type RequestOptions, type StreamOptions } from "../options.ts";
import { version } from "../version.ts";
import type { OperationUrls } from "./base-url.ts";
import { CallScope } from "./cancellation.ts";
import { type Credentials, readCredentials } from "./credentials.ts";
import { timeoutOrAbortError } from "./errors/no-response.ts";
import { loadProof } from "./errors/refusal.ts";
import { createReporter } from "./log.ts";
import { autofillBody, checkReference, jsonCopy, prepareParams, referenceOf, writeBody } from "./prepare-body.ts";
import { secretsOf } from "./redact.ts";
import { type CallProgress, type PreparedCall, startProgress } from "./request.ts";

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
  const prepared = prepareParams(operation, params, options);
  const fields = prepared instanceof Promise ? await prepared : prepared;
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
    if (loading !== undefined) await scope.exempt(loading);
    if (mode.beforeSending !== undefined) await scope.exempt(mode.beforeSending());
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
function startScope(
  { signal, totalTimeout, streamTimeout = defaults.streamTimeout }: StreamOptions,
  mode: CallMode,
): CallScope {
  const total = totalTimeout ?? mode.totalTimeout;
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
