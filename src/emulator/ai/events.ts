/** An event of a stream. */
export type AiEventBody = Readonly<Record<string, unknown>>;

/** The fields that all events of one response share. */
export interface AiTurn {
  readonly context_token: string;
  readonly parent_context_token: string | null;
  readonly msg_id: string;
  /** The position in its chain, from 1. */
  readonly number: number;
}

const success = { status: "SUCCESS", status_code: "200", message: "Response generation successful." };

/** Returns the emulator's response to a prompt: the prompt as a Markdown quotation. */
export function echoText(text: string, turn: number, images: number): string {
  const quotation = text.split("\n").map((line) => `> ${line}`);
  const facts = [`- Turn **${turn}** of this conversation`, `- \`${text.length}\` characters`];
  if (images > 0) facts.push(`- ${images} ${images === 1 ? "image" : "images"}`);
  return ["## You wrote", "", ...quotation, "", ...facts, ""].join("\n");
}

/** Returns the body of a response that is not streamed (§2.3, §3.2). */
export function wholeBody({ context_token, parent_context_token, msg_id }: AiTurn, text: string): AiEventBody {
  return { ...success, response_status: "completed", context_token, parent_context_token, system: { msg_id, text } };
}

/** Cuts a string into words, with the white space around them. */
export function splitWords(text: string): readonly string[] {
  return [...text.matchAll(/^\s*\S+\s*|\S+\s*/g)].map(([word]) => word);
}

/** The end of a stream: its final text, or the code and message of a failure. */
export type StreamEnd = { readonly text: string } | { readonly code: number; readonly message: string };

/** Returns the events of §6.1 for chunks, numbered from 1. */
export function streamEvents(turn: AiTurn, chunks: readonly string[], end: StreamEnd): readonly AiEventBody[] {
  return [
    initiatedEvent(turn),
    ...chunks.map((text, index) => outputEvent(turn, index + 1, text)),
    "text" in end ? completedEvent(turn, end.text) : failedEvent(turn, end),
  ];
}

/** Returns the first event. */
export function initiatedEvent({ context_token, parent_context_token }: AiTurn): AiEventBody {
  return {
    status: "PENDING",
    status_code: "102",
    message: "Response generation initiated.",
    event: "response_initiated",
    response_status: "initiated",
    context_token,
    parent_context_token,
    system: [],
  };
}

/** Returns the event of a chunk. */
export function outputEvent({ msg_id }: AiTurn, sequence_no: number, text_chunk: string): AiEventBody {
  const system = { msg_id, text_chunk };
  return { status: "PROCESSING", status_code: "206", event: "response_output", sequence_no, system };
}

/** Returns the last event of a stream that succeeds. */
export function completedEvent(turn: AiTurn, text: string): AiEventBody {
  return { ...success, event: "response_completed", ...wholeBody(turn, text) };
}

/** The document names the status FAILED of a generation (§2.3), and no event for it. */
function failedEvent({ context_token }: AiTurn, { code, message }: Exclude<StreamEnd, { text: string }>): AiEventBody {
  const failed = { status: "FAILED", status_code: `${code}`, message, event: "response_failed" };
  return { ...failed, response_status: "failed", context_token, system: [] };
}
