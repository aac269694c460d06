import type { ServiceApiError } from "../../errors/base.ts";
import type { EventReader } from "../stream/event-reader.ts";
import { TextParts } from "../text/text-deltas.ts";
import type { AiEvent, ResponseOutput } from "../types.ts";

/** How an answer is written for a screen: see {@link RelayOptions.format}. */
export type RelayFormatName = "sse" | "text" | "ui-message";

/** What is written for one stream. Everything it gives may be empty. */
export interface RelayWriter {
  start(): string;
  event(event: AiEvent): string;
  /** What was held back, and what tells the reader of the failure. */
  failure(error: ServiceApiError, message: () => string): string;
}

export interface RelayFormat {
  readonly headers: Readonly<Record<string, string>>;
  /** What keeps proxies from taking a pause for the end; `undefined` where the format has nothing that is not shown. */
  readonly heartbeat: string | undefined;
  /** Whether the format has no word for a failure, so that the body breaks off. */
  readonly breaksOff: boolean;
  readonly createWriter: (reader: EventReader) => RelayWriter;
}

const eventStream = { "content-type": "text/event-stream; charset=utf-8" };
const comment = ": still here\n\n";

export const relayFormats: Readonly<Record<RelayFormatName, RelayFormat>> = {
  sse: { headers: eventStream, heartbeat: comment, breaksOff: false, createWriter: sseWriter },
  text: {
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    heartbeat: undefined,
    breaksOff: true,
    createWriter: textWriter,
  },
  "ui-message": {
    headers: { ...eventStream, "x-vercel-ai-ui-message-stream": "v1" },
    heartbeat: comment,
    breaksOff: false,
    createWriter: uiMessageWriter,
  },
};

/** The events of §6.1 as they came, but for their chunks, which end between characters. */
function sseWriter(reader: EventReader): RelayWriter {
  const parts = new TextParts(reader);
  let last: ResponseOutput | undefined;
  let highest: number | undefined;

  /** What the chunks left over, as one more chunk under a number of its own; nothing where none came before. */
  const closing = (text: string): string => {
    if (last === undefined || text === "") return "";
    const { sequence_no: _, ...event } = last;
    return sse(withChunk(highest === undefined ? event : { ...event, sequence_no: highest + 1 }, text));
  };

  return {
    start: () => "",
    event(event) {
      const text = parts.push(event);
      if (event.event === "response_completed") return closing(text) + sse(event);
      if (event.event !== "response_output") return sse(event);
      last = event;
      if (Number.isInteger(event.sequence_no)) highest = Math.max(highest ?? event.sequence_no, event.sequence_no);
      return sse(withChunk(event, text));
    },
    // Not named `error`: that is what a browser's EventSource calls the loss of its own connection.
    failure: ({ kind }, message) =>
      closing(parts.flush()) + named("stream_error", { event: "stream_error", kind, message: message() }),
  };
}

function withChunk<Output extends Omit<ResponseOutput, "sequence_no">>(event: Output, text_chunk: string): Output {
  return { ...event, system: { ...event.system, text_chunk } };
}

/** The text and nothing else. */
function textWriter(reader: EventReader): RelayWriter {
  const parts = new TextParts(reader);
  return { start: () => "", event: (event) => parts.push(event), failure: () => parts.flush() };
}

/** The UI message stream of the Vercel AI SDK (`useChat`), protocol v1. */
function uiMessageWriter(reader: EventReader): RelayWriter {
  const parts = new TextParts(reader);
  const id = "text";
  let isOpen = false;

  const delta = (text: string): string => {
    if (text === "") return "";
    const start = isOpen ? "" : data({ type: "text-start", id });
    isOpen = true;
    return start + data({ type: "text-delta", id, delta: text });
  };

  return {
    start: () => data({ type: "start" }) + data({ type: "start-step" }),
    event(event) {
      const text = delta(parts.push(event));
      if (event.event !== "response_completed") return text;
      const end = isOpen ? data({ type: "text-end", id }) : "";
      return text + end + data({ type: "finish-step" }) + data({ type: "finish" }) + done;
    },
    // Also for an abort: the SDK's client takes a chunk `abort` that it did not ask for as a finished answer.
    failure: (_error, message) => delta(parts.flush()) + data({ type: "error", errorText: message() }) + done,
  };
}

const done = "data: [DONE]\n\n";

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function sse(event: { readonly event: AiEvent["event"] }): string {
  return named(event.event, event);
}

/** An event under its name, where that can stand on a line: an unknown one may hold anything. */
function named(name: string, event: object): string {
  return (/^[\w.-]{1,100}$/.test(name) ? `event: ${name}\n` : "") + data(event);
}
