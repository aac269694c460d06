import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import { defaults, type StreamOptions } from "../../options.ts";
import { loadParts } from "../../shared/load-parts.ts";
import type { CallResult } from "../../transport/call.ts";
import { callbackError, redactedRequestId } from "../../transport/errors/details.ts";
import type { OpenCall } from "../../transport/request.ts";
import { chunkOf, fullTextOf } from "../events.ts";
import type { AiEvent, ResponseCompleted } from "../types.ts";
import type { OpenStream } from "./open-stream.ts";
import { type FailedEnding, type StreamContext, type StreamState, stateOf, streamError } from "./stream-errors.ts";

/** The origin of a stream. */
export interface StreamSource {
  /** The operation's name, for errors. */
  readonly operation: string;
  /**
   * Sends the request; called at the first pull. It passes `onStart` a function that ends the call while it is on its
   * way.
   */
  readonly connect: (onStart: (abort: (reason: unknown) => void) => void) => Promise<OpenCall>;
  /** The caller's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the stream has ended, with the response if it completed. */
  readonly onEnd?: ((response: CompletedStream | undefined) => void) | undefined;
}

/** The options of a stream as they were at the call. */
export interface TakenOptions<Options> {
  readonly signal: AbortSignal | undefined;
  /** Returns the checked copy, or throws the error of the check: a stream fails when it is read. */
  readonly read: () => Options;
}

/** Checks the options of a stream at the call, although the request is sent at the first pull. */
export function takeOptions<Options extends StreamOptions>(check: () => Options): TakenOptions<Options> {
  try {
    const options = check();
    if (options.extraBody !== undefined) Object.assign(options, { extraBody: copyOf(options.extraBody) });
    return { signal: options.signal, read: () => options };
  } catch (error) {
    return {
      signal: undefined,
      read: () => {
        throw error;
      },
    };
  }
}

/** Returns a copy: the caller may change the object before the first pull. Anything that has none is refused then. */
export function copyOf<T>(value: T): T {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

/** A response that has been streamed to its end. */
type CompletedStream = Pick<CallResult<ResponseCompleted>, "data" | "clientReferenceId" | "warnings">;

/** The result of one pull. */
export type Pulled = IteratorResult<AiEvent, undefined>;

/** The result of every pull after the end. */
const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The life of one stream, from the first pull to its one end. */
export class StreamSession {
  state: StreamState = "idle";
  readonly transcript = new Transcript();
  call: OpenCall | undefined;
  open: OpenStream | undefined;
  readonly #operation: string;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: StreamSource["onEnd"];
  /** Dropped once it was called, and the request with it: hundreds of streams may be open. */
  #connectCall: StreamSource["connect"] | undefined;
  #abortCall: ((reason: unknown) => void) | undefined;
  readonly #onCallerAbort = () => this.abort(this.#signal?.reason);
  /** The last of the pulls that wait for the network. */
  #lastPull: Promise<unknown> | undefined;
  #isAborted = false;
  #reason: unknown;
  #createError: (() => ServiceApiError) | undefined;
  /** True once the error need not be thrown any more. */
  #isErrorKnown = false;
  #whenEnded: PromiseWithResolvers<void> | undefined;

  constructor({ operation, connect, signal, onEnd }: StreamSource) {
    this.#operation = operation;
    this.#connectCall = connect;
    this.#signal = signal;
    this.#onEnd = onEnd;
  }

  get hasEnded(): boolean {
    return this.state !== "idle" && this.state !== "streaming";
  }

  /** The ID that the service, or a gateway before it, gave the request, if it has one. */
  get requestId(): string | undefined {
    return this.call && redactedRequestId(this.call.response, this.call.secrets);
  }

  /** The error of a stream that did not complete. It is created on demand: most who leave a stream do not read it. */
  get error(): ServiceApiError | undefined {
    const error = this.#createError?.();
    if (error !== undefined) this.#createError = () => error;
    return error;
  }

  /**
   * Returns the next event: at once if it has been received. Pulls at the same time queue up. The error of the stream
   * is thrown once; after that, and after every other end, there is no event.
   */
  next(): Promise<Pulled> {
    const event = this.#lastPull === undefined && !this.hasEnded ? this.open?.take() : undefined;
    if (event !== undefined) return Promise.resolve(this.#deliver(event));
    return this.#inTurn(() => this.#pull());
  }

  /** Resolves when there is an event to read, and rejects with the error of a stream that has failed before one. */
  ready(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#fill();
      const { error } = this;
      if (error !== undefined) throw error;
    });
  }

  #inTurn<T>(pull: () => Promise<T>): Promise<T> {
    const pulled = this.#lastPull === undefined ? pull() : this.#lastPull.then(pull, pull);
    this.#lastPull = pulled;
    const settled = () => {
      if (this.#lastPull === pulled) this.#lastPull = undefined;
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

  /** Ends the stream for a reader that left by `break`, `return` or `throw`: the error is not thrown to it. */
  async leave(): Promise<Pulled> {
    this.#isErrorKnown = true;
    this.abort();
    await this.ended();
    return finished;
  }

  /** Ends the stream because its reader cannot pass it on, and returns the error. One that has ended stays as it is. */
  refuse(ending: Extract<FailedEnding, { end: "damaged" | "unfinished" }>): ServiceApiError {
    const error = streamError(ending, this.#context(), undefined);
    if (!this.hasEnded) this.#finish(stateOf.damaged, () => error);
    this.#isErrorKnown = true;
    return error;
  }

  /** Resolves when the stream has ended, in whichever way. */
  async ended(): Promise<void> {
    if (this.hasEnded) return;
    this.#whenEnded ??= Promise.withResolvers<void>();
    await this.#whenEnded.promise;
  }

  async #pull(): Promise<Pulled> {
    await this.#fill();
    const event = this.hasEnded ? undefined : this.open?.take();
    if (event !== undefined) return this.#deliver(event);
    if (this.#createError === undefined || this.#isErrorKnown) return finished;
    this.#isErrorKnown = true;
    throw this.error;
  }

  /** Waits for the network, until there is an event to take or the stream has failed. */
  async #fill(): Promise<void> {
    try {
      if (this.state === "idle") await this.#connect();
      if (!this.hasEnded) await this.open?.fill();
    } catch (error) {
      this.#onUnreadable(error);
    }
    const { hasEvent, ending } = this.open ?? {};
    if (!this.hasEnded && !hasEvent && ending !== undefined && ending.end !== "completed") this.#fail(ending);
  }

  async #connect(): Promise<void> {
    const connect = this.#connectCall;
    if (connect === undefined) return;
    this.state = "streaming";
    this.#connectCall = undefined;
    let Reader: typeof OpenStream;
    try {
      // Before anything is sent: without it a response could not be read.
      ({ OpenStream: Reader } = await loadParts(import("./open-stream.ts")));
      this.call = await connect((abort) => {
        this.#abortCall = abort;
        if (this.#isAborted) abort(this.#reason);
      });
    } catch (error) {
      this.#finish(AbortError.isInstance(error) ? "aborted" : "failed", () => error as ServiceApiError);
      return;
    }
    this.#abortCall = undefined;
    this.open = new Reader(this.call);
    this.transcript.maxLength = this.open.maxEventBytes;
    // From here on an abort goes to the stream itself, also one that came too late for the call.
    this.#signal?.addEventListener("abort", this.#onCallerAbort);
    if (this.#signal?.aborted) this.#onCallerAbort();
    if (this.#isAborted) this.abort(this.#reason);
  }

  /** Our code does not throw while it reads a response, but a caller's own `fetch` may return an invalid body. */
  #onUnreadable(error: unknown): void {
    const { call } = this;
    if (call === undefined || this.hasEnded) throw error;
    call.scope.cancelAttempt();
    this.#finish("failed", () => callbackError(call, error));
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
      attempts: this.call?.progress.attempts,
      requestId: this.requestId,
      outcome: this.call === undefined ? "notSent" : "unknown",
      partialText: text,
      contextToken,
      events,
      hasBegun,
    };
  }

  /**
   * At every end the listener and the timers go, and whoever waits is called. The connection is closed, unless the body of
   * a response that is complete can be drained at once.
   */
  #finish(state: Exclude<StreamState, "idle" | "streaming">, createError?: () => ServiceApiError): void {
    const { call, open, transcript } = this;
    this.state = state;
    this.#createError = createError;
    open?.abort();
    this.#signal?.removeEventListener("abort", this.#onCallerAbort);
    const { events, response } = transcript;
    call?.reporter?.report({ type: "stream", end: state, events, duration: performance.now() - call.startedAt });
    this.#whenEnded?.resolve();
    const { clientReferenceId } = call ?? {};
    this.#onEnd?.(response && { data: response, clientReferenceId, warnings: open?.warnings ?? [] });
  }
}

/**
 * A record of the events that have been read, after an abort also of those that were received: their number, their
 * text, the token of the response.
 *
 * The text of the chunks is bounded: text that is longer than the largest event cannot be completed, because
 * `response_completed` holds all of it.
 */
class Transcript {
  /** The number of events. */
  events = 0;
  contextToken: string | undefined;
  /** The completed event, if it has been read. */
  response: ResponseCompleted | undefined;
  /** The length up to which the text of the chunks is kept. */
  maxLength: number = defaults.stream.maxEventBytes;
  #text = "";
  #hasChunks = false;

  /** The text so far; the whole text once it has completed. */
  get text(): string {
    return this.response === undefined ? this.#text : fullTextOf(this.response);
  }

  /** Whether a token or a chunk of the response has come. */
  get hasBegun(): boolean {
    return this.#hasChunks || this.contextToken !== undefined;
  }

  // Compared on demand: joining thousands of chunks costs as much as reading them.

  /** True if the completed text, which is authoritative (docs/assumptions.md, I3), differs from the chunks. */
  get textMismatch(): boolean {
    return this.response !== undefined && this.#hasChunks && this.#text !== this.text;
  }

  /** The part of the completed text that goes beyond the chunks; empty if it differs otherwise. */
  get remainder(): string {
    if (this.response === undefined || !this.text.startsWith(this.#text)) return "";
    return this.text.slice(this.#text.length);
  }

  add(event: AiEvent): void {
    this.events++;
    if (event.event === "response_output") {
      this.#hasChunks = true;
      this.#text += chunkOf(event).slice(0, this.maxLength - this.#text.length);
    } else if ("context_token" in event && typeof event.context_token === "string") {
      this.contextToken = event.context_token;
    }
  }

  /** Adds an event that was received and will not be read any more. */
  addUnread(event: AiEvent): void {
    this.add(event);
    if (event.event === "response_completed") this.#text = fullTextOf(event);
  }
}
