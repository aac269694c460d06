import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import type { StreamingResponse } from "../../transport/streaming-response.ts";
import { chunkOf, textOf } from "../text/event-text.ts";
import type { AiEvent, ResponseCompleted } from "../types.ts";
import { forgetReader } from "./dropped-readers.ts";
import { type Ending, EventFeed } from "./event-decoder.ts";
import { PartialText } from "./partial-text.ts";
import { type StreamContext, type StreamState, stateAfter, streamError } from "./stream-errors.ts";

/** What a stream is made from. */
export interface StreamSource {
  /** The operation's name, for errors. */
  readonly operation: string;
  /** Sends the request; called at the first pull. `onStart` is told how to end the call while it is on its way. */
  readonly connect: (onStart: (abort: (reason: unknown) => void) => void) => Promise<StreamingResponse>;
  /** The caller's own signal, which governs the call by itself until it is open. */
  readonly signal?: AbortSignal | undefined;
  /** Told once how the stream ended, with the answer where it completed. */
  readonly onEnd?:
    | ((response: ResponseCompleted | undefined, clientReferenceId: string | undefined) => void)
    | undefined;
}

/** What one pull gives. */
export type Pulled = IteratorResult<AiEvent, undefined>;

interface Waiting {
  readonly pulled: Promise<Pulled>;
  /** Held here, so that a reader that nobody else holds does not count as dropped while it waits. */
  readonly reader: object;
}

/** The life of one stream, from the first pull to the one end, and what has been read of it so far. */
export class Reading {
  state: StreamState = "idle";
  textMismatch = false;
  /** What the completed text, which is authoritative (docs/assumptions.md, I3), has beyond the chunks; empty where it differs otherwise. */
  remainder = "";
  contextToken: string | undefined;
  response: ResponseCompleted | undefined;
  feed: EventFeed | undefined;
  call: StreamingResponse | undefined;
  readonly #source: StreamSource;
  #abortCall: ((reason: unknown) => void) | undefined;
  /** The last of the pulls that wait for the network. */
  #tail: Waiting | undefined;
  #isAborted = false;
  #reason: unknown;
  #error: (() => ServiceApiError) | undefined;
  #partial = new PartialText(undefined);
  #events = 0;
  #chunks = 0;
  #isThrown = false;
  #whenEnded: PromiseWithResolvers<void> | undefined;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  /** The text so far; the whole text once it has completed. */
  get text(): string {
    return this.response === undefined ? this.#partial.text : textOf(this.response);
  }

  get hasEnded(): boolean {
    return this.state !== "idle" && this.state !== "streaming";
  }

  /** Why it did not complete. It is made when somebody asks: most who leave a stream do not. */
  get error(): ServiceApiError | undefined {
    const error = this.#error?.();
    if (error !== undefined) this.#error = () => error;
    return error;
  }

  /** The next event. Events that are here already are given without a detour; pulls at the same time queue up. */
  next(reader: object): Promise<Pulled> {
    if (this.#tail === undefined) {
      if (this.hasEnded) return this.#over();
      const event = this.feed?.take();
      if (event !== undefined) return Promise.resolve(this.#deliver(event));
    }
    const pulled = this.#tail === undefined ? this.#pull() : this.#tail.pulled.then(this.#pull, this.#pull);
    this.#tail = { pulled, reader };
    const settled = () => {
      if (this.#tail?.pulled === pulled) this.#tail = undefined;
    };
    pulled.then(settled, settled);
    return pulled;
  }

  /** Ends the stream from this side and lets go of the connection. */
  abort(reason?: unknown): void {
    if (this.hasEnded) return;
    this.#isAborted = true;
    this.#reason = reason;
    // While the request is on its way, the transport's own error says how far it had come.
    if (this.state === "streaming" && this.feed === undefined) {
      this.#abortCall?.(reason);
      return;
    }
    // What is held back for its turn comes out first.
    this.feed?.abort();
    this.#drain();
    this.#fail({ end: "aborted" });
  }

  /** A reader left by `break`, `return` or `throw`: it does not want to hear of it any more. */
  leave(): void {
    this.#isThrown = true;
    this.abort();
  }

  /** Ends the stream because of an event that its reader cannot use; one that has ended stays as it is. */
  refuse(why: string): ServiceApiError {
    const ending = { end: "damaged", why, body: undefined } as const;
    const error = streamError(ending, this.#context(), undefined);
    if (!this.hasEnded) this.#finish(stateAfter.damaged, () => error);
    this.#isThrown = true;
    return error;
  }

  /** Resolves when the stream has ended, however. */
  ended(): Promise<void> {
    if (this.hasEnded) return Promise.resolve();
    this.#whenEnded ??= Promise.withResolvers<void>();
    return this.#whenEnded.promise;
  }

  readonly #onCallerAbort = (): void => this.abort(this.#source.signal?.reason);

  readonly #pull = async (): Promise<Pulled> => {
    if (!this.hasEnded) await this.#fill();
    if (this.hasEnded) return this.#over();
    const event = this.feed?.take();
    if (event !== undefined) return this.#deliver(event);
    const ending = this.feed?.ending;
    if (ending !== undefined && ending.end !== "completed") this.#fail(ending);
    return this.#over();
  };

  /** Waits until there is an event to take, or the end. */
  async #fill(): Promise<void> {
    try {
      const feed = this.feed ?? (await this.#connect());
      await feed?.fill();
    } catch (error) {
      // Nothing of ours throws here, but a `fetch` of the caller's own may give a body that is none.
      const { call } = this;
      if (call === undefined || this.hasEnded) throw error;
      call.close();
      this.#finish("failed", () => call.misconfigured(error));
    }
  }

  async #connect(): Promise<EventFeed | undefined> {
    this.state = "streaming";
    const { signal, connect } = this.#source;
    try {
      this.call = await connect((abort) => {
        this.#abortCall = abort;
      });
    } catch (error) {
      this.#finish(AbortError.isInstance(error) ? "aborted" : "failed", () => error as ServiceApiError);
      return undefined;
    }
    this.#abortCall = undefined;
    this.feed = new EventFeed(this.call);
    this.#partial = new PartialText(this.call.options.maxEventBytes);
    // From here on an abort goes to the feed itself, also one that came too late for the call.
    signal?.addEventListener("abort", this.#onCallerAbort);
    if (signal?.aborted) this.#onCallerAbort();
    else if (this.#isAborted) this.abort(this.#reason);
    return this.feed;
  }

  #deliver(event: AiEvent): Pulled {
    this.#note(event);
    if (event.event === "response_completed") this.#complete(event);
    return { done: false, value: event };
  }

  #note(event: AiEvent): void {
    this.#events++;
    if (event.event === "response_output") {
      this.#chunks++;
      this.#partial.add(chunkOf(event));
    } else if ("context_token" in event && typeof event.context_token === "string") {
      this.contextToken = event.context_token;
    }
  }

  #complete(event: ResponseCompleted): void {
    const { text, isWhole } = this.#partial;
    const whole = textOf(event);
    this.textMismatch = this.#chunks > 0 && !(isWhole && text === whole);
    if (isWhole && whole.startsWith(text)) this.remainder = whole.slice(text.length);
    this.response = event;
    this.#finish("completed");
  }

  /** Keeps what was received and not yet taken. */
  #drain(): void {
    for (let event = this.feed?.take(); event !== undefined; event = this.feed?.take()) {
      this.#note(event);
      if (event.event === "response_completed") this.#partial.text = textOf(event);
    }
  }

  #fail(ending: Exclude<Ending, { readonly end: "completed" }>): void {
    const context = this.#context();
    this.#finish(stateAfter[ending.end], () => streamError(ending, context, this.#reason));
  }

  #context(): StreamContext {
    return {
      operation: this.#source.operation,
      clientReferenceId: this.call?.clientReferenceId,
      attempts: this.call?.attempts,
      outcome: this.call === undefined ? "notSent" : "unknown",
      partialText: this.text,
      contextToken: this.contextToken,
      events: this.#events,
    };
  }

  /** Whatever the end: the connection, the listener and the timers go, and everybody who waits is told. */
  #finish(state: Exclude<StreamState, "idle" | "streaming">, error?: () => ServiceApiError): void {
    this.state = state;
    this.#error = error;
    forgetReader(this);
    if (this.feed !== undefined) {
      this.feed.abort();
      this.#source.signal?.removeEventListener("abort", this.#onCallerAbort);
    }
    const { call } = this;
    call?.report({ type: "stream", end: state, events: this.#events, duration: performance.now() - call.startedAt });
    this.#whenEnded?.resolve();
    this.#source.onEnd?.(this.response, call?.clientReferenceId);
  }

  /** The end: its error once, and nothing from then on. */
  #over(): Promise<Pulled> {
    if (this.#error === undefined || this.#isThrown) return Promise.resolve(finished);
    this.#isThrown = true;
    return withoutWarning(Promise.reject(this.error));
  }
}

/** What every pull after the end gives. */
export const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A promise that is made now and awaited later must not be an unhandled rejection in between. */
export function withoutWarning<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
