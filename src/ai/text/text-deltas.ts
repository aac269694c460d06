import type { EventReader } from "../stream/event-reader.ts";
import type { AiEvent } from "../types.ts";
import { chunkOf } from "./event-text.ts";
import { WholeCharacters } from "./grapheme-buffer.ts";

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
