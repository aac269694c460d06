import type { AiEvent } from "./types.ts";
import { WholeCharacters } from "./whole-characters.ts";

/** What a reader knows of the text it has read. */
export interface TextSource {
  /** What the completed text, which is authoritative (policy 19), has beyond the chunks; empty where it differs otherwise. */
  readonly remainder: string;
}

/** The text of a stream in parts that can be shown as they come: ordered, and cut between characters only. */
export class TextParts {
  readonly #source: TextSource;
  readonly #characters = new WholeCharacters();

  constructor(source: TextSource) {
    this.#source = source;
  }

  /** What this event, just read from the source, adds to the text; empty for most that are no output. */
  push(event: AiEvent): string {
    if (event.event === "response_output") return this.#characters.push(chunkOf(event));
    return event.event === "response_completed" ? this.#characters.push(this.#source.remainder) + this.flush() : "";
  }

  /** What is still held back, when nothing more will come. */
  flush(): string {
    return this.#characters.flush();
  }
}

/** The parts of a text as an iterator. One that is left lets go of the connection at once, also while it waits. */
export class TextIterator implements AsyncIterableIterator<string, undefined> {
  readonly #events: AsyncIterator<AiEvent, undefined> & TextSource;
  readonly #parts: TextParts;
  #turn: Promise<unknown> = Promise.resolve();
  #thrown: { readonly error: unknown } | undefined;

  constructor(events: AsyncIterator<AiEvent, undefined> & TextSource) {
    this.#events = events;
    this.#parts = new TextParts(events);
  }

  /** Pulls at the same time queue up. */
  next(): Promise<IteratorResult<string, undefined>> {
    const pulled = this.#turn.then(() => this.#pull());
    this.#turn = pulled.catch(() => {});
    return pulled;
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    await this.#events.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #pull(): Promise<IteratorResult<string, undefined>> {
    const thrown = this.#thrown;
    this.#thrown = undefined;
    if (thrown !== undefined) throw thrown.error;
    try {
      for (;;) {
        const { done, value } = await this.#events.next();
        if (done) return { done, value: undefined };
        const text = this.#parts.push(value);
        if (text !== "") return { done: false, value: text };
      }
    } catch (error) {
      // Nothing that came is lost: the last character is whole, for nothing follows it.
      const rest = this.#parts.flush();
      if (rest === "") throw error;
      this.#thrown = { error };
      return { done: false, value: rest };
    }
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
