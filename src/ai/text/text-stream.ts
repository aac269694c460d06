import type { EventReader } from "../stream/event-reader.ts";
import { TextParts } from "./text-deltas.ts";

/** The parts of a text as an iterator. One that is left lets go of the connection at once, also while it waits. */
export class TextIterator implements AsyncIterableIterator<string, undefined> {
  readonly #events: EventReader;
  readonly #parts: TextParts;
  #turn: Promise<unknown> = Promise.resolve();
  #thrown: { readonly error: unknown } | undefined;

  constructor(events: EventReader) {
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
    await this.#events.return();
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
