import type { ServiceApiError, ValidationIssue } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { type Rules, readOptions } from "../../shared/options.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { fullTextOf } from "../events.ts";
import { streamResponse } from "../operations.ts";
import type { UiMessageChunk } from "../relay/pieces.ts";
import {
  chunkRules,
  Relay,
  type RelayOptions,
  type RelayResponseOptions,
  type RelaySettings,
  relayOf,
  relayResponseRules,
  relayRules,
} from "../relay/relay.ts";
import { readText } from "../text/text-stream.ts";
import type { AiEvent, ResponseCompleted } from "../types.ts";
import type { StreamState } from "./stream-errors.ts";
import { StreamSession, type StreamSource } from "./stream-session.ts";

/**
 * A response that is being written (§6.1). The request is sent at the first pull, events are pulled one by one, and a
 * stream that has begun ends in one of five ways: it completes, or its reader gets a {@link StreamFailedError}, a
 * {@link StreamTruncatedError}, a {@link StreamStalledError} or an {@link AbortError}, each with the text so far. Before
 * that, its reader gets the errors of any other call.
 *
 * It can be read once: as events, as `textStream`, by `finalText()`, or by a relay. `finalText()` and `finalResponse()`
 * can also be called beside another reader, and then wait for it.
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
  readonly #session: StreamSession;
  #isLocked = false;

  /** @internal */
  constructor(source: StreamSource) {
    this.#session = new StreamSession(source);
  }

  /** `idle` before the first pull, then `streaming`, and then the way it ended. */
  get state(): StreamState {
    return this.#session.state;
  }

  /**
   * The text of the events that have been read so far, after an abort and at `stream.timeout` also of those that were
   * received; the whole text when the stream has completed.
   */
  get partialText(): string {
    return this.#session.text;
  }

  /** The `context_token` of this response; undefined until an event has brought it. */
  get contextToken(): string | undefined {
    return this.#session.contextToken;
  }

  /** The `client_referenceId` that was sent; undefined until the response has begun or the call has failed. */
  get clientReferenceId(): string | undefined {
    return this.#session.call?.clientReferenceId ?? this.#session.error?.clientReferenceId;
  }

  /** The ID that the service, or a gateway before it, gave the request, if it has one; undefined until then. */
  get requestId(): string | undefined {
    return this.#session.requestId ?? this.#session.error?.requestId;
  }

  /** True if the completed text, which is authoritative, differs from the chunks before it. */
  get textMismatch(): boolean {
    return this.#session.textMismatch;
  }

  /**
   * Gaps, duplicates and late chunks in `sequence_no`, a lost conversation (`parent_token_mismatch`), and differences
   * from the document; at most 100.
   */
  get warnings(): readonly ValidationIssue[] {
    return this.#session.open?.warnings ?? [];
  }

  /**
   * Sends the request and waits for the first event, which stays to be read: a route can still respond with another
   * status than 200.
   *
   * @returns This stream. Not awaited, it does not end the process: a failure is reported to `onEvent` and the log.
   * @throws the error of a stream that fails before its first event, which a reader gets too.
   *
   * @example
   * ```ts
   * import { httpStatusFor } from "serviceapi";
   *
   * export async function POST(request: Request): Promise<Response> {
   *   const stream = api.ai.stream({ user: { text: await request.text() } }, { signal: request.signal, maxRetries: 0 });
   *   try {
   *     return (await stream.ready()).toResponse();
   *   } catch (error) {
   *     return new Response("This was not answered.", { status: httpStatusFor(error) });
   *   }
   * }
   * ```
   */
  ready(): Promise<this> {
    const ready = this.#session.ready().then(() => this);
    ignoreRejection(ready);
    return ready;
  }

  /**
   * Starts the one reading of this stream.
   *
   * @throws {@link ConfigurationError} if it already has a reader.
   */
  [Symbol.asyncIterator](): AiEventIterator {
    const session = this.#lock();
    return iterator(session, () => session.next());
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
    return {
      [Symbol.asyncIterator]: () => {
        const session = this.#lock();
        const text = readText(session);
        return iterator(session, () => {
          const next = text.next();
          ignoreRejection(next);
          return next;
        });
      },
    };
  }

  /** Returns the whole text, as the service completed it. Reads the stream as {@link finalResponse} does. */
  finalText(): Promise<string> {
    const text = this.#final().then(fullTextOf);
    ignoreRejection(text);
    return text;
  }

  /**
   * Returns the completed event, which is the whole response. It waits for another reader, if there is one or the
   * caller starts one before its next `await`; otherwise it reads the stream itself. It may be called now and awaited
   * later. What `finalResponse().then(save)` returns is a promise of yours: handle its failure.
   */
  finalResponse(): Promise<ResponseCompleted> {
    const response = this.#final();
    ignoreRejection(response);
    return response;
  }

  /**
   * Resolves when the stream has ended, in whichever way, and `onFinish` and `errorText` of its relay too: the time to free
   * a lock and to write the log. It reads nothing: do not await it before the response is returned, or before somebody
   * reads.
   *
   * @returns The state, the error unless the stream completed, and the ID of the request. A reader who left is
   *   `aborted`; a response whose `onFinish` failed is `failed`, although {@link state} stays `completed`.
   */
  async ended(): Promise<{
    readonly state: StreamState;
    readonly error: ServiceApiError | undefined;
    readonly requestId: string | undefined;
  }> {
    const session = this.#session;
    await session.whenEnded;
    await session.relaying?.catch(() => {});
    const { error, state } = session;
    return { state: error && state === "completed" ? "failed" : state, error, requestId: this.requestId };
  }

  /**
   * Relays the stream as bytes: server-sent events, unless `options.format` says otherwise. This is the one reading of
   * the stream. The call is made when the first byte is requested, and a reader who leaves ends it.
   *
   * @throws {@link ConfigurationError} for an unknown option or an invalid value, and if the stream already has a
   *   reader.
   */
  toReadableStream(options: RelayOptions = {}): ReadableStream<Uint8Array> {
    return this.#relay("toReadableStream", options, relayRules).toReadableStream();
  }

  /**
   * Relays the stream as the chunks of a UI message of the Vercel AI SDK, for `writer.merge()` of its
   * `createUIMessageStream`, or `readUIMessageStream`.
   *
   * @throws {@link ConfigurationError} as {@link toReadableStream} does.
   *
   * @example
   * ```ts
   * import { createUIMessageStream, createUIMessageStreamResponse } from "ai";
   *
   * export function POST(): Response {
   *   const plan = api.ai.stream({ user: { text: "Plan a day in Pune" } });
   *   const stream = createUIMessageStream({ execute: ({ writer }) => writer.merge(plan.toUiMessageStream()) });
   *   return createUIMessageStreamResponse({ stream });
   * }
   * ```
   */
  toUiMessageStream(options: Omit<RelayOptions, "format" | "heartbeat"> = {}): ReadableStream<UiMessageChunk> {
    return this.#relay("toUiMessageStream", options, chunkRules, { format: "ui-message", heartbeat: false }).toChunks();
  }

  /**
   * Relays the stream as the response of a route handler (Next.js, Hono, SvelteKit, Deno, Bun, Workers).
   *
   * @param options - The format, the heartbeat, additional headers.
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
    return this.#relay("toResponse", options, relayResponseRules).toResponse();
  }

  #relay<Options extends RelaySettings>(name: string, options: Options, rules: Rules<Options>, more?: RelayOptions) {
    return this[relayOf]({ ...readOptions(`${streamResponse.name}: ${name}`, options, rules), ...more });
  }

  /** @internal Starts a relay, with options that have been checked. */
  [relayOf](options: RelaySettings): Relay {
    return new Relay(this.#lock(), options);
  }

  /** Ends the stream and closes the connection. Its reader gets an {@link AbortError} with this `reason`. */
  abort(reason?: unknown): void {
    this.#session.abort(reason);
  }

  /** Locks the stream to its one reader, and returns the session. */
  #lock(): StreamSession {
    if (this.#isLocked) {
      const { name } = streamResponse;
      throw new ConfigurationError(
        `${name}: a stream can be read once. Share what you read, or call finalText() beside the reader.`,
        { operation: name, outcome: this.#session.state === "idle" ? "notSent" : "unknown" },
      );
    }
    this.#isLocked = true;
    return this.#session;
  }

  async #final(): Promise<ResponseCompleted> {
    const session = this.#session;
    // `stream.finalText().then(save); return stream.toResponse();` leaves the reading to the response.
    await undefined;
    if (this.#isLocked) await session.whenEnded;
    else for await (const _event of this);
    const { response } = session;
    if (response === undefined) throw session.error;
    return response;
  }
}

/** Returns an iterator whose `return` ends the stream at once, also while a read is pending. */
function iterator<T>(session: StreamSession, next: () => Promise<IteratorResult<T, undefined>>) {
  return {
    next,
    return: () => session.leave(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * The events of a stream, one at a time.
 *
 * It is a separate interface because `AsyncIterableIterator` took a second type argument only with TypeScript 5.6;
 * older compilers refuse it, or take events for `any` under `skipLibCheck`.
 */
export interface AiEventIterator extends AsyncIterableIterator<AiEvent> {
  /** Returns the next event; rejects once with the error of the stream. */
  next(): Promise<IteratorResult<AiEvent, undefined>>;
  /** Ends the stream and closes the connection. */
  return(): Promise<IteratorResult<AiEvent, undefined>>;
  [Symbol.asyncIterator](): AiEventIterator;
}
