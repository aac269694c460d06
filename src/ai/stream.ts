import type { Issue, ServiceApiError } from "../errors/base.ts";
import { AbortError, ConfigurationError } from "../errors/request.ts";
import type { OpenCall } from "../transport/open.ts";
import { type StreamContext, type StreamState, stateAfter, streamError } from "./endings.ts";
import { EventFeed } from "./feed.ts";
import { chunkOf, TextParts, textOf } from "./text-parts.ts";
import type { AiEvent, ResponseCompleted } from "./types.ts";

/** What a stream is made from. @internal */
export interface StreamSource {
  /** The operation's name, for errors. */
  readonly operation: string;
  /** Sends the request; called at the first pull. */
  readonly connect: (signal: AbortSignal) => Promise<OpenCall>;
  /** The caller's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** Told once how the stream ended, with the answer where it completed. */
  readonly onEnd?: ((response: ResponseCompleted | undefined) => void) | undefined;
}

/**
 * An answer that is being written (§6.1). The request is sent at the first pull, events are pulled one by one, and the
 * stream ends in exactly one of five ways: it completes, or it throws a {@link StreamFailedError}, a
 * {@link StreamTruncatedError}, a {@link StreamStalledError} or an {@link AbortError}, each with the text so far.
 *
 * It can be read once: as events, as `textStream`, by `finalText()`, or by a relay. `finalText()` and `finalResponse()`
 * may be asked for besides, and then wait for that reader.
 *
 * @example
 * ```ts
 * const stream = api.ai.stream({ user: { text: "Plan a day in Pune" } });
 * for await (const event of stream) {
 *   if (event.event === "response_output") process.stdout.write(event.system.text_chunk);
 * }
 * console.log(stream.contextToken);
 * ```
 */
export class AiStream implements AsyncIterable<AiEvent> {
  readonly #source: StreamSource;
  readonly #controller = new AbortController();
  #state: StreamState = "idle";
  #call: OpenCall | undefined;
  #feed: EventFeed | undefined;
  #pulling: Promise<IteratorResult<AiEvent, undefined>> | undefined;
  #isTaken = false;
  #text = "";
  #chunks = 0;
  #events = 0;
  #contextToken: string | undefined;
  #textMismatch = false;
  #response: ResponseCompleted | undefined;
  #error: ServiceApiError | undefined;
  #isThrown = false;
  #whenEnded: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  /** @internal */
  constructor(source: StreamSource) {
    this.#source = source;
  }

  /** `idle` before the first pull, `streaming`, and then the way it ended. */
  get state(): StreamState {
    return this.#state;
  }

  /** The text of the events that were taken so far; the whole text once the stream has completed. */
  get partialText(): string {
    return this.#text;
  }

  /** The `context_token` of this answer, as soon as an event has told it. */
  get contextToken(): string | undefined {
    return this.#contextToken;
  }

  /** The `client_referenceId` that was sent, once the answer has begun. */
  get clientReferenceId(): string | undefined {
    return this.#call?.clientReferenceId ?? this.#error?.clientReferenceId;
  }

  /** True once the completed text, which is authoritative, turned out to differ from the chunks that came before it. */
  get textMismatch(): boolean {
    return this.#textMismatch;
  }

  /** Gaps, repetitions and late chunks in `sequence_no`, and where events differ from the document without harm; at most 100. */
  get warnings(): readonly Issue[] {
    return this.#feed?.warnings ?? [];
  }

  /**
   * Starts the one reading of this stream.
   *
   * @throws {@link ConfigurationError} when it is read already.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<AiEvent, undefined> {
    if (this.#isTaken) {
      throw new ConfigurationError(
        `${this.#source.operation}: a stream can be read once. Share what you read, or use finalText() beside the reader.`,
      );
    }
    this.#isTaken = true;
    const iterator: AsyncIterableIterator<AiEvent, undefined> = {
      next: () => this.#next(),
      return: async () => {
        this.#leave();
        return finished;
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  /**
   * The text alone, in order and in whole characters: no part begins or ends inside a Devanagari syllable or an emoji.
   *
   * @example
   * ```ts
   * for await (const text of api.ai.stream({ user: { text: "नमस्ते" } }).textStream) process.stdout.write(text);
   * ```
   */
  get textStream(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => textParts(this) };
  }

  /** The whole text, as the service completed it. Reads the stream unless somebody else does. */
  async finalText(): Promise<string> {
    return textOf(await this.finalResponse());
  }

  /** The completed event, which is the whole answer. Reads the stream unless somebody else does. */
  async finalResponse(): Promise<ResponseCompleted> {
    if (!this.#isTaken) {
      for await (const _event of this);
    } else if (!this.#hasEnded) {
      this.#whenEnded ??= Promise.withResolvers<void>();
      await this.#whenEnded.promise;
    }
    if (this.#response === undefined) throw this.#error;
    return this.#response;
  }

  /** Ends the stream and lets go of the connection; who reads it gets an {@link AbortError} with `reason`. */
  abort(reason?: unknown): void {
    if (this.#hasEnded) return;
    this.#controller.abort(reason);
    // While the request is on its way, the transport's own error says how far it had come.
    if (this.#state === "streaming" && this.#feed === undefined) return;
    this.#drain();
    this.#finish("aborted", streamError({ end: "aborted" }, this.#context(), reason));
  }

  get #hasEnded(): boolean {
    return this.#state !== "idle" && this.#state !== "streaming";
  }

  #next(): Promise<IteratorResult<AiEvent, undefined>> {
    if (this.#pulling !== undefined) return this.#pulling.then(this.#nextAgain, this.#nextAgain);
    if (this.#hasEnded) return this.#over();
    const event = this.#feed?.take();
    if (event !== undefined) return Promise.resolve(this.#deliver(event));
    this.#pulling = this.#pull();
    return this.#pulling;
  }

  readonly #nextAgain = (): Promise<IteratorResult<AiEvent, undefined>> => this.#next();

  async #pull(): Promise<IteratorResult<AiEvent, undefined>> {
    try {
      const feed = this.#feed ?? (await this.#connect());
      if (feed !== undefined) await feed.fill();
      const event = this.#hasEnded ? undefined : feed?.take();
      if (event !== undefined) return this.#deliver(event);
      const ending = feed?.ending;
      if (!this.#hasEnded && ending !== undefined && ending.end !== "completed") {
        this.#finish(stateAfter[ending.end], streamError(ending, this.#context(), this.#controller.signal.reason));
      }
      return await this.#over();
    } finally {
      this.#pulling = undefined;
    }
  }

  /** The end: its error once, and nothing from then on. */
  async #over(): Promise<IteratorResult<AiEvent, undefined>> {
    if (this.#error === undefined || this.#isThrown) return finished;
    this.#isThrown = true;
    throw this.#error;
  }

  async #connect(): Promise<EventFeed | undefined> {
    this.#state = "streaming";
    const { signal, connect } = this.#source;
    if (signal?.aborted) this.#onCallerAbort();
    else signal?.addEventListener("abort", this.#onCallerAbort);
    try {
      this.#call = await connect(this.#controller.signal);
      this.#feed = new EventFeed(this.#call);
    } catch (error) {
      this.#finish(AbortError.isInstance(error) ? "aborted" : "failed", error as ServiceApiError);
      return undefined;
    }
    if (this.#controller.signal.aborted) this.#feed.abort();
    return this.#feed;
  }

  readonly #onCallerAbort = (): void => this.abort(this.#source.signal?.reason);

  #deliver(event: AiEvent): IteratorResult<AiEvent, undefined> {
    this.#events++;
    if (event.event === "response_output") {
      this.#chunks++;
      this.#text += chunkOf(event);
    } else if (event.event === "response_initiated" || event.event === "response_completed") {
      if (typeof event.context_token === "string") this.#contextToken = event.context_token;
      if (event.event === "response_completed") this.#complete(event);
    }
    return { done: false, value: event };
  }

  #complete(event: ResponseCompleted): void {
    const text = textOf(event);
    this.#textMismatch = this.#chunks > 0 && this.#text !== text;
    this.#text = text;
    this.#response = event;
    this.#finish("completed");
  }

  /** A reader left by `break`, `return` or `throw`: it does not want to hear of it any more. */
  #leave(): void {
    this.#isThrown = true;
    this.abort();
  }

  /** Keeps the text of what was received and not yet taken. */
  #drain(): void {
    for (let event = this.#feed?.take(); event !== undefined; event = this.#feed?.take()) {
      this.#events++;
      if (event.event === "response_output") this.#text += chunkOf(event);
    }
  }

  #context(): StreamContext {
    return {
      operation: this.#source.operation,
      clientReferenceId: this.#call?.clientReferenceId,
      attempts: this.#call?.attempts,
      outcome: this.#call === undefined ? "notSent" : "unknown",
      partialText: this.#text,
      contextToken: this.#contextToken,
      events: this.#events,
    };
  }

  /** Whatever the end: the connection, the listener and the timers go, and everybody who waits is told. */
  #finish(state: Exclude<StreamState, "idle" | "streaming">, error?: ServiceApiError): void {
    this.#state = state;
    this.#error = error;
    this.#feed?.abort();
    this.#call?.report({
      type: "stream",
      end: state,
      events: this.#events,
      durationMs: performance.now() - this.#call.startedAt,
    });
    this.#call?.close();
    this.#source.signal?.removeEventListener("abort", this.#onCallerAbort);
    this.#source.onEnd?.(this.#response);
    this.#whenEnded?.resolve();
  }
}

const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

async function* textParts(events: AsyncIterable<AiEvent>): AsyncGenerator<string, void, undefined> {
  const parts = new TextParts();
  for await (const event of events) {
    const text = parts.push(event);
    if (text !== "") yield text;
  }
}
