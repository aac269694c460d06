import type { ServiceApiError } from "../../errors/base.ts";
import type { StreamSession } from "../stream/stream-session.ts";
import { TextDeltas } from "../text/text-stream.ts";
import type { AiEvent, ResponseCompleted, ResponseOutput } from "../types.ts";
import type { MessageFrame, RelayPiece } from "./pieces.ts";

/** The name of a format in which a stream is relayed: see {@link RelayOptions.format}. */
export type RelayFormatName = "sse" | "text" | "ui-message";

/** What a relay writes of one stream. An empty string is not written. */
export interface RelayFormat {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it is the text alone: it has no comments, and breaks off after a failure. */
  readonly isPlain?: boolean;
  readonly start: readonly RelayPiece[];
  event(event: AiEvent): readonly RelayPiece[] | Promise<readonly RelayPiece[]>;
  /** Returns the text that was held back, and what the format has for a failure. */
  failure(error: ServiceApiError, message: () => string): readonly RelayPiece[];
}

export const relayFormats: Readonly<
  Record<RelayFormatName, (session: StreamSession, frame: MessageFrame | undefined) => RelayFormat>
> = { sse, text: plainText, "ui-message": uiMessage };

const eventStream = { "content-type": "text/event-stream; charset=utf-8" };

/** Writes the events of §6.1 as received, except that their chunks end between characters. */
function sse(session: StreamSession): RelayFormat {
  const deltas = new TextDeltas(session);
  let last: ResponseOutput | undefined;
  let highest: number | undefined;

  /**
   * Returns the text that the chunks left over, as one more chunk with the next number; nothing if none came before.
   */
  const closing = (text: string): string => {
    if (last === undefined || text === "") return "";
    const { sequence_no: _, ...event } = last;
    return named(withChunk(highest === undefined ? event : { ...event, sequence_no: highest + 1 }, text));
  };

  return {
    headers: eventStream,
    start: [],
    event(event) {
      const text = deltas.push(event);
      if (event.event === "response_completed") return [closing(text), named(event)];
      if (event.event !== "response_output") return [named(event)];
      const written = named(withChunk(event, text));
      // Not before it could be written.
      last = event;
      if (Number.isInteger(event.sequence_no)) highest = Math.max(highest ?? event.sequence_no, event.sequence_no);
      return [written];
    },
    // Not named `error`: that is what a browser's EventSource calls the loss of its own connection.
    failure: ({ kind }, message) => [
      closing(deltas.flush()),
      named({ event: "stream_error", kind, message: message() }),
    ],
  };
}

function withChunk<Output extends Omit<ResponseOutput, "sequence_no">>(event: Output, text_chunk: string): Output {
  return { ...event, system: { ...event.system, text_chunk } };
}

function plainText(session: StreamSession): RelayFormat {
  const deltas = new TextDeltas(session);
  return {
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    isPlain: true,
    start: [],
    event: (event) => [deltas.push(event)],
    failure: () => [deltas.flush()],
  };
}

/** Writes the UI message stream of the Vercel AI SDK (`useChat`), protocol v1. */
function uiMessage(session: StreamSession, frame: MessageFrame = bareFrame): RelayFormat {
  const deltas = new TextDeltas(session);
  const id = "text";
  let isOpen = false;

  const delta = (text: string): readonly RelayPiece[] => {
    if (text === "") return [];
    const start: readonly RelayPiece[] = isOpen ? [] : [{ type: "text-start", id }];
    isOpen = true;
    return [...start, { type: "text-delta", id, delta: text }];
  };
  const completed = async (event: ResponseCompleted): Promise<readonly RelayPiece[]> => {
    const text = delta(deltas.push(event));
    const end: readonly RelayPiece[] = isOpen ? [{ type: "text-end", id }] : [];
    const finish = (await frame.finish(event, session.call?.clientReferenceId)) ?? "";
    return [...text, ...end, { type: "finish-step" }, finish, done];
  };

  return {
    headers: { ...eventStream, "x-vercel-ai-ui-message-stream": "v1" },
    start: [frame.start ?? "", { type: "start-step" }],
    event: (event) => (event.event === "response_completed" ? completed(event) : delta(deltas.push(event))),
    // Also for an abort: the SDK's client takes a chunk `abort` that it did not ask for as a finished response.
    failure: (_error, message) => [...delta(deltas.flush()), { type: "error", errorText: message() }, done],
  };
}

const bareFrame: MessageFrame = { start: { type: "start" }, finish: async () => ({ type: "finish" }) };
const done = "data: [DONE]\n\n";

/** Returns the text of a piece, as it is sent. */
export function textOfPiece(piece: RelayPiece): string {
  return typeof piece === "string" ? piece : data(piece);
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Writes an event under its name, if the name fits on a line: an unknown one may hold anything. */
function named<Event extends { readonly event: string }>(event: Event): string {
  return (/^[\w.-]{1,100}$/.test(event.event) ? `event: ${event.event}\n` : "") + data(event);
}
