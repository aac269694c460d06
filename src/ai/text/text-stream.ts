import { chunkOf } from "../events.ts";
import type { StreamSession } from "../stream/stream-session.ts";
import type { AiEvent } from "../types.ts";
import { GraphemeBuffer } from "./grapheme-buffer.ts";

/** The parts of a stream's text that can be shown immediately: ordered, and cut between characters only. */
export class TextDeltas {
  readonly #session: StreamSession;
  readonly #graphemes = new GraphemeBuffer();

  constructor(session: StreamSession) {
    this.#session = session;
  }

  /** Returns the part that this event, just read, adds to the text; an empty string for most that are not outputs. */
  push(event: AiEvent): string {
    if (event.event === "response_output") return this.#graphemes.push(chunkOf(event));
    if (event.event !== "response_completed") return "";
    return this.#graphemes.push(this.#session.transcript.remainder) + this.flush();
  }

  /** Returns the part that is held back, when no event follows. */
  flush(): string {
    return this.#graphemes.flush();
  }
}

/** The text of a stream as an iterator. `return()` closes the connection immediately, even while a read is pending. */
export class TextStream implements AsyncIterableIterator<string, undefined> {
  readonly #session: StreamSession;
  readonly #deltas: TextDeltas;
  #turn: Promise<unknown> = Promise.resolve();
  /** The error that follows the last part of the text. */
  #pending: { readonly error: unknown } | undefined;

  constructor(session: StreamSession) {
    this.#session = session;
    this.#deltas = new TextDeltas(session);
  }

  /** Returns the next part of the text. Pulls at the same time queue up. */
  next(): Promise<IteratorResult<string, undefined>> {
    const pulled = this.#turn.then(() => this.#pull());
    this.#turn = pulled.catch(() => {});
    return pulled;
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    await this.#session.leave();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #pull(): Promise<IteratorResult<string, undefined>> {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) throw pending.error;
    try {
      for (;;) {
        const { done, value } = await this.#session.next(this);
        if (done) return { done, value: undefined };
        const text = this.#deltas.push(value);
        if (text !== "") return { done: false, value: text };
      }
    } catch (error) {
      // No text is lost: the last character is whole, because none follows it.
      const rest = this.#deltas.flush();
      if (rest === "") throw error;
      this.#pending = { error };
      return { done: false, value: rest };
    }
  }
}
