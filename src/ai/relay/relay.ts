import { ServiceApiError } from "../../errors/base.ts";
import { StreamFailedError } from "../../errors/stream.ts";
import { func, millisecondsOrFalse, nonEmptyString, oneOf, plainHeaders, type Rules } from "../../shared/options.ts";
import { quietly } from "../../shared/promises.ts";
import { before } from "../../transport/cancellation.ts";
import { summarize } from "../../transport/redact.ts";
import type { FailedEnding } from "../stream/stream-errors.ts";
import type { StreamSession } from "../stream/stream-session.ts";
import { GraphemeBuffer } from "../text/text-stream.ts";
import type { ResponseCompleted } from "../types.ts";
import { type RelayFormat, type RelayFormatName, relayFormats, textOfPiece } from "./formats.ts";
import type { RelayPiece, UiMessageChunk } from "./pieces.ts";

/** Options of {@link AiStream.toReadableStream}. */
export interface RelayOptions {
  /**
   * The format of the bytes. Each of them cuts the text between whole characters.
   *
   * - `sse`: the events of §6.1 as server-sent events, each under its own name. A failure is a last event
   *   `stream_error` with `kind` and `message`.
   * - `text`: the text alone. A failure breaks the body off, so that a cut never passes for an end.
   * - `ui-message`: the UI message stream of the Vercel AI SDK, as `useChat` reads it.
   *
   * @default "sse"
   */
  readonly format?: RelayFormatName | undefined;
  /** The ID of the message, in the format `ui-message`. @default none: the reader chooses one */
  readonly messageId?: string | undefined;
  /**
   * `false`: `sse` passes on only the name, the number and the text of each event, and `ui-message` leaves out the
   * {@link ResponseMetadata} that `conversationFromUiMessages` reads. Anyone with a `context_token` can continue the
   * conversation.
   */
  readonly metadata?: false | undefined;
  /**
   * Milliseconds of silence after which a comment is sent, to keep proxies from closing the connection; `false`
   * disables it. The format `text` has no comments.
   *
   * @default 5_000, because some servers, Bun's for one, close a connection after 10 s of silence
   */
  readonly heartbeat?: number | false | undefined;
  /**
   * Returns the message that a person sees after a failure, in the formats that show one. If it throws or does not
   * return a string, the default is shown. A reader who left is not a failure: {@link AiStream.ended} reports it.
   *
   * @default () => "The response could not be completed."
   */
  readonly errorText?: ((error: ServiceApiError) => string | undefined) | undefined;
  /**
   * Called with the response when it is complete, and awaited before the relay passes its end on: what you save here
   * is saved before the person can ask again. If it throws, the relay ends as after a failure, with a
   * {@link StreamFailedError} whose `reason` is `onFinish`.
   */
  readonly onFinish?: ((response: ResponseCompleted) => unknown) | undefined;
}

/** Options of {@link AiStream.toResponse}. */
export interface RelayResponseOptions extends RelayOptions {
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export const chunkRules: Rules<Omit<RelayOptions, "format" | "heartbeat">> = {
  messageId: nonEmptyString,
  metadata: oneOf(false),
  errorText: func,
  onFinish: func,
};
export const relayRules: Rules<RelayOptions> = {
  ...chunkRules,
  format: oneOf("sse", "text", "ui-message"),
  heartbeat: millisecondsOrFalse(),
};
export const relayResponseRules: Rules<RelayResponseOptions> = { ...relayRules, headers: plainHeaders };

/** The key under which a stream starts a relay for another entry point, which may be of another copy of this package. */
export const relayOf: unique symbol = Symbol.for("serviceapi.relay");

/** Options that have been checked, and what is awaited before a failure is passed on. */
export type RelaySettings = RelayResponseOptions & { readonly onFailure?: () => Promise<unknown> };

const unsaved =
  "`onFinish`, or the `save` of relayTurn, failed: see `cause`. The completed response was not passed on; it may have been saved.";
const defaultHeartbeat = 5_000;
/** A comment, which keeps proxies from closing the connection in a pause. */
const comment = ": still here\n\n";

/**
 * A reader that passes a stream on, as bytes or as the chunks of a UI message. It reads nothing ahead, and leaves the
 * stream when its own reader leaves.
 */
export class Relay {
  readonly #session: StreamSession;
  readonly #options: RelaySettings;
  readonly #format: RelayFormat;

  constructor(session: StreamSession, options: RelaySettings) {
    this.#session = session;
    this.#options = options;
    this.#format = relayFormats[options.format ?? "sse"](options, session);
  }

  /** The chunks of a UI message one by one, without heartbeats. */
  toChunks(): ReadableStream<UiMessageChunk> {
    return this.#readable((pieces) => pieces.filter((piece) => typeof piece !== "string"));
  }

  toReadableStream(): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return this.#readable((pieces) => {
      const text = pieces.map(textOfPiece).join("");
      return text === "" ? [] : [encoder.encode(text)];
    });
  }

  /** Returns the response of a route handler. */
  toResponse(): Response {
    const headers = new Headers({
      ...this.#format.headers,
      "cache-control": "no-cache, no-transform",
      // nginx and its kin hold a response back until it is whole, unless this header is set.
      "x-accel-buffering": "no",
    });
    for (const [name, value] of Object.entries(this.#options.headers ?? {})) headers.set(name, value);
    return new Response(this.toReadableStream(), { headers });
  }

  #readable<Part>(partsOf: PartsOf<Part>): ReadableStream<Part> {
    const { heartbeat = defaultHeartbeat } = this.#options;
    const silence = this.#format.isPlain || heartbeat === false ? Number.POSITIVE_INFINITY : heartbeat;
    const session = this.#session;
    const written = this.#write(partsOf);
    /** The parts that are awaited, through any number of heartbeats. */
    let awaited: Promise<IteratorResult<readonly Part[], undefined>> | undefined;
    let isLeft = false;
    return new ReadableStream<Part>(
      {
        async pull(controller) {
          awaited ??= written.next();
          session.relaying = awaited;
          const result = await before(silence, awaited);
          if (isLeft) return;
          if (result !== undefined) awaited = undefined;
          for (const part of result?.value ?? []) controller.enqueue(part);
          if (result === undefined) for (const part of partsOf([comment])) controller.enqueue(part);
          else if (result.done) controller.close();
        },
        cancel: async () => {
          isLeft = true;
          await session.leave();
        },
      },
      // No buffer here: a reader who pauses pauses the service.
      { highWaterMark: 0 },
    );
  }

  /** Yields what the start, each event and a failure write, and throws the failure if the format has nothing for one. */
  async *#write<Part>(partsOf: PartsOf<Part>): AsyncGenerator<readonly Part[], undefined> {
    const session = this.#session;
    const format = this.#format;
    const { onFinish } = this.#options;
    const characters = new GraphemeBuffer();
    try {
      if (format.start.length > 0) yield partsOf(format.start);
      for (let pulled = await session.next(); !pulled.done; pulled = await session.next()) {
        const event = pulled.value;
        if (event.event === "response_completed") {
          if (session.isRewritten && !format.hasWholeText)
            throw this.#refuse("textMismatch", "the completed text is not that of the chunks that were passed on.");
          await (async () => onFinish?.(event))().catch((error) => {
            throw this.#refuse("onFinish", unsaved, error);
          });
        }
        const parts = partsOf(format.event(event, characters.pushEvent(event, session)));
        if (parts.length > 0) yield parts;
      }
    } catch (error) {
      // Only typed errors come out of a stream. Any other is of the writing, such as JSON deeper than the stack.
      const unwritable = "the last event could not be written to the relay: its JSON may nest too deeply.";
      const failure = ServiceApiError.isInstance(error) ? error : this.#refuse("damagedEvent", unwritable, error);
      await this.#options.onFailure?.();
      const parts = partsOf(format.failure(characters.flush(), failure, () => errorTextOf(this.#options, failure)));
      if (parts.length > 0) yield parts;
      if (format.isPlain) throw failure;
    }
    return undefined;
  }

  #refuse(reason: StreamFailedError["reason"], happened: string, error?: unknown): ServiceApiError {
    const cause = summarize(error, this.#session.call?.secrets ?? []);
    const toError: FailedEnding["toError"] = (details) => new StreamFailedError({ ...details, reason, cause });
    return this.#session.refuse({ state: "failed", happened, toError });
  }
}

/** Returns the parts that are read of pieces that are written at once: none if they are empty. */
type PartsOf<Part> = (pieces: readonly RelayPiece[]) => readonly Part[];

export function errorTextOf(
  { errorText }: RelayOptions,
  error: ServiceApiError,
  otherwise = "The response could not be completed.",
): string {
  // The failure of the stream is reported, and not that of the callback. The promise of an async one is not awaited.
  const text: unknown = quietly(() => errorText?.(error));
  return typeof text === "string" ? text : otherwise;
}
