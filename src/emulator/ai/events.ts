import { tableOf } from "../names.ts";
import failed from "../samples/ai/response-failed-200.json" with { type: "json" };
import hindi from "../samples/ai/response-whole-follow-up-hindi.json" with { type: "json" };
import markdown from "../samples/ai/response-whole-markdown.json" with { type: "json" };

export type AiEventBody = Readonly<Record<string, unknown>>;

export interface AiTurn {
  readonly context_token: string;
  readonly parent_context_token: string | null;
  readonly msg_id: string;
  readonly number: number;
}

const success = { status: "SUCCESS", status_code: "200", message: "Response generation successful." };

/** Returns the emulator's response to a prompt: the prompt as a Markdown quotation. */
export function echoText(text: string, { number }: AiTurn, images: readonly unknown[] = []): string {
  const quotation = text.split("\n").map((line) => `> ${line}`);
  const facts = [`- Turn **${number}** of this conversation`, `- \`${text.length}\` characters`];
  if (images.length > 0) facts.push(`- ${images.length} ${images.length === 1 ? "image" : "images"}`);
  return ["## You wrote", "", ...quotation, "", ...facts, ""].join("\n");
}

/** Returns the body of a response that is not streamed (§2.3, §3.2). */
export function wholeBodyOf({ context_token, parent_context_token, msg_id }: AiTurn, text: string): AiEventBody {
  return { ...success, response_status: "completed", context_token, parent_context_token, system: { msg_id, text } };
}

export function splitWords(text: string): readonly string[] {
  return [...text.matchAll(/^\s*\S+\s*|\S+\s*/g)].map(([word]) => word);
}

type StreamEnd = { readonly text: string } | { readonly code: number; readonly message: string };

/** The string of a chunk, which is numbered by its place from 1, or one with another number. */
type Chunk = string | readonly [sequence_no: number, text: string];

/** Returns the events of §6.1 for chunks. The document names the status FAILED (§2.3), and no event for it. */
export function streamEvents(turn: AiTurn, chunks: readonly Chunk[], end: StreamEnd): readonly AiEventBody[] {
  const { context_token, parent_context_token } = turn;
  const initiated = {
    ...{ status: "PENDING", status_code: "102", message: "Response generation initiated." },
    ...{ event: "response_initiated", response_status: "initiated", context_token, parent_context_token, system: [] },
  };
  const outputs = chunks.map((chunk, index) =>
    typeof chunk === "string" ? outputEvent(turn, index + 1, chunk) : outputEvent(turn, ...chunk),
  );
  if ("text" in end) {
    return [initiated, ...outputs, { ...success, event: "response_completed", ...wholeBodyOf(turn, end.text) }];
  }
  const failed = { status: "FAILED", status_code: `${end.code}`, message: end.message, event: "response_failed" };
  return [initiated, ...outputs, { ...failed, response_status: "failed", context_token, system: [] }];
}

function outputEvent({ msg_id }: AiTurn, sequence_no: number, text_chunk: string): AiEventBody {
  const system = { msg_id, text_chunk };
  return { status: "PROCESSING", status_code: "206", event: "response_output", sequence_no, system };
}

export const aiBodies = tableOf<AiEventBody>()({
  "response-whole-markdown": markdown,
  "response-whole-follow-up-hindi": hindi,
  "response-failed-200": failed,
});

export const oneBodyText = "The gateway ignored stream:true.";

const { text } = markdown.system;
const words = splitWords(text);

/** Streams by name (§6.1). Most of them show cases on which the document is silent. */
export const aiStreams = tableOf<(turn: AiTurn) => readonly AiEventBody[]>()({
  "stream-markdown": (turn) => streamEvents(turn, words, { text }),
  // One code point in each chunk; one UTF-16 unit in each chunk.
  "stream-hindi-emoji": (turn) => streamEvents(turn, [...hindi.system.text], hindi.system),
  "stream-lone-surrogates": (turn) => streamEvents(turn, hindi.system.text.split(""), hindi.system),
  "stream-out-of-order": (turn) => numbered(turn, [1, 3, 2, 4]),
  "stream-first-chunks-swapped": (turn) => numbered(turn, [2, 3, 1, 4]),
  "stream-sequence-starts-at-4-with-gaps": (turn) => {
    const chunks = ["One ", "two ", "three ", "four"].map((word, index): Chunk => [4 + 3 * index, word]);
    return streamEvents(turn, chunks, { text: "One two three four" });
  },
  "stream-duplicate-sequence": (turn) => numbered(turn, [1, 1, 2], ["alpha ", "beta"]),
  "stream-final-text-differs": (turn) => streamEvents(turn, ["Hello ", "wor", "ld"], { text: "Hello world." }),
  "stream-truncated": (turn) => streamEvents(turn, words.slice(0, 8), { text }).slice(0, -1),
  "stream-failed-midway": (turn) =>
    streamEvents(turn, words.slice(0, 4), { code: 500, message: "Generation stopped." }),
  "stream-unknown-event": (turn) => {
    const note = { msg_id: turn.msg_id, note: "new kind of event" };
    const unknown = { ...outputEvent(turn, 2, ""), event: "response_reasoning", system: note };
    return streamEvents(turn, ["alpha ", "beta"], { text: "alpha beta" }).toSpliced(2, 0, unknown);
  },
  "stream-empty-output": (turn) => streamEvents(turn, [], { text: "" }),
});

function numbered(turn: AiTurn, order: readonly number[], chunks = ["alpha ", "beta ", "gamma ", "delta"]) {
  const inOrder = order.map((number): Chunk => [number, chunks[number - 1] ?? ""]);
  return streamEvents(turn, inOrder, { text: chunks.join("") });
}
