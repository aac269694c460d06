import type { EventReader } from "./event-reader.ts";
import type { AiEvent } from "./types.ts";
import { WholeCharacters } from "./whole-characters.ts";

/** The text of a stream in parts that can be shown as they come: ordered, and cut between characters only. */
export class TextParts {
  readonly #reader: EventReader;
  readonly #characters = new WholeCharacters();

  constructor(reader: EventReader) {
    this.#reader = reader;
  }

  /** What this event, just read by the reader, adds to the text; empty for most that are no output. */
  push(event: AiEvent): string {
    if (event.event === "response_output") return this.#characters.push(chunkOf(event));
    return event.event === "response_completed" ? this.#characters.push(this.#reader.remainder) + this.flush() : "";
  }

  /** What is still held back, when nothing more will come. */
  flush(): string {
    return this.#characters.flush();
  }
}

/** With `validation.response: "off"`, the types of an event are only promised. */
export function chunkOf(event: { readonly system?: { readonly text_chunk?: unknown } | null }): string {
  const chunk = event.system?.text_chunk;
  return typeof chunk === "string" ? chunk : "";
}

/** The full text of a completed event. */
export function textOf(event: { readonly system?: { readonly text?: unknown } | null }): string {
  const text = event.system?.text;
  return typeof text === "string" ? text : "";
}
