import { chunkOf } from "../events.ts";
import type { StreamSession } from "../stream/stream-session.ts";
import type { AiEvent } from "../types.ts";

/** Reads the text of a stream, in whole characters. None is lost: what was held back comes before the error. */
export async function* readText(session: StreamSession): AsyncGenerator<string, undefined> {
  const characters = new GraphemeBuffer();
  try {
    for (let pulled = await session.next(); !pulled.done; pulled = await session.next()) {
      const text = characters.pushEvent(pulled.value, session);
      if (text !== "") yield text;
    }
  } catch (error) {
    const rest = characters.flush();
    if (rest !== "") yield rest;
    throw error;
  }
  return undefined;
}

/**
 * More UTF-16 units than any real character takes: text without an end to its characters is not held back indefinitely.
 */
const maxCharacterLength = 256;

/** The start of a character that does not wait: an ASCII one, or a mark whose base has been passed on. */
const unheld = /^(?:[^\u0080-\u{10ffff}]|\p{M})/u;
/** The first half of a line end, perhaps. It is not seen alone. */
const carriageReturn = 0x0d;

/**
 * Passes text on in whole characters as a person sees them. A chunk may end inside a surrogate pair, before the vowel
 * sign of a Devanagari syllable, or within a family of emoji, and a screen must not flicker through halves. Text in
 * ASCII does not wait for that: an accent that follows a letter is passed on alone.
 */
export class GraphemeBuffer {
  #segmenter: Intl.Segmenter | undefined;
  #held = "";

  /** Returns the part that an event, just read, adds to the text; an empty string for most that are not outputs. */
  pushEvent(event: AiEvent, session: StreamSession): string {
    if (event.event === "response_output") return this.push(chunkOf(event));
    return event.event === "response_completed" ? this.push(session.remainder) + this.flush() : "";
  }

  /** Returns the characters that are whole for certain. A last one that what follows may belong to waits. */
  push(chunk: string): string {
    const text = this.#held + chunk;
    const end = this.#certain(text);
    this.#held = text.slice(end);
    return text.slice(0, end);
  }

  /** Returns the text that is left at the end. */
  flush(): string {
    const text = this.#held;
    this.#held = "";
    return text;
  }

  #certain(text: string): number {
    // Half a character says nothing of whether it belongs to the one before it.
    const end = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.length - 1 : text.length;
    const code = text.charCodeAt(end - 1);
    if (code === carriageReturn) return end - 1;
    if (end === 0 || code < 0x80) return end;
    const last = this.#startOfLast(text.slice(0, end));
    return end - last > maxCharacterLength || unheld.test(text.slice(last, last + 2)) ? end : last;
  }

  #startOfLast(text: string): number {
    this.#segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
    return this.#segmenter.segment(text).containing(text.length - 1)?.index ?? 0;
  }
}
