import type { ServiceApiError } from "../errors/base.ts";
import { type RelayFormatName, relayFormats } from "./relay-formats.ts";
import type { AiEvent } from "./types.ts";

/** How a stream is passed on to a screen. */
export interface RelayOptions {
  /**
   * - `sse`: the events of §6.1 as server-sent events, each under its own name. A failure is a last event
   *   `stream_error` with `kind` and `message`.
   * - `text`: the text alone. A failure breaks the body off, so that a cut never passes for an end.
   * - `ui-message`: the UI message stream of the Vercel AI SDK, as `useChat` reads it.
   *
   * Text is cut between whole characters in each of them.
   *
   * @default "sse"
   */
  readonly format?: RelayFormatName | undefined;
  /** Milliseconds of silence after which a comment is sent, lest a proxy gives up; `false` for never. @default 15_000 */
  readonly heartbeat?: number | false | undefined;
  /** What a person is told of a failure. @default "The answer could not be completed." */
  readonly errorText?: ((error: ServiceApiError) => string) | undefined;
}

/** Options of {@link AiStream.toResponse}. */
export interface RelayResponseOptions extends RelayOptions {
  /** Further headers of the response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The bytes of a relay. Nothing is read ahead of the reader, and one who leaves ends the call upstream.
 */
export function relayBody(events: AsyncIterableIterator<AiEvent>, options: RelayOptions): ReadableStream<Uint8Array> {
  const { createWriter, heartbeat: beat } = relayFormats[options.format ?? "sse"];
  const silence = beat === undefined ? false : (options.heartbeat ?? 15_000);
  const writer = createWriter();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<AiEvent>> | undefined;
  let isLeft = false;
  let isStarted = false;

  /** What comes next: text, `undefined` for the end. */
  const read = async (): Promise<string | undefined> => {
    next ??= events.next();
    const result = await withinSilence(next, silence);
    if (result === "silence") return beat;
    next = undefined;
    return result.done ? undefined : writer.event(result.value);
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const write = (text: string) => controller.enqueue(encoder.encode(text));
        if (!isStarted) {
          isStarted = true;
          const text = writer.start();
          if (text !== "") return write(text);
        }
        try {
          let text = await read();
          while (text === "") text = await read();
          if (isLeft) return;
          if (text === undefined) controller.close();
          else write(text);
        } catch (error) {
          // Only typed errors come out of a stream.
          const failure = error as ServiceApiError;
          const last = writer.failure(failure, options.errorText?.(failure) ?? "The answer could not be completed.");
          if (last === undefined) throw failure;
          write(last);
          controller.close();
        }
      },
      async cancel() {
        isLeft = true;
        await events.return?.();
      },
    },
    // No buffer of our own: a reader who pauses pauses the service.
    { highWaterMark: 0 },
  );
}

/** The response of a route handler that relays. */
export function relayResponse(body: ReadableStream<Uint8Array>, options: RelayResponseOptions): Response {
  const headers = new Headers({
    ...relayFormats[options.format ?? "sse"].headers,
    "cache-control": "no-cache, no-transform",
    // nginx and its kin hold an answer back until it is whole, unless they are told.
    "x-accel-buffering": "no",
  });
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  return new Response(body, { headers });
}

function withinSilence<T>(promise: Promise<T>, milliseconds: number | false): Promise<T | "silence"> {
  if (milliseconds === false) return promise;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve("silence"), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
