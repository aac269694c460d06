import { ServiceApiError } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { isOperation, type Operation, type RetryClass } from "../operation.ts";
import {
  type ClientOptions,
  checkOptions,
  defaults,
  type RequestOptions,
  requestRules,
  type StreamOptions,
  timeLimit,
} from "../options.ts";
import { missingPartAdvice } from "../shared/load-parts.ts";
import { ignoreRejection } from "../shared/promises.ts";
import { attempt } from "./attempt.ts";
import { OperationUrls } from "./base-url.ts";
import { ApiCall, type CallResult, type GetResponseMode } from "./call.ts";
import { callbackError, refusedBeforeSending } from "./errors/details.ts";
import { timeoutOrAbortError } from "./errors/no-response.ts";
import { createSendOnce, type SendOnce, toResponse } from "./fetch.ts";
import { createReporter } from "./log.ts";
import {
  type CallMode,
  callOptions,
  prepareCall,
  referenceOf,
  refuseBrowser,
  refuseMissingGlobals,
  wholeResponse,
} from "./prepare.ts";
import { type CalledOperation, type PreparedCall, sentCall } from "./request.ts";
import { delayBeforeRetry, retryPause } from "./retry.ts";
import { type StreamingResponse, streamingResponse } from "./streaming-response.ts";

/** The params of a call and its options, as far as they are known before it is prepared. */
export interface CallRequest<P, Options> {
  readonly params: P;
  /** Returns the checked options; throws if they are invalid. */
  readonly options: () => Options | undefined;
}

/** The rules by which a client retries its calls. */
export interface RetryPolicy {
  readonly maxRetries: number;
  /** Longest `Retry-After` that is waited for, in milliseconds. */
  readonly maxRetryAfter: number;
  /** Returns the milliseconds to wait before retry `n` (from 1) if the service names no time. */
  pauseBefore(retry: number): number;
}

/** The lifecycle of a request: params → body → attempt (→ ky → attempt) → response → envelope → schema → caller. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #urls: OperationUrls;
  readonly #senders = new Map<RetryClass, SendOnce>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#urls = new OperationUrls(options);
  }

  /**
   * Sends an operation; see {@link ApiCall}.
   *
   * @param beforeSending - Awaited when the request is ready, with its credentials, for a queue that paces its calls.
   */
  send<P extends object, Body>(
    operation: Operation<P, Body>,
    params: P,
    options?: RequestOptions,
    beforeSending?: () => Promise<unknown>,
  ): ApiCall<Body> {
    if (!isOperation(operation)) {
      return new ApiCall<Body>("no operation", () => this.#refuse("send", params, notAnOperation()));
    }
    const mode = beforeSending === undefined ? wholeResponse : { ...wholeResponse, beforeSending };
    return new ApiCall<Body>(operation.name, (getMode) => this.#send(operation, { params, options, mode }, getMode));
  }

  async #send<P extends object, Body>(
    operation: Operation<P, Body>,
    { params, options, mode }: { params: P; options: RequestOptions | undefined; mode: CallMode },
    getMode: GetResponseMode,
  ): Promise<CallResult<Body>> {
    const read = () => (options === undefined ? undefined : checkOptions(operation.name, options, requestRules));
    const call = await this.#prepare(operation, () => ({ params, options: read }), mode);
    // `data` is what the operation's schema describes, as far as `validation` asks for.
    const result = (await this.#run(call, getMode)) as CallResult<Body>;
    const { attempts } = result;
    call.reporter.report({ type: "resolved", attempts, duration: performance.now() - call.startedAt });
    return result;
  }

  /**
   * Sends an operation whose receiver reads the body of the response.
   *
   * @param request - Returns the request. Its error is reported as that of a refused call.
   * @param how - The media types that the receiver reads, and the hook that receives the function to abort the call.
   */
  async open<P extends object>(
    operation: Operation<P, unknown>,
    request: () => CallRequest<P, StreamOptions>,
    how: Pick<CallMode, "accept" | "onStart">,
  ): Promise<StreamingResponse> {
    const call = await this.#prepare(operation, request, { ...how, totalTimeout: false, stream: true });
    const { response } = await this.#run(call, () => "stream");
    return streamingResponse(call, toResponse(response));
  }

  /**
   * Returns the milliseconds after which a call that is not retried has ended, whatever the service does; `false` if it
   * has no limit.
   */
  timeLimit(operation: CalledOperation, options: RequestOptions | undefined): number | false {
    const own = options === undefined ? undefined : checkOptions(operation.name, options, requestRules);
    return timeLimit(operation.timeout, callOptions(this.#options, own));
  }

  /** Checks options of calls for a function that makes several with them, and returns a copy of them. */
  readOptions(owner: string, options: RequestOptions): RequestOptions {
    return checkOptions(owner, options, requestRules);
  }

  /** Returns how this client retries, for a queue that retries its calls itself. */
  retryPolicy(): RetryPolicy {
    const { maxRetries = defaults.maxRetries, maxRetryAfter = defaults.maxRetryAfter } = this.#options;
    return { maxRetries, maxRetryAfter, pauseBefore: (retry) => retryPause(this.#options, retry) };
  }

  async #prepare<P extends object>(
    operation: Operation<P, unknown>,
    request: () => CallRequest<P, StreamOptions>,
    mode: CallMode,
  ): Promise<PreparedCall> {
    const startedAt = performance.now();
    let params: P | undefined;
    try {
      const given = request();
      params = given.params;
      const options = callOptions(this.#options, given.options());
      refuseBrowser(this.#options);
      refuseMissingGlobals(this.#options);
      const sending = { urls: this.#urls, send: this.#sender(operation.retry), startedAt };
      return await prepareCall(operation, params, options, sending, mode);
    } catch (error) {
      return this.#refuse(operation.name, params, refusedBeforeSending(error), startedAt);
    }
  }

  /** Reports a call that is not sent, as `#run` reports one that failed. */
  async #refuse(name: string, params: unknown, error: ServiceApiError, startedAt?: number): Promise<never> {
    const reference = error.clientReferenceId ?? referenceOf(params);
    createReporter(this.#options, name, reference, [], startedAt).failed(error);
    throw error;
  }

  /** Attempts the call until there is a response or a reason to stop. */
  async #run(call: PreparedCall, getMode: GetResponseMode): Promise<CallResult> {
    try {
      return await attemptAndRetry(call, () => attempt(call, getMode));
    } catch (error) {
      call.scope.close();
      const failure = finalError(call, error);
      call.reporter.failed(failure);
      throw failure;
    }
  }

  #sender(retry: RetryClass): SendOnce {
    const sender = this.#senders.get(retry) ?? createSendOnce(this.#options.fetch, retry);
    this.#senders.set(retry, sender);
    return sender;
  }
}

/** Makes the first attempt. ky makes the following ones, and is loaded by the first call that needs it. */
async function attemptAndRetry(call: PreparedCall, makeAttempt: () => Promise<CallResult>): Promise<CallResult> {
  try {
    return await makeAttempt();
  } catch (error) {
    if (delayBeforeRetry(call, error) === undefined) throw error;
    call.progress.phase = "backoff";
    // A deployment may lack the chunk, as after an update of the files beneath a running process.
    const retries = await call.scope.race(import("./retries.ts").catch(() => undefined));
    if (retries === undefined) throw notRetried(error);
    return await retries.retryWithKy(call, makeAttempt, error);
  }
}

/** Adds to the error of the first attempt that there was no second one. */
function notRetried(error: unknown): unknown {
  if (ServiceApiError.isInstance(error)) {
    error.message += ` It was not retried: the module of the retries could not be loaded. ${missingPartAdvice}`;
  }
  return error;
}

function notAnOperation(): ConfigurationError {
  return new ConfigurationError(
    "send: the first argument must be an operation that defineOperation() returned. Nothing was sent.",
  );
}

/** Returns the error that the caller sees when a call has failed. */
export function finalError(call: PreparedCall, error: unknown): ServiceApiError {
  const failure = ServiceApiError.isInstance(error) ? error : cancelledOrBroken(call, error);
  // Before the first attempt the operation knows nothing that the error does not say.
  return failure.outcome === "unknown" && call.progress.attempts > 0 ? explainUnknown(call, failure) : failure;
}

/** A pause that was cancelled; anything else is a fault of a function that the caller passed. */
function cancelledOrBroken(call: PreparedCall, error: unknown): ServiceApiError {
  const { cancellation } = call.scope;
  return cancellation === undefined ? callbackError(call, error) : timeoutOrAbortError(call, cancellation);
}

/** An explanation that itself fails must not hide the error that it was to explain. */
function explainUnknown(call: PreparedCall, failure: ServiceApiError): ServiceApiError {
  try {
    const explained: unknown = call.operation.toUnknownOutcomeError?.(failure, sentCall(call));
    ignoreRejection(explained);
    return ServiceApiError.isInstance(explained) ? explained : failure;
  } catch {
    return failure;
  }
}
