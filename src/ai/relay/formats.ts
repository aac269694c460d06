import type { ServiceApiError } from "../../errors/base.ts";
import { field, jsonCopy } from "../../shared/json.ts";
import { redactJson } from "../../transport/redact.ts";
import { metadataIn } from "../conversation/saved.ts";
import type { StreamSession } from "../stream/stream-session.ts";
import type { AiEvent, ResponseCompleted, ResponseOutput } from "../types.ts";
import type { RelayPiece, UiMessageChunk } from "./pieces.ts";

/** The name of a format in which a stream is relayed: see {@link RelayOptions.format}. */
export type RelayFormatName = "sse" | "text" | "ui-message";

/** The pieces that a relay writes for one stream. An empty string is not written. */
export interface RelayFormat {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it is the text alone: it has no comments, and breaks off after a failure. */
  readonly isPlain?: boolean;
  /** Whether its reader gets the text of `response_completed`, which counts, beside that of the chunks. */
  readonly hasWholeText?: boolean;
  readonly start: readonly RelayPiece[];
  /** Returns what an event writes, with the part that it adds to the text in whole characters. */
  event(event: AiEvent, text: string): readonly RelayPiece[];
  /** Returns the text that was held back, and what the format has for a failure. */
  failure(text: string, error: ServiceApiError, message: () => string): readonly RelayPiece[];
}

type ToFormat = (
  options: { readonly metadata?: false | undefined; readonly messageId?: string | undefined },
  session: StreamSession,
) => RelayFormat;

export const relayFormats: Readonly<Record<RelayFormatName, ToFormat>> = {
  sse,
  text: () => ({
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    isPlain: true,
    start: [],
    event: (_event, text) => [text],
    failure: (text) => [text],
  }),
  "ui-message": uiMessage,
};

/** Not `error`: that is what a browser's EventSource calls the loss of its connection. */
const failureName = "stream_error";
const eventStream = { "content-type": "text/event-stream; charset=utf-8" };

/** The fields that show nothing but the text, of which none continues a conversation. */
const bareFields = ["event", "sequence_no", "system", "msg_id", "text_chunk", "text"];

/** Writes the events of §6.1 as received, except that their chunks end between characters, and that secrets are redacted. */
function sse(...[{ metadata }, session]: Parameters<ToFormat>): RelayFormat {
  const write = <Event extends { readonly event: string }>(event: Event) => {
    // A copy: the events are those of the caller.
    const copy = redactJson(jsonCopy(event) ?? event, session.call?.secrets ?? []) as Event;
    return named(copy, metadata === false ? bareFields : undefined);
  };
  let last: ResponseOutput | undefined;
  let highest: number | undefined;

  /**
   * Returns the text that the chunks left over, as one more chunk with the next number; nothing if none came before.
   */
  const closing = (text: string): string => {
    if (last === undefined || text === "") return "";
    const { sequence_no: _, ...event } = last;
    return write(withChunk(highest === undefined ? event : { ...event, sequence_no: highest + 1 }, text));
  };

  return {
    headers: eventStream,
    hasWholeText: true,
    start: [],
    event(event, text) {
      if (event.event === "response_completed") return [closing(text), write(event)];
      // The relay's own name for a failure, which ends the reading in the browser. The service's words are not for people.
      if (event.event === failureName) return [];
      if (event.event !== "response_output") return [write(event)];
      const written = write(withChunk(event, text));
      // Not before it could be written.
      last = event;
      if (Number.isInteger(event.sequence_no)) highest = Math.max(highest ?? event.sequence_no, event.sequence_no);
      return [written];
    },
    failure: (text, { kind }, message) => [closing(text), named({ event: failureName, kind, message: message() })],
  };
}

function withChunk<Output extends Omit<ResponseOutput, "sequence_no">>(event: Output, text_chunk: string): Output {
  return { ...event, system: { ...event.system, text_chunk } };
}

/** Writes the UI message stream of the Vercel AI SDK (`useChat`), protocol v1. */
function uiMessage(...[{ metadata, messageId }, session]: Parameters<ToFormat>): RelayFormat {
  const id = "text";
  const start: UiMessageChunk = messageId === undefined ? { type: "start" } : { type: "start", messageId };
  let isOpen = false;

  const delta = (text: string): readonly RelayPiece[] => {
    if (text === "") return [];
    const start: readonly RelayPiece[] = isOpen ? [] : [{ type: "text-start", id }];
    isOpen = true;
    return [...start, { type: "text-delta", id, delta: text }];
  };
  const completed = ({ context_token, system }: ResponseCompleted, text: string): readonly RelayPiece[] => {
    const rest = delta(text);
    const end: readonly RelayPiece[] = isOpen ? [{ type: "text-end", id }] : [];
    const client_referenceId = session.call?.clientReferenceId;
    const messageMetadata =
      metadata === false
        ? undefined
        : metadataIn({ context_token, msg_id: field(system, "msg_id"), client_referenceId });
    const finish: UiMessageChunk = messageMetadata ? { type: "finish", messageMetadata } : { type: "finish" };
    return [...rest, ...end, { type: "finish-step" }, finish, done];
  };

  return {
    headers: { ...eventStream, "x-vercel-ai-ui-message-stream": "v1" },
    start: [start, { type: "start-step" }],
    event: (event, text) => (event.event === "response_completed" ? completed(event, text) : delta(text)),
    // Also for an abort: the SDK's client takes a chunk `abort` that it did not ask for as a finished response.
    failure: (text, _error, message) => [...delta(text), { type: "error", errorText: message() }, done],
  };
}

const done = "data: [DONE]\n\n";

/** Returns the text of a piece, as it is sent. */
export function textOfPiece(piece: RelayPiece): string {
  return typeof piece === "string" ? piece : data(piece);
}

function data(value: object, fields?: string[]): string {
  return `data: ${JSON.stringify(value, fields)}\n\n`;
}

/** Writes an event under its name, if the name fits on a line: an unknown one may hold anything. */
function named<Event extends { readonly event: string }>(event: Event, fields?: string[]): string {
  return (/^[\w.-]{1,100}$/.test(event.event) ? `event: ${event.event}\n` : "") + data(event, fields);
}
