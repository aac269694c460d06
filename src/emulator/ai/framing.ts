import { cut, type EmulatedResponse, type Pieces } from "../http/messages.ts";
import { pause } from "../http/wait.ts";
import { tableOf } from "../names.ts";
import type { AiEventBody } from "./events.ts";

/** A format of events in a stream. The document does not show it (§6.1), so the emulator has all that are in use. */
export interface Framing {
  readonly contentType: string;
  readonly open?: string;
  /** Returns one event; `text` is its JSON. */
  readonly frame: (text: string, index: number) => string;
  readonly close?: string;
}

const eventStream = "text/event-stream; charset=utf-8";

const sse = (end: string): Framing => ({ contentType: eventStream, frame: (text) => `data: ${text}${end}${end}` });
const lines = (end: string): Framing => ({ contentType: "application/x-ndjson", frame: (text) => `${text}${end}` });

export const framings = tableOf<Framing>()({
  sse: sse("\n"),
  "sse-crlf": sse("\r\n"),
  "sse-cr": sse("\r"),
  "sse-bom": { ...sse("\n"), open: "\uFEFF" },
  "sse-comments": { contentType: eventStream, frame: (text) => `: keep-alive\n\ndata: ${text}\n\n` },
  "sse-named": { contentType: eventStream, frame: (text, index) => `id: ${index}\nevent: message\ndata: ${text}\n\n` },
  "sse-multiline": {
    contentType: eventStream,
    frame: (text) => `data: ${JSON.stringify(JSON.parse(text), null, 1).replaceAll("\n", "\ndata: ")}\n\n`,
  },
  "sse-done": { ...sse("\n"), close: "data: [DONE]\n\n" },
  "sse-unterminated": { contentType: eventStream, frame: (text, index) => `${index === 0 ? "" : "\n\n"}data: ${text}` },
  ndjson: lines("\n"),
  "ndjson-crlf": lines("\r\n"),
  array: {
    contentType: "application/json",
    open: "[",
    frame: (text, index) => `${index === 0 ? "" : ","}${text}`,
    close: "]",
  },
  concatenated: { contentType: "application/json", frame: (text) => text },
});

export type FramingName = keyof typeof framings;

export interface Wire {
  readonly framing: FramingName;
  readonly pace: number;
  /** Milliseconds of silence after the second chunk. */
  readonly stall: number;
  /** Milliseconds between heartbeats after the second chunk. No further chunk follows. */
  readonly heartbeats: number;
  readonly bytes: number;
}

/** The number of events before a stall or the heartbeats: the initiation and two chunks. */
const stallAfter = 3;

/** Returns a streamed response: events with pauses in real time, or when `until` says, as if a model generated them. */
export function writeEvents(
  events: readonly AiEventBody[],
  wire: Partial<Wire> & Pick<Wire, "framing" | "pace">,
  until?: (index: number, signal: AbortSignal) => Promise<void>,
): EmulatedResponse {
  const { pace, stall = 0, heartbeats, bytes } = wire;
  const { contentType, open = "", frame, close = "" } = framings[wire.framing];
  const encoder = new TextEncoder();
  const body = async function* (signal: AbortSignal): Pieces {
    for (const [index, event] of events.entries()) {
      if (until) await until(index, signal);
      else if (index > 0 && pace > 0) await pause(pace, signal);
      if (index === stallAfter) {
        if (stall > 0) await pause(stall, signal);
        while (heartbeats !== undefined) {
          yield encoder.encode(": keep-alive\n\n");
          await pause(heartbeats, signal);
        }
      }
      const before = index === 0 ? open : "";
      const after = index === events.length - 1 ? close : "";
      yield encoder.encode(`${before}${frame(JSON.stringify(event), index)}${after}`);
    }
  };
  const headers = { "content-type": contentType };
  return { status: 200, headers, body: bytes === undefined ? body : (signal) => cut(body(signal), bytes) };
}
