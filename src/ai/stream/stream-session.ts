import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import { defaults } from "../../options.ts";
import { couldNotLoad } from "../../shared/load-parts.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import type { CallResult } from "../../transport/call.ts";
import type { StreamingResponse } from "../../transport/streaming-response.ts";
import type { AiEvent, ResponseCompleted } from "../types.ts";
import type { OpenStream } from "./open-stream.ts";
import { type FailedEnding, type StreamContext, type StreamState, stateOf, streamError } from "./stream-errors.ts";
import { Transcript } from "./transcript.ts";

/** The origin of a stream. */
export interface StreamSource {
  /** The operation's name, for errors. */
  readonly operation: string;
  /**
   * Sends the request; called at the first pull. It passes `onStart` a function that ends the call while it is on its
   * way.
   */
  readonly connect: (onStart: (abort: (reason: unknown) => void) => void) => Promise<StreamingResponse>;
  /** The caller's own signal, which alone governs the call until the stream is open. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the stream has ended, with the response if it completed. */
  readonly onEnd?: ((response: CompletedStream | undefined) => void) | undefined;
}

/** A response that has been streamed to its end. */
type CompletedStream = Pick<CallResult<ResponseCompleted>, "data" | "clientReferenceId" | "warnings">;

/** The result of one pull. */
export type Pulled = IteratorResult<AiEvent, undefined>;

interface PendingPull {
  readonly pulled: Promise<Pulled>;
  /** Held here, so that a reader that nobody else holds does not count as dropped while it waits. */
  readonly reader: object;
}

/** Open streams, whose reader may be dropped without `return`: the connection would stay open as long as the service likes. */
let unread: FinalizationRegistry<StreamSession> | undefined;

/** The life of one stream, from the first pull to its one end. */
export class StreamSession {
  state: StreamState = "idle";
  readonly transcript = new Transcript(defaults.stream.maxEventBytes);
  call: StreamingResponse | undefined;
  open: OpenStream | undefined;
  readonly #operation: string;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: StreamSource["onEnd"];
  /** Dropped once it was called, and the request with it: hundreds of streams may be open. */
  #connectCall: StreamSource["connect"] | undefined;
  #onCallerAbort: (() => void) | undefined;
  #abortCall: ((reason: unknown) => void) | undefined;
  /** The last of the pulls that wait for the network. */
  #lastPull: PendingPull | undefined;
  #isAborted = false;
  #reason: unknown;
  #createError: (() => ServiceApiError) | undefined;
  /** True once the error need not be thrown any more. */
  #isErrorKnown = false;
  #whenEnded: PromiseWithResolvers<void> | undefined;

  constructor(source: StreamSource) {
    this.#operation = source.operation;
    this.#signal = source.signal;
    this.#onEnd = source.onEnd;
    this.#connectCall = source.connect;
  }

  get hasEnded(): boolean {
    return this.state !== "idle" && this.state !== "streaming";
  }

  /** The error of a stream that did not complete. It is created on demand: most who leave a stream do not read it. */
  get error(): ServiceApiError | undefined {
    const error = this.#createError?.();
    if (error !== undefined) this.#createError = () => error;
    return error;
  }

  /** Returns the next event: at once if it has been received. Pulls at the same time queue up. */
  next(reader: object): Promise<Pulled> {
    if (this.#lastPull === undefined) {
      if (this.hasEnded) return this.#over();
      const event = this.open?.take();
      if (event !== undefined) return Promise.resolve(this.#deliver(event));
    }
    const pull = () => this.#pull();
    const pulled = this.#lastPull === undefined ? pull() : this.#lastPull.pulled.then(pull, pull);
    this.#lastPull = { pulled, reader };
    const settled = () => {
      if (this.#lastPull?.pulled === pulled) this.#lastPull = undefined;
    };
    pulled.then(settled, settled);
    return pulled;
  }

  /** Ends the stream from this side and closes the connection. */
  abort(reason?: unknown): void {
    if (this.hasEnded) return;
    this.#isAborted = true;
    this.#reason = reason;
    // While the request is on its way, the transport's own error says how far it had come.
    if (this.state === "streaming" && this.open === undefined) {
      this.#abortCall?.(reason);
      return;
    }
    this.open?.abort();
    for (let event = this.open?.take(); event !== undefined; event = this.open?.take()) {
      this.transcript.addUnread(event);
    }
    this.#fail({ end: "aborted" });
  }

  /** Ends the stream when its reader has been collected as garbage. */
  leaveWithout(reader: object): void {
    // Not on every runtime: workerd without its compatibility flag.
    if (typeof FinalizationRegistry === "undefined") return;
    unread ??= new FinalizationRegistry((stream) => stream.leave());
    unread.register(reader, this, this);
  }

  /** Ends the stream for a reader that left by `break`, `return` or `throw`: the error is not thrown to it. */
  leave(): Promise<Pulled> {
    this.#isErrorKnown = true;
    this.abort();
    return Promise.resolve(finished);
  }

  /**
   * Ends the stream because its reader cannot use an event, and returns the error. One that has ended stays as it is.
   */
  refuse(why: string): ServiceApiError {
    const ending = { end: "damaged", why, body: undefined } as const;
    const error = streamError(ending, this.#context(), undefined);
    if (!this.hasEnded) this.#finish(stateOf.damaged, () => error);
    this.#isErrorKnown = true;
    return error;
  }

  /** Resolves when the stream has ended, in whichever way. */
  ended(): Promise<void> {
    if (this.hasEnded) return Promise.resolve();
    this.#whenEnded ??= Promise.withResolvers<void>();
    return this.#whenEnded.promise;
  }

  async #pull(): Promise<Pulled> {
    if (!this.hasEnded) {
      try {
        const open = this.open ?? (await this.#connect());
        await open?.fill();
      } catch (error) {
        this.#onUnreadable(error);
      }
    }
    if (this.hasEnded) return this.#over();
    const event = this.open?.take();
    if (event !== undefined) return this.#deliver(event);
    const ending = this.open?.ending;
    if (ending !== undefined && ending.end !== "completed") this.#fail(ending);
    return this.#over();
  }

  /** Our code does not throw while it reads a response, but a caller's own `fetch` may return an invalid body. */
  #onUnreadable(error: unknown): void {
    const { call } = this;
    if (call === undefined || this.hasEnded) throw error;
    call.close();
    this.#finish("failed", () => call.misconfigured(error));
  }

  async #connect(): Promise<OpenStream | undefined> {
    const connect = this.#connectCall;
    if (connect === undefined) return undefined;
    this.state = "streaming";
    this.#connectCall = undefined;
    let Reader: typeof OpenStream;
    try {
      // Before anything is sent: without it a response could not be read.
      Reader = loadedReader() ?? (await loadReader(this.#operation));
      this.call = await connect((abort) => {
        this.#abortCall = abort;
        if (this.#isAborted) abort(this.#reason);
      });
    } catch (error) {
      this.#finish(AbortError.isInstance(error) ? "aborted" : "failed", () => error as ServiceApiError);
      return undefined;
    }
    this.#abortCall = undefined;
    this.open = new Reader(this.call);
    this.transcript.maxLength = this.open.maxEventBytes;
    // From here on an abort goes to the stream itself, also one that came too late for the call.
    this.#followCaller();
    if (this.#isAborted) this.abort(this.#reason);
    return this.open;
  }

  #followCaller(): void {
    const signal = this.#signal;
    if (signal === undefined) return;
    this.#onCallerAbort = () => this.abort(signal.reason);
    signal.addEventListener("abort", this.#onCallerAbort);
    if (signal.aborted) this.#onCallerAbort();
  }

  #deliver(event: AiEvent): Pulled {
    this.transcript.add(event);
    if (event.event === "response_completed") {
      this.transcript.response = event;
      this.#finish("completed");
    }
    return { done: false, value: event };
  }

  #fail(ending: FailedEnding): void {
    const context = this.#context();
    this.#finish(stateOf[ending.end], () => streamError(ending, context, this.#reason));
  }

  #context(): StreamContext {
    const { text, contextToken, events, hasBegun } = this.transcript;
    return {
      operation: this.#operation,
      clientReferenceId: this.call?.clientReferenceId,
      attempts: this.call?.attempts,
      requestId: this.call?.requestId,
      outcome: this.call === undefined ? "notSent" : "unknown",
      partialText: text,
      contextToken,
      events,
      hasBegun,
    };
  }

  /** At every end the connection, the listener and the timers go, and whoever waits is called. */
  #finish(state: Exclude<StreamState, "idle" | "streaming">, createError?: () => ServiceApiError): void {
    const { call, open, transcript } = this;
    this.state = state;
    this.#createError = createError;
    unread?.unregister(this);
    open?.abort();
    if (this.#onCallerAbort !== undefined) this.#signal?.removeEventListener("abort", this.#onCallerAbort);
    const { events, response } = transcript;
    call?.report({ type: "stream", end: state, events, duration: performance.now() - call.startedAt });
    this.#whenEnded?.resolve();
    const { clientReferenceId } = call ?? {};
    this.#onEnd?.(response && { data: response, clientReferenceId, warnings: open?.warnings ?? [] });
  }

  /** Throws the error the first time, and returns the end from then on. */
  #over(): Promise<Pulled> {
    if (this.#createError === undefined || this.#isErrorKnown) return Promise.resolve(finished);
    this.#isErrorKnown = true;
    const rejected = Promise.reject<Pulled>(this.error);
    ignoreRejection(rejected);
    return rejected;
  }
}

/** The result of every pull after the end. */
const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

let reader: typeof OpenStream | undefined;

/** Returns the reader of responses, if it has been loaded: no stream but the first waits for it. */
export function loadedReader(): typeof OpenStream | undefined {
  return reader;
}

/**
 * Loads the reader of responses: framing, parsing and order, which a program without streams does not need.
 *
 * @throws ConfigurationError if it cannot be loaded.
 */
export async function loadReader(operation: string): Promise<typeof OpenStream> {
  try {
    reader = (await import("./open-stream.ts")).OpenStream;
    return reader;
  } catch (cause) {
    throw couldNotLoad(`${operation}: the part of this package that reads streams`, cause);
  }
}
