/** The event streams of the server, in the dialect that a client reads. */
import type { ServerResponse } from "node:http";
import { completed, eventsOf, output } from "./payloads.ts";

/** The same events, as a client's own service frames them. */
interface Dialect {
  readonly start: string;
  readonly frame: (event: object) => string;
  readonly end: string;
}

const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;

const plain: Dialect = { start: "", frame: data, end: "" };

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };

const dialects: Readonly<Record<string, Dialect>> = {
  /** `@anthropic-ai/sdk` reads an event only if it has a name that it knows. */
  anthropic: { ...plain, frame: (event) => `event: content_block_delta\n${data(event)}` },
  /** `ai` reads its own parts: each event becomes a text part of the same length, between a start and an end. */
  ai: {
    start: [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "0" },
    ]
      .map(data)
      .join(""),
    frame: (event) => {
      const part = { type: "text-delta", id: "0", delta: "" };
      const padding = JSON.stringify(event).length - JSON.stringify(part).length;
      return data({ ...part, delta: "x".repeat(Math.max(1, padding)) });
    },
    end: [{ type: "text-end", id: "0" }, finish].map(data).join(""),
  },
};

const blockSize = 16_384;
/** Milliseconds, longer than any wait for a chunk that may be missing should be. */
const pause = 40;

const senders: Readonly<Record<string, (response: ServerResponse, size: number, dialect: Dialect) => void>> = {
  /** `size` events in blocks of 16 KB, as behind a proxy that buffers. An event may be cut in two. */
  blocks: (response, size, { start, frame, end }) => {
    const bytes = Buffer.from(start + Array.from(eventsOf(size), frame).join("") + end);
    for (let at = 0; at < bytes.length; at += blockSize) response.write(bytes.subarray(at, at + blockSize));
    response.end();
  },
  /** `size` events, each in its own write, as a service that generates them. */
  single: (response, size, { start, frame, end }) => {
    if (start !== "") response.write(start);
    for (const event of eventsOf(size)) response.write(frame(event));
    response.end(end);
  },
  /** The first event and a chunk with that number at once, and the end after a pause, as a service that thinks. */
  paused: (response, size, { start, frame, end }) => {
    const [initiated = {}] = eventsOf(0);
    response.write(start + frame(initiated) + frame(output(size, "word ")));
    setTimeout(() => response.end(frame(completed("word ")) + end), pause);
  },
  /** One event and then silence. */
  open: (response, _size, { start, frame }) => response.write(start + frame(output(1, "word "))),
  /** About `size` bytes, no faster than they are read. */
  bytes: (response, size, { start, frame, end }) => {
    const text = "x".repeat(4_000);
    let sent = 0;
    let sequence = 0;
    const pump = () => {
      while (sent < size) {
        sequence += 1;
        const event = frame(output(sequence, text));
        sent += event.length;
        if (!response.write(event)) return;
      }
      response.off("drain", pump).end(frame(completed("")) + end);
    };
    response.write(start === "" ? ": start\n\n" : start);
    response.on("drain", pump);
    pump();
  },
};

export function isStream(name: string): boolean {
  return Object.hasOwn(senders, name);
}

export function sendStream(response: ServerResponse, name: string, size: number, dialect: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  senders[name]?.(response, size, dialects[dialect] ?? plain);
}
