import { ServiceApiError } from "../../errors/base.ts";
import type { EventReader } from "../stream/event-reader.ts";
import type { AiEvent } from "../types.ts";
import { relayFormats } from "./formats.ts";
import type { RelayOptions, RelayResponseOptions } from "./options.ts";

/**
 * The bytes of a relay. Nothing is read ahead of the reader, and one who leaves ends the call upstream.
 */
export function relayBody(events: EventReader, options: RelayOptions): ReadableStream<Uint8Array> {
  const { createWriter, heartbeat: beat, breaksOff } = relayFormats[options.format ?? "sse"];
  const silence = beat === undefined ? false : (options.heartbeat ?? 15_000);
  const writer = createWriter(events);
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<AiEvent>> | undefined;
  let isLeft = false;
  let isStarted = false;

  /** What comes next: text that is not empty, `undefined` for the end. */
  const read = async (): Promise<string | undefined> => {
    // Events that write nothing do not break the silence.
    const silenceEndsAt = silence === false ? undefined : performance.now() + silence;
    for (;;) {
      next ??= events.next();
      const result = await unlessSilent(next, silenceEndsAt);
      if (result === "silence") return beat;
      next = undefined;
      if (result.done) return undefined;
      const text = writer.event(result.value);
      if (text !== "") return text;
    }
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
          const text = await read();
          if (isLeft) return;
          if (text === undefined) controller.close();
          else write(text);
        } catch (error) {
          // Only typed errors come out of a stream; any other is of the writing, such as JSON deeper than the stack.
          const failure = ServiceApiError.isInstance(error)
            ? error
            : events.refuse("its last event cannot be written as JSON");
          const last = writer.failure(failure, () => tell(options, failure));
          if (last !== "") write(last);
          if (breaksOff) throw failure;
          controller.close();
        }
      },
      async cancel() {
        isLeft = true;
        await events.return();
      },
    },
    // No buffer of our own: a reader who pauses pauses the service.
    { highWaterMark: 0 },
  );
}

/** The response of a route handler that relays. */
export function relayResponse(events: EventReader, options: RelayResponseOptions): Response {
  const headers = new Headers({
    ...relayFormats[options.format ?? "sse"].headers,
    "cache-control": "no-cache, no-transform",
    // nginx and its kin hold an answer back until it is whole, unless they are told.
    "x-accel-buffering": "no",
  });
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  return new Response(relayBody(events, options), { headers });
}

function tell({ errorText }: RelayOptions, error: ServiceApiError): string {
  try {
    const text: unknown = errorText?.(error);
    if (typeof text === "string") return text;
    // One that is async is not waited for, and must not be an unhandled rejection.
    Promise.resolve(text).catch(() => {});
  } catch {
    // The failure of the stream is what has to be told.
  }
  return "The answer could not be completed.";
}

function unlessSilent<T>(promise: Promise<T>, endsAt: number | undefined): Promise<T | "silence"> {
  if (endsAt === undefined) return promise;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve("silence"), endsAt - performance.now());
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
