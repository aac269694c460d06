import { defaults } from "../../defaults.ts";
import type { StreamOptions } from "../../options.ts";

/** The deadlines of a stream that end it (docs/assumptions.md, D2 and D3). */
export type StreamDeadline = "idle" | "event" | "stream";

/** What is awaited until when: a deadline, or the missing chunk for which others are held back (docs/assumptions.md, I2). */
export type Limit = StreamDeadline | "hold";

/** For how long a first chunk of 1 waits for one of 0: chunks that swapped come together, and nobody sees the delay. */
const startHold = 20;

/**
 * The deadlines of one stream. Only time that was spent waiting for the network counts, so that a slow consumer is
 * never taken for a stall; the one for the whole stream runs by the clock.
 */
export class Deadlines {
  /** Each deadline's length in milliseconds. */
  readonly lengths: Readonly<Record<Limit, number>>;
  readonly #streamEndsAt: number;
  #idleLeft: number;
  #eventLeft: number;
  #holdLeft = Number.POSITIVE_INFINITY;
  #waited = 0;

  /** @param startedAt - When the stream was asked for, by `performance.now()`. */
  constructor(options: StreamOptions, startedAt: number) {
    this.lengths = {
      idle: lengthOf(options.idleTimeout, defaults.idleTimeout),
      event: lengthOf(options.eventTimeout, defaults.eventTimeout),
      stream: lengthOf(options.streamTimeout, defaults.streamTimeout),
      hold: lengthOf(options.reorderTimeout, defaults.reorderTimeout),
    };
    this.#streamEndsAt = startedAt + this.lengths.stream;
    this.#idleLeft = this.lengths.idle;
    this.#eventLeft = this.lengths.event;
  }

  /** The limit that is reached first, and in how many milliseconds. */
  next(now: number): { readonly limit: Limit; readonly left: number } {
    let limit: Limit = "idle";
    let left = this.#idleLeft;
    if (this.#eventLeft < left) [limit, left] = ["event", this.#eventLeft];
    if (this.#holdLeft < left) [limit, left] = ["hold", this.#holdLeft];
    const streamLeft = this.#streamEndsAt - now;
    if (streamLeft < left) [limit, left] = ["stream", streamLeft];
    return { limit, left };
  }

  /** How long the network was waited for so far. */
  get now(): number {
    return this.#waited;
  }

  /** So long the network was waited for. */
  waited(milliseconds: number): void {
    this.#waited += milliseconds;
    this.#idleLeft -= milliseconds;
    this.#eventLeft -= milliseconds;
  }

  bytesCame(): void {
    this.#idleLeft = this.lengths.idle;
  }

  eventCame(): void {
    this.#eventLeft = this.lengths.event;
  }

  /**
   * @param since - When the chunk came that is held back for longest, by {@link now}; `undefined` if none is.
   * @param mayBeStart - Whether it is probably the first chunk of the text.
   */
  hold(since: number | undefined, mayBeStart = false): void {
    const length = mayBeStart ? Math.min(startHold, this.lengths.hold) : this.lengths.hold;
    this.#holdLeft = since === undefined ? Number.POSITIVE_INFINITY : since + length - this.#waited;
  }
}

function lengthOf(option: number | false | undefined, byDefault: number | false): number {
  const length = option ?? byDefault;
  return length === false ? Number.POSITIVE_INFINITY : length;
}
