import { ServiceApiError } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { isOperation, type Operation } from "../operation.ts";
import {
  type ClientOptions,
  checkOptions,
  lasting,
  layerOptions,
  type RequestOptions,
  requestRules,
  type StreamOptions,
} from "../options.ts";
import { missingPartAdvice, optionalPart } from "../shared/load-parts.ts";
import { quietly } from "../shared/promises.ts";
import { ApiCall, type CallResult, type Reading } from "./call.ts";
import { Cancelled } from "./cancellation.ts";
import { OperationUrls } from "./endpoint.ts";
import { callbackError, outcomeOfBoth, refusedBeforeSending } from "./errors/details.ts";
import { connectionError, timeoutOrAbortError } from "./errors/no-response.ts";
import { type AnyResponse, callersResponse, callFetch, readableResponse, toResponse } from "./fetch.ts";
import { createReporter } from "./log.ts";
import { type CallHooks, type CallSettings, prepareCall, referenceOf, refuseEnvironment } from "./prepare.ts";
import { FailedResponse, isRedirect, readResponse, responseEvent, resultOf } from "./read-response.ts";
import type { PreparedCall, StreamingCall } from "./request.ts";
import { delayBeforeRetry } from "./retry-policy.ts";

/** The params of a call and its options, as far as they are known before it is prepared. */
export interface CallRequest<P, Options> {
  readonly params: P;
  /** Returns the checked options; throws if they are invalid. */
  readonly options: () => Options | undefined;
}

/** A request, or the function that makes it, whose error is reported as that of a refused call. */
export type RequestOf<P> = CallRequest<P, StreamOptions> | (() => CallRequest<P, StreamOptions>);

/** The lifecycle of a request: params → body → attempt (→ ky → attempt) → response → envelope → schema → caller. */
export class Transport {
  readonly options: ClientOptions;
  readonly #urls: OperationUrls;
  /** Found fit for calls by the first one. */
  #isFit: true | undefined;

  constructor(options: ClientOptions) {
    this.options = options;
    this.#urls = new OperationUrls(options);
  }

  /** Sends an operation; see {@link ApiCall}. */
  send<P extends object, Body>(
    operation: Operation<P, Body>,
    params: P,
    options?: RequestOptions,
    hooks: CallHooks = {},
  ): ApiCall<Body> {
    const isKnown = isOperation(operation);
    const name = isKnown ? operation.name : "send";
    const read = () => {
      if (!isKnown) throw new ConfigurationError(notAnOperation);
      return options === undefined ? undefined : checkOptions(name, options, requestRules);
    };
    const reading: Reading = { mode: undefined };
    const running = this.run(name, operation, { params, options: read }, hooks, reading);
    // `data` is what the operation's schema describes, as far as `validation` asks for.
    return new ApiCall(isKnown ? name : "no operation", running as Promise<CallResult<Body>>, reading);
  }

  /**
   * Sends an operation whose receiver reads the body of the response.
   *
   * @param how - The media types and framings that the receiver reads, and the hook that receives the function to abort the call.
   */
  async open<P extends object>(
    operation: Operation<P, unknown>,
    request: RequestOf<P>,
    how: Pick<CallSettings, "accept" | "onStart" | "parse">,
  ): Promise<StreamingCall> {
    const { data } = await this.run(operation.name, operation, request, { ...how, stream: true }, { mode: "body" });
    return data as StreamingCall;
  }

  /** Prepares the call, and attempts it until there is a response or a reason to stop. Its failure is reported here. */
  async run<P extends object>(
    name: string,
    operation: Operation<P, unknown>,
    request: RequestOf<P>,
    settings: CallSettings,
    reading: Reading,
  ): Promise<CallResult> {
    const startedAt = performance.now();
    let params: P | undefined;
    let call: PreparedCall | undefined;
    try {
      const given = typeof request === "function" ? request() : request;
      params = given.params;
      const own = given.options();
      const client = operation.retry === "never" ? lasting(this.options, operation) : this.options;
      const options = own === undefined ? client : layerOptions(client, own);
      this.#isFit ??= refuseEnvironment(options);
      call = await prepareCall(operation, params, options, settings, this.#urls, startedAt);
      let result: CallResult;
      try {
        result = await attempt(call, reading);
      } catch (error) {
        result = await retry(call, reading, error);
      }
      if (!call.isStream) {
        const { attempts } = result;
        call.reporter?.report({ type: "resolved", attempts, duration: performance.now() - startedAt });
      }
      return result;
    } catch (error) {
      call?.scope.close();
      const failure = call === undefined ? refusedBeforeSending(error, this.options) : finalError(call, error);
      const reference = failure.clientReferenceId ?? referenceOf(params);
      const reporter = call ? call.reporter : createReporter(this.options, name, reference, [], startedAt);
      reporter?.failed(failure);
      throw failure;
    }
  }
}

/**
 * Makes one attempt: one request, then a result or a typed error. Its deadline covers headers and body, and bytes that
 * arrive slowly do not extend it.
 */
async function attempt(call: PreparedCall, reading: Reading): Promise<CallResult> {
  const { progress, scope } = call;
  scope.startAttempt(call.timeout);
  try {
    const response = await exchange(call);
    if (!isRedirect(response)) {
      reading.mode ??= "body";
      if (reading.mode === "response") return await headersOnly(call, response);
      // A stream that is refused is an error like any other, and its body says why.
      if (call.isStream && response.status < 400) return streamBegun(call, response);
    }
    progress.phase = "body";
    const result = await scope.race(readResponse(call, response));
    scope.close();
    return result;
  } catch (error) {
    const failure = error instanceof FailedResponse ? await errorOfResponse(call, error) : typedError(call, error);
    progress.outcome = outcomeOfBoth(progress.outcome, failure.outcome);
    progress.phase = "backoff";
    scope.cancelAttempt();
    throw failure;
  } finally {
    progress.inFlight = false;
  }
}

async function exchange(call: PreparedCall): Promise<AnyResponse> {
  const { progress, scope } = call;
  if (scope.cancellation !== undefined) throw new Cancelled();
  call.reporter?.request(progress.attempts + 1, call);
  if (call.onSend !== undefined) scope.limitTo(call.onSend(Math.min(call.timeout, scope.remaining)));
  // Up to here an abort means that nothing was sent: the functions that were just called may have aborted.
  if (scope.cancellation !== undefined) throw new Cancelled();
  progress.phase = "headers";
  progress.attempts++;
  progress.sentAt ||= Date.now();
  progress.inFlight = true;
  progress.attemptedAt = performance.now();
  const { url, headers, json: body, operation, options } = call;
  const onNotSent = () => {
    progress.inFlight = false;
  };
  let sending: AnyResponse | Promise<AnyResponse> | undefined;
  let arrived: AnyResponse;
  try {
    const init = { method: "POST", headers, body, signal: scope.signal, redirect: "manual" } as const;
    sending = callFetch(url, init, { fetch: options.fetch, retry: operation.retry, onNotSent });
    // A mock may return its response at once.
    arrived = await scope.race(Promise.resolve(sending));
  } catch (error) {
    // A `fetch` that ignores the signal may still respond: nobody would read it.
    Promise.resolve(sending)
      .then((late) => late && readableResponse(late).body?.cancel())
      .catch(() => {});
    throw connectionError(call, error);
  }
  try {
    return readableResponse(arrived);
  } catch (error) {
    throw callbackError(call, error);
  }
}

/**
 * `asResponse()` resolves for any final status: only one that leads to a retry is thrown. The caller reads the body.
 */
async function headersOnly(call: PreparedCall, response: AnyResponse): Promise<CallResult> {
  call.reporter?.report(responseEvent(call, response));
  if (response.status >= 400) {
    // Without these errors it is not retried, and the caller gets it as it is.
    const errors = await call.scope.pauseFor(optionalPart(import("./errors/response.ts")));
    const refusal = errors?.apiError(call, response, undefined);
    if (delayBeforeRetry(call, refusal) !== undefined) throw refusal;
  }
  return resultOf(call, callersResponse(toResponse(response), call.scope), undefined, []);
}

/**
 * Returns the open call as the result: from here on the receiver of the stream watches its deadlines, and closes the
 * scope. URL, headers and the rest of the request are not kept.
 */
function streamBegun(call: PreparedCall, response: AnyResponse): CallResult {
  call.reporter?.report(responseEvent(call, response));
  const { operation, clientReferenceId, options, secrets, progress, scope, reporter, startedAt } = call;
  const body = Object.fromEntries(Object.entries(call.body).filter(([, value]) => typeof value === "string"));
  const kept = { operation, clientReferenceId, options, secrets, progress, scope, reporter, startedAt };
  const open: StreamingCall = { ...kept, body, response: toResponse(response) };
  scope.stopTimers();
  return resultOf(call, response, open, []);
}

/** Retries a call whose first attempt failed, if it may be. ky makes the following ones, and is loaded by the first. */
async function retry(call: PreparedCall, reading: Reading, error: unknown): Promise<CallResult> {
  if (delayBeforeRetry(call, error) === undefined) throw error;
  let why = `the module of the retries could not be loaded. ${missingPartAdvice}`;
  try {
    const { retryWithKy } = await call.scope.race(import("./retries.ts"));
    why = "this runtime lacks what ky needs, such as `Request`.";
    return await retryWithKy(call, () => attempt(call, reading), error);
  } catch (failure) {
    if (ServiceApiError.isInstance(failure) || call.scope.cancellation !== undefined) throw failure;
    // The service's own error counts.
    if (ServiceApiError.isInstance(error)) error.message += ` It was not retried: ${why}`;
    throw error;
  }
}

const notAnOperation =
  "send: the first argument must be an operation that defineOperation() returned. Nothing was sent.";

/** Returns the typed error of a failed attempt. Any other error comes from a `fetch` whose response is not one. */
function typedError(call: PreparedCall, error: unknown): ServiceApiError {
  const { cancellation } = call.scope;
  if (cancellation !== undefined) return timeoutOrAbortError(call, cancellation);
  if (ServiceApiError.isInstance(error)) return error;
  return callbackError(call, error);
}

/** Returns the error of a response that is a failure. For a call that is sent once, what makes it was loaded before. */
async function errorOfResponse(call: PreparedCall, { response, toError }: FailedResponse): Promise<ServiceApiError> {
  try {
    const errors = await call.scope.pauseFor(optionalPart(import("./errors/response.ts")));
    if (errors !== undefined) return toError(errors);
  } catch (error) {
    // A hook of the operation threw, or the call was aborted meanwhile.
    return typedError(call, error);
  }
  const problem = `${call.operation.name}: the service responded with HTTP ${response.status}, and what explains it could not be loaded.`;
  return callbackError(call, new ConfigurationError(`${problem} ${missingPartAdvice}`));
}

/** Returns the error that the caller sees when a call has failed: that of its last attempt, or of a pause. */
function finalError(call: PreparedCall, error: unknown): ServiceApiError {
  const failure = ServiceApiError.isInstance(error) ? error : typedError(call, error);
  const { operation, body, progress, options } = call;
  if (failure.outcome !== "unknown") return failure;
  // An explanation that itself fails must not hide the error that it was to explain.
  const explained: unknown = quietly(() =>
    operation.toUnknownOutcomeError?.(failure, { body, sentAt: progress.sentAt }, options),
  );
  return ServiceApiError.isInstance(explained) ? explained : failure;
}
