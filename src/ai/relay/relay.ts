import { ServiceApiError } from "../../errors/base.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import type { Pulled, StreamSession } from "../stream/stream-session.ts";
import { type RelayFormat, type RelayWriter, relayFormats } from "./formats.ts";
import type { RelayOptions, RelayResponseOptions } from "./options.ts";
import { type RelayPiece, textOfPiece } from "./pieces.ts";

const defaultHeartbeat = 15_000;
const defaultErrorText = "The response could not be completed.";

/**
 * A reader that passes a stream on, as bytes or as the pieces that they are made of. It reads nothing ahead, and leaves the stream when its own reader leaves.
 */
export class Relay {
  readonly #session: StreamSession;
  readonly #options: RelayResponseOptions;
  readonly #format: RelayFormat;
  readonly #writer: RelayWriter;
  #state: "unstarted" | "started" | "cancelled" = "unstarted";
  /** The event that is awaited, through any number of heartbeats. */
  #next: Promise<Pulled> | undefined;

  constructor(session: StreamSession, options: RelayResponseOptions) {
    this.#session = session;
    this.#options = options;
    this.#format = relayFormats[options.format ?? "sse"];
    this.#writer = this.#format.createWriter(session);
  }

  toReadableStream(): ReadableStream<Uint8Array> {
    return this.#readable((pieces) => [bytesOf(pieces)]);
  }

  /** The pieces one by one. */
  toPieces(): ReadableStream<RelayPiece> {
    return this.#readable((pieces) => pieces);
  }

  /** Returns the response of a route handler. */
  toResponse(body: ReadableStream<Uint8Array> = this.toReadableStream()): Response {
    const headers = new Headers({
      ...this.#format.headers,
      "cache-control": "no-cache, no-transform",
      // nginx and its kin hold a response back until it is whole, unless this header is set.
      "x-accel-buffering": "no",
    });
    for (const [name, value] of Object.entries(this.#options.headers ?? {})) headers.set(name, value);
    return new Response(body, { headers });
  }

  /** @param form - Returns pieces, of which there is at least one, in the form in which they are read. */
  #readable<Part>(form: (pieces: readonly RelayPiece[]) => readonly Part[]): ReadableStream<Part> {
    return new ReadableStream<Part>(
      {
        pull: (controller) =>
          this.#pull({
            write(pieces) {
              for (const part of form(pieces)) controller.enqueue(part);
            },
            close: () => controller.close(),
          }),
        cancel: () => this.#cancel(),
      },
      // No buffer here: a reader who pauses pauses the service.
      { highWaterMark: 0 },
    );
  }

  async #pull(sink: Sink): Promise<void> {
    if (this.#state === "unstarted") {
      this.#state = "started";
      const pieces = this.#writer.start();
      if (pieces.length > 0) return sink.write(pieces);
    }
    try {
      const pieces = await this.#read();
      if (this.#state === "cancelled") return;
      if (pieces === undefined) sink.close();
      else sink.write(pieces);
    } catch (error) {
      this.#fail(sink, error);
    }
  }

  async #cancel(): Promise<void> {
    this.#state = "cancelled";
    await this.#session.leave();
  }

  /** Returns the next pieces, at least one, and none of them empty; `undefined` at the end. */
  async #read(): Promise<readonly RelayPiece[] | undefined> {
    const { heartbeat } = this.#format;
    const silence = heartbeat === undefined ? false : (this.#options.heartbeat ?? defaultHeartbeat);
    // Events that write nothing do not break the silence.
    const silenceEndsAt = silence === false ? undefined : performance.now() + silence;
    for (;;) {
      this.#next ??= this.#session.next();
      const pulled = await unlessSilent(this.#next, silenceEndsAt);
      if (pulled === "silence") return heartbeat === undefined ? [] : [heartbeat];
      this.#next = undefined;
      if (pulled.done) return undefined;
      const pieces = this.#writer.event(pulled.value).filter(isWritten);
      if (pieces.length > 0) return pieces;
    }
  }

  #fail(sink: Sink, error: unknown): void {
    // Only typed errors come out of a stream. Any other is of the writing, such as JSON deeper than the stack.
    const failure = ServiceApiError.isInstance(error)
      ? error
      : this.#session.refuse("its last event cannot be written as JSON");
    const pieces = this.#writer.failure(failure, () => errorTextOf(this.#options, failure)).filter(isWritten);
    if (pieces.length > 0) sink.write(pieces);
    if (this.#format.breaksOff) throw failure;
    sink.close();
  }
}

/** The stream that a relay writes to. */
interface Sink {
  write(pieces: readonly RelayPiece[]): void;
  close(): void;
}

/** Made with the first relay: jsdom has none when the module is loaded. */
let encoder: TextEncoder | undefined;

function bytesOf(pieces: readonly RelayPiece[]): Uint8Array {
  encoder ??= new TextEncoder();
  return encoder.encode(pieces.map(textOfPiece).join(""));
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
