import type { Issue } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import {
  type RelayOptions,
  type RelayResponseOptions,
  readRelayOptions,
  readRelayResponseOptions,
} from "../relay/options.ts";
import { relayBody, relayResponse } from "../relay/relay.ts";
import { textOf } from "../text/event-text.ts";
import { TextIterator } from "../text/text-stream.ts";
import type { AiEvent, ResponseCompleted } from "../types.ts";
import { EventReader } from "./event-reader.ts";
import type { StreamState } from "./stream-errors.ts";
import { Reading, type StreamSource, withoutWarning } from "./stream-session.ts";

/**
 * An answer that is being written (§6.1). The request is sent at the first pull, events are pulled one by one, and the
 * stream ends in exactly one of five ways: it completes, or its reader gets a {@link StreamFailedError}, a
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
  readonly #operation: string;
  readonly #reading: Reading;
  #isTaken = false;

  /** @internal */
  constructor(source: StreamSource) {
    this.#operation = source.operation;
    this.#reading = new Reading(source);
  }

  /** `idle` before the first pull, `streaming`, and then the way it ended. */
  get state(): StreamState {
    return this.#reading.state;
  }

  /** The text of the events that were taken so far; the whole text once the stream has completed. */
  get partialText(): string {
    return this.#reading.text;
  }

  /** The `context_token` of this answer, as soon as an event has told it. */
  get contextToken(): string | undefined {
    return this.#reading.contextToken;
  }

  /** The `client_referenceId` that was sent, once the answer has begun or the call has failed. */
  get clientReferenceId(): string | undefined {
    return this.#reading.call?.clientReferenceId ?? this.#reading.error?.clientReferenceId;
  }

  /** True once the completed text, which is authoritative, turned out to differ from the chunks before it. */
  get textMismatch(): boolean {
    return this.#reading.textMismatch;
  }

  /** Gaps, repetitions and late chunks in `sequence_no`, and where events differ from the document without harm; at most 100. */
  get warnings(): readonly Issue[] {
    return this.#reading.feed?.warnings ?? [];
  }

  /**
   * Starts the one reading of this stream.
   *
   * @throws {@link ConfigurationError} when it is read already.
   */
  [Symbol.asyncIterator](): AiEventIterator {
    return this.#take();
  }

  #take(): EventReader {
    if (this.#isTaken) {
      throw new ConfigurationError(
        `${this.#operation}: a stream can be read once. Share what you read, or ask for finalText() beside the reader.`,
      );
    }
    this.#isTaken = true;
    return new EventReader(this.#reading);
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
    return { [Symbol.asyncIterator]: () => new TextIterator(this.#take()) };
  }

  /** Returns the whole text, as the service completed it. Reads the stream as {@link finalResponse} does. */
  finalText(): Promise<string> {
    return withoutWarning(this.#final().then(textOf));
  }

  /**
   * Returns the completed event, which is the whole response. It waits for another reader, if there is one or the caller
   * starts one before its next `await`; otherwise it reads the stream itself. It may be called now and awaited later.
   */
  finalResponse(): Promise<ResponseCompleted> {
    return withoutWarning(this.#final());
  }

  async #final(): Promise<ResponseCompleted> {
    const reading = this.#reading;
    // `stream.finalText().then(save); return stream.toResponse();` leaves the reading to the response.
    await undefined;
    if (this.#isTaken || reading.hasEnded) await reading.ended();
    else for await (const _event of this);
    if (reading.response === undefined) throw reading.error;
    return reading.response;
  }

  /**
   * Passes the stream on as bytes: server-sent events, unless `options.format` says otherwise. This is the one reading of
   * the stream; the call is made when the first byte is asked for, and a reader who leaves ends it.
   *
   * @throws {@link ConfigurationError} for an unknown option or an impossible value, and when the stream is read already.
   */
  toReadableStream(options: RelayOptions = {}): ReadableStream<Uint8Array> {
    const checked = readRelayOptions(`${this.#operation}: toReadableStream`, options);
    return relayBody(this.#take(), checked);
  }

  /**
   * Passes the stream on as the response of a route handler (Next.js, Hono, SvelteKit, Deno, Bun, Workers).
   *
   * @param options - The format, the heartbeat, further headers.
   * @throws {@link ConfigurationError} as {@link toReadableStream} does.
   *
   * @example
   * ```ts
   * export async function POST(request: Request): Promise<Response> {
   *   const { text } = (await request.json()) as { text: string };
   *   return api.ai.stream({ user: { text } }).toResponse({ format: "sse" });
   * }
   * ```
   */
  toResponse(options: RelayResponseOptions = {}): Response {
    const checked = readRelayResponseOptions(`${this.#operation}: toResponse`, options);
    return relayResponse(this.#take(), checked);
  }

  /** Ends the stream and lets go of the connection; who reads it gets an {@link AbortError} with this `reason`. */
  abort(reason?: unknown): void {
    this.#reading.abort(reason);
  }
}

/**
 * The events of a stream, one at a time.
 *
 * An interface of its own, because `AsyncIterableIterator` took a second type argument only with TypeScript 5.6; older
 * compilers refuse it, or take events for `any` under `skipLibCheck`.
 */
export interface AiEventIterator extends AsyncIterableIterator<AiEvent> {
  /** Returns the next event; rejects once with the error of the stream. */
  next(): Promise<IteratorResult<AiEvent, undefined>>;
  /** Ends the stream and lets go of the connection. */
  return(): Promise<IteratorResult<AiEvent, undefined>>;
  [Symbol.asyncIterator](): AiEventIterator;
}
