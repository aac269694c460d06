import { PartialText } from "./partial-text.ts";
import type { AiEvent } from "./types.ts";
import { WholeCharacters } from "./whole-characters.ts";

/** The text of a stream in parts that can be shown as they come: ordered, and cut between characters only. */
export class TextParts {
  readonly #characters = new WholeCharacters();
  readonly #before = new PartialText(undefined);

  /** What this event adds to the text; empty for most that are no output. */
  push(event: AiEvent): string {
    if (event.event === "response_output") return this.#add(chunkOf(event));
    return event.event === "response_completed" ? this.#complete(textOf(event)) : "";
  }

  /** What is still held back, when nothing more will come. */
  flush(): string {
    return this.#characters.flush();
  }

  #add(chunk: string): string {
    this.#before.add(chunk);
    return this.#characters.push(chunk);
  }

  /** The completed text is authoritative (policy 19): where it goes on beyond the chunks, so do the parts. */
  #complete(text: string): string {
    const { text: before, isWhole } = this.#before;
    const missing = isWhole && text.startsWith(before) ? text.slice(before.length) : "";
    return this.#characters.push(missing) + this.#characters.flush();
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
