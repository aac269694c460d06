import type { ServiceApiError } from "../../errors/base.ts";
import type { AiEvent } from "../types.ts";
import { leaveWhenDropped } from "./dropped-readers.ts";
import { finished, type Pulled, type Reading } from "./stream-session.ts";

/** The one reader's way through a stream. When it is dropped, the stream is left. */
export class EventReader implements AsyncIterableIterator<AiEvent, undefined> {
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
    leaveWhenDropped(this, reading);
  }

  /** What the completed text has beyond the chunks; known once the last event has been read. */
  get remainder(): string {
    return this.#reading.remainder;
  }

  next(): Promise<Pulled> {
    return this.#reading.next(this);
  }

  return(): Promise<Pulled> {
    this.#reading.leave();
    return Promise.resolve(finished);
  }

  /** Ends the stream because its reader cannot go on with an event, and returns the error that says so. */
  refuse(why: string): ServiceApiError {
    return this.#reading.refuse(why);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
