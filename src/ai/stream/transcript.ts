import { chunkOf, fullTextOf } from "../events.ts";
import type { AiEvent, ResponseCompleted } from "../types.ts";

/**
 * A record of the events that have been read: their number, their text, the token of the response.
 *
 * The text of the chunks is bounded: text that is longer than the largest event cannot be completed, because
 * `response_completed` holds all of it.
 */
export class Transcript {
  /** The number of events. */
  events = 0;
  contextToken: string | undefined;
  /** The completed event, if it has been read. */
  response: ResponseCompleted | undefined;
  /** The length up to which the text of the chunks is kept. */
  maxLength: number;
  #text = "";
  #hasChunks = false;
  /** True once a part of the text was not kept. */
  #isCut = false;

  constructor(maxLength: number) {
    this.maxLength = maxLength;
  }

  /** The text so far; the whole text once it has completed. */
  get text(): string {
    return this.response === undefined ? this.#text : fullTextOf(this.response);
  }

  /** Whether a token or a chunk of the response has come. */
  get hasBegun(): boolean {
    return this.#hasChunks || this.contextToken !== undefined;
  }

  // Compared on demand: joining thousands of chunks costs as much as reading them.

  /** True if the completed text, which is authoritative (docs/assumptions.md, I3), differs from the chunks. */
  get textMismatch(): boolean {
    return this.response !== undefined && this.#hasChunks && (this.#isCut || this.#text !== this.text);
  }

  /** The part of the completed text that goes beyond the chunks; empty if it differs otherwise. */
  get remainder(): string {
    if (this.response === undefined || this.#isCut || !this.text.startsWith(this.#text)) return "";
    return this.text.slice(this.#text.length);
  }

  add(event: AiEvent): void {
    this.events++;
    if (event.event === "response_output") {
      const chunk = chunkOf(event);
      const room = this.maxLength - this.#text.length;
      this.#hasChunks = true;
      if (chunk.length > room) this.#isCut = true;
      this.#text += chunk.length > room ? chunk.slice(0, room) : chunk;
    } else if ("context_token" in event && typeof event.context_token === "string") {
      this.contextToken = event.context_token;
    }
  }

  /** Adds an event that was received and will not be read any more. */
  addUnread(event: AiEvent): void {
    this.add(event);
    if (event.event === "response_completed") this.#text = fullTextOf(event);
  }
}
