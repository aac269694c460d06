import { defaults } from "../../defaults.ts";

/**
 * The text of the chunks so far. It is bounded: a text that is longer than an event may be cannot be completed, because
 * `response_completed` holds all of it.
 */
export class PartialText {
  text = "";
  /** False once some of it was not kept. */
  isWhole = true;
  readonly #longest: number;

  constructor(maxEventBytes: number | undefined) {
    this.#longest = maxEventBytes ?? defaults.maxEventBytes;
  }

  add(chunk: string): void {
    const room = this.#longest - this.text.length;
    if (chunk.length > room) this.isWhole = false;
    this.text += chunk.length > room ? chunk.slice(0, room) : chunk;
  }
}
