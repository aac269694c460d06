import { readRequestOptions, readStreamOptions } from "../check-options.ts";
import { ServiceApiError } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import type { PartialStream } from "../errors/stream.ts";
import { isOperation, type Operation, type RetryClass } from "../operation.ts";
import type { ClientOptions, RequestOptions, StreamOptions } from "../options.ts";
import { ignoreRejection } from "../shared/ignore-rejection.ts";
import { type Answer, attempt } from "./attempt.ts";
import { ApiCall, type AskWant } from "./call.ts";
import { Lifetime } from "./cancellation.ts";
import { givenReference } from "./check-params.ts";
import * as failures from "./create-error.ts";
import { type Credentials, readCredentials } from "./credentials.ts";
import { createReporter } from "./log.ts";
import {
  type CalledOperation,
  layer,
  type PreparedCall,
  prepareBaseUrl,
  prepareBody,
  prepareHeaders,
  prepareParams,
  prepareUrl,
  refuseBrowser,
} from "./prepare.ts";
import { secretsOf, summarize } from "./redact.ts";
import { planRetry } from "./retry.ts";
import { createSendOnce, type SendOnce } from "./runtime-fetch.ts";
import { type OpenCall, openCall } from "./streaming-response.ts";

/** What differs between an answer that is read here and one that is read by a stream. */
interface CallMode {
  readonly accept: string;
  readonly totalTimeout: number | false;
  readonly stream: boolean;
  /** Told, before anything is sent, how to end the call. */
  readonly onStart?: ((abort: (reason: unknown) => void) => void) | undefined;
}

const wholeAnswer: CallMode = { accept: "application/json", totalTimeout: 180_000, stream: false };
/** What is there of a stream that has not begun. */
const nothing: PartialStream = { partialText: "", contextToken: undefined, events: 0 };

/** The one road that every request takes: params → autofill → attempt (→ ky → attempt) → body → envelope → schema → caller. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #senders = new Map<RetryClass, SendOnce>();
  #baseUrl: string | undefined;
  #urls = new Map<CalledOperation, string>();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Sends an operation; see {@link ApiCall}. */
  send<P extends object, Body>(operation: Operation<P, Body>, params: P, options?: RequestOptions): ApiCall<Body> {
    const name = isOperation(operation) ? operation.name : undefined;
    return new ApiCall<Body>(name ?? "no operation", async (want) => {
      if (name === undefined) {
        throw new ConfigurationError(
          "send: the first argument must be what defineOperation() returned. Nothing was sent.",
        );
      }
      const call = await this.#prepare(operation, params, options, wholeAnswer).catch(rethrowTyped);
      try {
        // `data` is what the operation's schema describes, as far as `validation` asks for.
        return (await this.#run(call, want)) as Answer & { readonly data: Body };
      } finally {
        if ((await want()) === "body") call.lifetime.close();
      }
    });
  }

  /**
   * Sends an operation whose answer's body the receiver reads by itself.
   *
   * @param how - The media types that the receiver reads, and what is told how to end the call.
   */
  async open<P extends object>(
    operation: Operation<P, unknown>,
    params: P,
    options: StreamOptions | undefined,
    how: Pick<CallMode, "accept" | "onStart">,
  ): Promise<OpenCall> {
    const mode: CallMode = { ...how, totalTimeout: false, stream: true };
    const call = await this.#prepare(operation, params, options, mode).catch(rethrowTyped);
    const { response } = await this.#run(call, () => "stream");
    return openCall(call, response);
  }

  /** Milliseconds after which a call that is not retried has ended, whatever the service does; `false` for never. */
  timeLimit(operation: CalledOperation, options: RequestOptions | undefined): number | false {
    const layered = layer(this.#options, options);
    const { timeout = operation.timeout, totalTimeout = wholeAnswer.totalTimeout } = layered;
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
    const readOptions = mode.stream ? readStreamOptions : readRequestOptions;
    const callOptions = given === undefined ? undefined : readOptions(operation.name, given);
    refuseBrowser(this.#options);
    const options = layer(this.#options, callOptions);
    const fields = prepareParams(operation, params, options);
    const url = this.#urlOf(operation);
    const lifetime = startLifetime(callOptions?.signal, options, mode);
    mode.onStart?.(lifetime.abort);
    const received = mode.stream ? nothing : undefined;
    const progress = { lifetime, received, attempts: 0, inFlight: false, mayHaveActed: false };
    try {
      const read = readCredentials(options);
      const credentials =
        read instanceof Promise ? await waitForCredentials(read, lifetime, options.timeout ?? operation.timeout) : read;
      const body = prepareBody(operation, fields, options, credentials);
      const secrets = secretsOf(credentials.clientSecret, options.headers);
      const clientReferenceId = typeof body.client_referenceId === "string" ? body.client_referenceId : undefined;
      return {
        ...progress,
        operation,
        clientReferenceId,
        options,
        url,
        headers: prepareHeaders(options, credentials, mode.accept),
        body,
        json: JSON.stringify(body),
        secrets,
        reporter: createReporter(options, operation.name, clientReferenceId, secrets),
        send: this.#sender(operation.retry),
        startedAt,
        sentAt: 0,
      };
    } catch (error) {
      lifetime.close();
      if (lifetime.ending === undefined) throw error;
      throw failures.ended({ ...progress, operation, clientReferenceId: givenReference(fields) }, lifetime.ending);
    }
  }

  /** Attempts the call until there is a response or a reason to stop. */
  async #run(call: PreparedCall, want: AskWant): Promise<Answer> {
    try {
      return await attemptAndRetry(call, () => attempt(call, want));
    } catch (error) {
      call.lifetime.close();
      throw explain(call, error);
    }
  }

  /** Checked once for each base address, which the environment may change. */
  #urlOf(operation: CalledOperation): string {
    const baseUrl = prepareBaseUrl(this.#options);
    if (baseUrl !== this.#baseUrl) {
      this.#baseUrl = baseUrl;
      this.#urls = new Map();
    }
    const url = this.#urls.get(operation) ?? prepareUrl(operation, this.#options, baseUrl);
    this.#urls.set(operation, url);
    return url;
  }

  #sender(retry: RetryClass): SendOnce {
    const sender = this.#senders.get(retry) ?? createSendOnce(this.#options.fetch, retry);
    this.#senders.set(retry, sender);
    return sender;
  }
}

/** The deadline of a whole stream runs from the call on; what is left of it once the answer begins is the receiver's. */
function startLifetime(
  signal: AbortSignal | undefined,
  { totalTimeout, streamTimeout = false }: StreamOptions,
  mode: CallMode,
): Lifetime {
  const total = totalTimeout ?? mode.totalTimeout;
  const isStreamFirst = mode.stream && streamTimeout !== false && (total === false || streamTimeout < total);
  return isStreamFirst ? new Lifetime(signal, streamTimeout, "stream") : new Lifetime(signal, total);
}

/** A function that never answers is held to the attempt's own deadline. */
async function waitForCredentials(
  asked: Promise<Credentials>,
  lifetime: Lifetime,
  timeout: number | false,
): Promise<Credentials> {
  lifetime.beginAttempt(timeout);
  lifetime.phase = "credentials";
  const credentials = await lifetime.wait(asked);
  lifetime.endAttempt();
  return credentials;
}

/** The first attempt goes straight down the road; ky conducts the rest, and is loaded by the first call that needs it. */
async function attemptAndRetry(call: PreparedCall, send: () => Promise<Answer>): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    const delayMs = planRetry(call, error);
    const { retryWithKy } = await call.lifetime.wait(import("./retries.ts"));
    return await retryWithKy(call, send, delayMs);
  }
}

/** The error that the caller sees. */
function explain(call: PreparedCall, error: unknown): ServiceApiError {
  const failure = ServiceApiError.isInstance(error) ? error : stoppedOrBroken(call, error);
  // Before the first attempt the operation knows nothing that the error does not say.
  const explained = failure.outcome === "unknown" && call.attempts > 0 ? explainUnknown(call, failure) : failure;
  call.reporter.failed(explained);
  return explained;
}

/** An explanation that itself fails must not hide what it was to explain. */
function explainUnknown(call: PreparedCall, failure: ServiceApiError): ServiceApiError {
  try {
    const explained: unknown = call.operation.toUnknownOutcomeError?.(failure, call);
    ignoreRejection(explained);
    return ServiceApiError.isInstance(explained) ? explained : failure;
  } catch {
    return failure;
  }
}

/** A pause that had to stop; anything else is a fault of a function that the caller gave. */
function stoppedOrBroken(call: PreparedCall, error: unknown): ServiceApiError {
  const { ending } = call.lifetime;
  return ending === undefined ? failures.misconfigured(call, error) : failures.ended(call, ending);
}

/** Before anything is sent only a schema or function that the caller gave can throw an error that is not ours. */
function rethrowTyped(error: unknown): never {
  if (ServiceApiError.isInstance(error)) throw error;
  throw new ConfigurationError("A schema or function that was given to this library threw; nothing was sent.", {
    cause: summarize(error, []),
  });
}
