import type { SampleNames } from "../rules/names.ts";
import failed from "../samples/ai/response-failed-200.json" with { type: "json" };
import hindi from "../samples/ai/response-whole-follow-up-hindi.json" with { type: "json" };
import markdown from "../samples/ai/response-whole-markdown.json" with { type: "json" };
import {
  type AiEventBody,
  type AiTurn,
  completedEvent,
  initiatedEvent,
  outputEvent,
  splitWords,
  streamEvents,
} from "./events.ts";

/** Bodies that are not streamed by name (§2.3). */
export const aiBodies: Readonly<Record<SampleNames["ai.createResponse"], AiEventBody>> = {
  "response-whole-markdown": markdown,
  "response-whole-follow-up-hindi": hindi,
  "response-failed-200": failed,
};

/** The text of `stream-answered-as-one-body`, which has no events. */
export const oneBodyText = "The gateway ignored stream:true.";

type AiStreamName = Exclude<SampleNames["ai.stream"], "stream-answered-as-one-body">;

const { text } = markdown.system;
const words = splitWords(text);

/** Streams by name (§6.1). Most of them show cases on which the document is silent. */
export const aiStreams: Readonly<Record<AiStreamName, (turn: AiTurn) => readonly AiEventBody[]>> = {
  "stream-markdown": (turn) => streamEvents(turn, words, { text }),
  // One code point in each chunk; one UTF-16 unit in each chunk.
  "stream-hindi-emoji": (turn) => streamEvents(turn, [...hindi.system.text], hindi.system),
  "stream-lone-surrogates": (turn) => streamEvents(turn, hindi.system.text.split(""), hindi.system),
  "stream-out-of-order": (turn) => numbered(turn, [1, 3, 2, 4]),
  "stream-first-chunks-swapped": (turn) => numbered(turn, [2, 3, 1, 4]),
  "stream-sequence-starts-at-4-with-gaps": (turn) => [
    initiatedEvent(turn),
    ...["One ", "two ", "three ", "four"].map((word, index) => outputEvent(turn, 4 + 3 * index, word)),
    completedEvent(turn, "One two three four"),
  ],
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
};

/** Returns a stream whose chunks come in the order of these numbers. */
function numbered(
  turn: AiTurn,
  order: readonly number[],
  chunks: readonly string[] = ["alpha ", "beta ", "gamma ", "delta"],
): readonly AiEventBody[] {
  return [
    initiatedEvent(turn),
    ...order.map((number) => outputEvent(turn, number, chunks[number - 1] ?? "")),
    completedEvent(turn, chunks.join("")),
  ];
}
