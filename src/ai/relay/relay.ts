import { ServiceApiError } from "../../errors/base.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import type { Pulled, StreamSession } from "../stream/stream-session.ts";
import { type RelayFormat, type RelayWriter, relayFormats } from "./formats.ts";
import type { RelayOptions, RelayResponseOptions } from "./options.ts";

const defaultHeartbeat = 15_000;
const defaultErrorText = "The response could not be completed.";

/**
 * A reader that passes a stream on as bytes. It reads nothing ahead, and leaves the stream when its own reader leaves.
 */
export class Relay {
  readonly #session: StreamSession;
  readonly #options: RelayResponseOptions;
  readonly #format: RelayFormat;
  readonly #writer: RelayWriter;
  readonly #encoder = new TextEncoder();
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
    return new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#cancel() },
      // No buffer here: a reader who pauses pauses the service.
      { highWaterMark: 0 },
    );
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

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#state === "unstarted") {
      this.#state = "started";
      if (this.#write(controller, this.#writer.start())) return;
    }
    try {
      const text = await this.#read();
      if (this.#state === "cancelled") return;
      if (text === undefined) controller.close();
      else this.#write(controller, text);
    } catch (error) {
      this.#fail(controller, error);
    }
  }

  async #cancel(): Promise<void> {
    this.#state = "cancelled";
    await this.#session.leave();
  }

  /** Returns the next text, which is not empty; `undefined` at the end. */
  async #read(): Promise<string | undefined> {
    const { heartbeat } = this.#format;
    const silence = heartbeat === undefined ? false : (this.#options.heartbeat ?? defaultHeartbeat);
    // Events that write nothing do not break the silence.
    const silenceEndsAt = silence === false ? undefined : performance.now() + silence;
    for (;;) {
      this.#next ??= this.#session.next(this);
      const pulled = await unlessSilent(this.#next, silenceEndsAt);
      if (pulled === "silence") return heartbeat;
      this.#next = undefined;
      if (pulled.done) return undefined;
      const text = this.#writer.event(pulled.value);
      if (text !== "") return text;
    }
  }

  #write(controller: ReadableStreamDefaultController<Uint8Array>, text: string): boolean {
    if (text !== "") controller.enqueue(this.#encoder.encode(text));
    return text !== "";
  }

  #fail(controller: ReadableStreamDefaultController<Uint8Array>, error: unknown): void {
    // Only typed errors come out of a stream. Any other is of the writing, such as JSON deeper than the stack.
    const failure = ServiceApiError.isInstance(error)
      ? error
      : this.#session.refuse("its last event cannot be written as JSON");
    this.#write(
      controller,
      this.#writer.failure(failure, () => errorTextOf(this.#options, failure)),
    );
    if (this.#format.breaksOff) throw failure;
    controller.close();
  }
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
    const timer = setTimeout(() => resolve("silence"), endsAt - performance.now());
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
