import { readRequestOptions, readStreamOptions } from "../check-options.ts";
import { defaults } from "../defaults.ts";
import type { ServiceApiError } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { isOperation, type Operation, type RetryClass } from "../operation.ts";
import type { ClientOptions, RequestOptions, StreamOptions } from "../options.ts";
import { attempt } from "./attempt.ts";
import { OperationUrls } from "./base-url.ts";
import { ApiCall, type CallResult, type GetResponseMode } from "./call.ts";
import { toResponse } from "./direct-response.ts";
import { finalError, refusedBeforeSending } from "./errors/final-error.ts";
import { createReporter } from "./log.ts";
import { type CallMode, callOptions, prepareCall, refuseBrowser, wholeResponse } from "./prepare.ts";
import { referenceOf } from "./prepare-body.ts";
import type { CalledOperation, PreparedCall } from "./request.ts";
import { delayBeforeRetry, planRetry } from "./retry.ts";
import { createSendOnce, type SendOnce } from "./runtime-fetch.ts";
import { type StreamingResponse, streamingResponse } from "./streaming-response.ts";

/** The lifecycle of a request: params → body → attempt (→ ky → attempt) → response → envelope → schema → caller. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #urls: OperationUrls;
  readonly #senders = new Map<RetryClass, SendOnce>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#urls = new OperationUrls(options);
  }

  /** Sends an operation; see {@link ApiCall}. */
  send<P extends object, Body>(operation: Operation<P, Body>, params: P, options?: RequestOptions): ApiCall<Body> {
    if (!isOperation(operation)) {
      return new ApiCall<Body>("no operation", () => this.#refuse("send", params, notAnOperation()));
    }
    return new ApiCall<Body>(operation.name, (getMode) => this.#send(operation, params, options, getMode));
  }

  async #send<P extends object, Body>(
    operation: Operation<P, Body>,
    params: P,
    options: RequestOptions | undefined,
    getMode: GetResponseMode,
  ): Promise<CallResult<Body>> {
    const call = await this.#prepare(operation, params, options, wholeResponse);
    // `data` is what the operation's schema describes, as far as `validation` asks for.
    return (await this.#run(call, getMode)) as CallResult<Body>;
  }

  /**
   * Sends an operation whose receiver reads the body of the response.
   *
   * @param how - The media types that the receiver reads, and the hook that receives the function to abort the call.
   */
  async open<P extends object>(
    operation: Operation<P, unknown>,
    params: P,
    options: StreamOptions | undefined,
    how: Pick<CallMode, "accept" | "onStart">,
  ): Promise<StreamingResponse> {
    const call = await this.#prepare(operation, params, options, { ...how, totalTimeout: false, stream: true });
    const { response } = await this.#run(call, () => "stream");
    return streamingResponse(call, toResponse(response));
  }

  /** Returns the milliseconds after which a call that is not retried has ended, whatever the service does; `false` if it has no limit. */
  timeLimit(operation: CalledOperation, options: RequestOptions | undefined): number | false {
    const { timeout = operation.timeout, totalTimeout = defaults.totalTimeout } = callOptions(this.#options, options);
    // The credentials may take as long as the attempt.
    const ends: (number | false)[] = [totalTimeout, timeout === false ? false : 2 * timeout];
    const limits = ends.filter((limit) => limit !== false);
    return limits.length === 0 ? false : Math.min(...limits);
  }

  async #prepare<P extends object>(
    operation: Operation<P, unknown>,
    params: P,
    given: RequestOptions | StreamOptions | undefined,
    mode: CallMode,
  ): Promise<PreparedCall> {
    const startedAt = performance.now();
    try {
      const read = mode.stream ? readStreamOptions : readRequestOptions;
      const own = given === undefined ? undefined : read(operation.name, given);
      refuseBrowser(this.#options);
      const sending = { urls: this.#urls, send: this.#sender(operation.retry), signal: own?.signal, startedAt };
      return await prepareCall(operation, params, callOptions(this.#options, own), sending, mode);
    } catch (error) {
      return this.#refuse(operation.name, params, refusedBeforeSending(error), startedAt);
    }
  }

  /** Reports a call that is not sent, as `#run` reports one that failed. */
  async #refuse(name: string, params: object, error: ServiceApiError, startedAt?: number): Promise<never> {
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
    if (retries === undefined) throw error;
    return await retries.retryWithKy(call, makeAttempt, planRetry(call, error));
  }
}

function notAnOperation(): ConfigurationError {
  return new ConfigurationError(
    "send: the first argument must be an operation that defineOperation() returned. Nothing was sent.",
  );
}
