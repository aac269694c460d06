import { ServiceApiError } from "../../errors/base.ts";
import { func, millisecondsOrFalse, oneOf, plainHeaders, type Rules } from "../../shared/options.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { summarize } from "../../transport/redact.ts";
import type { Pulled, StreamSession } from "../stream/stream-session.ts";
import type { ResponseCompleted } from "../types.ts";
import { type RelayFormat, type RelayFormatName, type RelayWriter, relayFormats, textOfPiece } from "./formats.ts";
import type { MessageFrame, RelayPiece, UiMessageChunk } from "./pieces.ts";

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
  /**
   * Milliseconds of silence after which a comment is sent, to keep proxies from closing the connection; `false`
   * disables it. The format `text` has no comments.
   *
   * @default 5_000, because some servers, Bun's for one, close a connection after 10 s of silence
   */
  readonly heartbeat?: number | false | undefined;
  /**
   * Returns the message that a person sees after a failure, in the formats that show one. If it throws or does not
   * return a string, the default is shown.
   *
   * @default () => "The response could not be completed."
   */
  readonly errorText?: ((error: ServiceApiError) => string) | undefined;
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

/** The rules for the options of a relay. */
export const relayRules: Rules<RelayOptions> = {
  format: oneOf("sse", "text", "ui-message"),
  heartbeat: millisecondsOrFalse(),
  errorText: func,
  onFinish: func,
};
/** The rules for the options of a relay as a response. */
export const relayResponseRules: Rules<RelayResponseOptions> = { ...relayRules, headers: plainHeaders };

const defaultHeartbeat = 5_000;
const defaultErrorText = "The response could not be completed.";

/**
 * A reader that passes a stream on, as bytes or as the chunks of a UI message. It reads nothing ahead, and leaves the
 * stream when its own reader leaves.
 */
export class Relay {
  readonly #session: StreamSession;
  readonly #options: RelayResponseOptions;
  readonly #format: RelayFormat;
  readonly #writer: RelayWriter;
  #hasBegun = false;
  /** Whether the reader has left. */
  #isLeft = false;
  /** The event that is awaited, through any number of heartbeats. */
  #awaited: Promise<Pulled> | undefined;

  constructor(session: StreamSession, options: RelayResponseOptions, frame?: MessageFrame) {
    this.#session = session;
    this.#options = options;
    this.#format = relayFormats[options.format ?? "sse"];
    this.#writer = this.#format.createWriter(session, frame);
  }

  /** The chunks of a UI message one by one, without heartbeats. */
  toChunks(): ReadableStream<UiMessageChunk> {
    return this.#readable((pieces) => pieces.filter((piece) => typeof piece !== "string"));
  }

  toReadableStream(): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return this.#readable((pieces) => [encoder.encode(pieces.map(textOfPiece).join(""))]);
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

  /** @param partsOf - Returns the parts that are read, at least one, of pieces of which none is empty. */
  #readable<Part>(partsOf: (pieces: readonly RelayPiece[]) => readonly Part[]): ReadableStream<Part> {
    return new ReadableStream<Part>(
      {
        pull: async (controller) => {
          const { pieces, end } = await this.#next();
          if (this.#isLeft) return;
          if (pieces.length > 0) for (const part of partsOf(pieces)) controller.enqueue(part);
          if (end?.error !== undefined) controller.error(end.error);
          else if (end !== undefined) controller.close();
        },
        cancel: async () => {
          this.#isLeft = true;
          await this.#session.leave();
        },
      },
      // No buffer here: a reader who pauses pauses the service.
      { highWaterMark: 0 },
    );
  }

  /** Returns the next pieces, at least one before the end. */
  async #next(): Promise<Written> {
    try {
      const pieces = this.#hasBegun ? [] : this.#writer.start;
      this.#hasBegun = true;
      return pieces.length > 0 ? { pieces: pieces.filter(isWritten) } : await this.#read();
    } catch (error) {
      // Only typed errors come out of a stream. Any other is of the writing, such as JSON deeper than the stack.
      const failure = ServiceApiError.isInstance(error)
        ? error
        : this.#session.refuse({ end: "damaged", why: "its last event cannot be written as JSON", body: undefined });
      const pieces = this.#writer.failure(failure, () => errorTextOf(this.#options, failure)).filter(isWritten);
      return { pieces, end: { error: this.#format.breaksOff ? failure : undefined } };
    }
  }

  async #read(): Promise<Written> {
    const { heartbeat } = this.#format;
    const silence = heartbeat === undefined ? false : (this.#options.heartbeat ?? defaultHeartbeat);
    // Events that write nothing do not break the silence.
    const silenceEndsAt = silence === false ? undefined : performance.now() + silence;
    for (;;) {
      this.#awaited ??= this.#session.next();
      const pulled = await unlessSilent(this.#awaited, silenceEndsAt);
      if (pulled === "silence") return { pieces: [heartbeat ?? ""] };
      this.#awaited = undefined;
      if (pulled.done) return { pieces: [], end: {} };
      if (pulled.value.event === "response_completed") await this.#finish(pulled.value);
      const written = this.#writer.event(pulled.value);
      const pieces = (written instanceof Promise ? await written : written).filter(isWritten);
      if (pieces.length > 0) return { pieces };
    }
  }

  async #finish(response: ResponseCompleted): Promise<void> {
    try {
      await this.#options.onFinish?.(response);
    } catch (cause) {
      throw this.#session.refuse({ end: "unfinished", cause: summarize(cause, this.#session.call?.secrets ?? []) });
    }
  }
}

/** The pieces of one read, and whether the relay ends with them. */
interface Written {
  readonly pieces: readonly RelayPiece[];
  readonly end?: { readonly error?: unknown };
}

function isWritten(piece: RelayPiece): boolean {
  return piece !== "";
}

function errorTextOf({ errorText }: RelayOptions, error: ServiceApiError): string {
  try {
    const text: unknown = errorText?.(error);
    if (typeof text === "string") return text;
    // The promise of an async function is not awaited.
    ignoreRejection(text);
  } catch {
    // The failure of the stream is reported, and not that of the callback.
  }
  return defaultErrorText;
}

function unlessSilent<T>(promise: Promise<T>, endsAt: number | undefined): Promise<T | "silence"> {
  if (endsAt === undefined) return promise;
  return new Promise((resolve, reject) => {
    // Events that write nothing may have taken longer than the silence.
    const left = Math.max(0, endsAt - performance.now());
    const timer = setTimeout(() => resolve("silence"), left);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
