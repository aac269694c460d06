import type { ServiceApiError } from "../errors/base.ts";
import { AbortError } from "../errors/request.ts";
import { chunkOf, TextParts } from "./text-parts.ts";
import type { AiEvent, ResponseOutput } from "./types.ts";
import { WholeCharacters } from "./whole-characters.ts";

/** How an answer is written for a screen: see {@link RelayOptions.format}. */
export type RelayFormatName = "sse" | "text" | "ui-message";

/** What is written for one stream. Everything it gives may be empty. */
export interface RelayWriter {
  start(): string;
  event(event: AiEvent): string;
  /** What tells the reader of a failure; `undefined` where the format has no word for it and the body breaks off. */
  failure(error: ServiceApiError, text: string): string | undefined;
}

export interface RelayFormat {
  readonly headers: Readonly<Record<string, string>>;
  /** What keeps proxies from taking a pause for the end; `undefined` where the format has nothing that is not shown. */
  readonly heartbeat: string | undefined;
  readonly createWriter: () => RelayWriter;
}

const eventStream = { "content-type": "text/event-stream; charset=utf-8" };
const comment = ": still here\n\n";

export const relayFormats: Readonly<Record<RelayFormatName, RelayFormat>> = {
  sse: { headers: eventStream, heartbeat: comment, createWriter: sseWriter },
  text: {
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    heartbeat: undefined,
    createWriter: textWriter,
  },
  "ui-message": {
    headers: { ...eventStream, "x-vercel-ai-ui-message-stream": "v1" },
    heartbeat: comment,
    createWriter: uiMessageWriter,
  },
};

/** The events of §6.1 as they came, but for their chunks, which end between characters. */
function sseWriter(): RelayWriter {
  const characters = new WholeCharacters();
  let last: ResponseOutput | undefined;

  /** What the last chunk still held back, as one more chunk. */
  const rest = (): string => {
    const text = characters.flush();
    if (last === undefined || text === "") return "";
    return sse(withChunk({ ...last, sequence_no: last.sequence_no + 1 }, text));
  };

  return {
    start: () => "",
    event(event) {
      if (event.event === "response_completed") return rest() + sse(event);
      if (event.event !== "response_output") return sse(event);
      last = event;
      return sse(withChunk(event, characters.push(chunkOf(event))));
    },
    // Not named `error`: that is what a browser's EventSource calls the loss of its own connection.
    failure: (error, message) => rest() + named("stream_error", { event: "stream_error", kind: error.kind, message }),
  };
}

function withChunk(event: ResponseOutput, text_chunk: string): ResponseOutput {
  return { ...event, system: { ...event.system, text_chunk } };
}

/** The text and nothing else. */
function textWriter(): RelayWriter {
  const parts = new TextParts();
  return { start: () => "", event: (event) => parts.push(event), failure: () => undefined };
}

/** The UI message stream of the Vercel AI SDK (`useChat`), protocol v1. */
function uiMessageWriter(): RelayWriter {
  const parts = new TextParts();
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
    failure(error, message) {
      const end = AbortError.isInstance(error) ? data({ type: "abort" }) : data({ type: "error", errorText: message });
      return delta(parts.flush()) + end + done;
    },
  };
}

const done = "data: [DONE]\n\n";

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function sse(event: AiEvent): string {
  return named(String(event.event), event);
}

/** An event under its name, where that can stand on a line: an unknown one may hold anything. */
function named(name: string, event: object): string {
  return (/^[\w.-]{1,100}$/.test(name) ? `event: ${name}\n` : "") + data(event);
}
