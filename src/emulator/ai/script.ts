import type { Issue } from "../../errors/base.ts";
import { listOf, type Rules, readOptions, string } from "../../shared/options.ts";
import type { SampleEvent } from "../catalogue/ai.ts";
import { codeAndMessage, isRefusal } from "../scripts/refusal.ts";
import type { StreamScript } from "../scripts/types.ts";
import { type AiTurn, splitWords, streamEvents } from "./events.ts";

const rules: Rules<StreamScript> = {
  chunks: listOf(string, 0),
  text: string,
  refusal: (value) => {
    if (!isRefusal(value)) return "must be made by `refusal()`";
    const extra = (["httpStatus", "retryAfter", "fields"] as const).find((name) => value[name] !== undefined);
    return extra && `must be made without \`${extra}\`: the last event has a code and a message, and nothing else`;
  },
};

/** Returns nothing: what is not a script of a stream throws a `ConfigurationError` that says why. */
export function checkStream(given: unknown): readonly Issue[] {
  readStream(given);
  return [];
}

/** Reads the script of a stream: its text, its chunks, or all of it. */
export function readStream(given: unknown): StreamScript {
  if (typeof given === "string") return { text: given };
  return readOptions<StreamScript>(
    "emulator.script: ai.stream",
    Array.isArray(given) ? { chunks: given } : given,
    rules,
  );
}

/** Returns the events of a scripted stream. */
export function scriptedEvents(turn: AiTurn, { text, chunks, refusal }: StreamScript): readonly SampleEvent[] {
  const pieces = chunks ?? splitWords(text ?? "");
  const end = refusal === undefined ? { text: text ?? pieces.join("") } : codeAndMessage(refusal, "ai");
  return streamEvents(turn, pieces, end);
}
