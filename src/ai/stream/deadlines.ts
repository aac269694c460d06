import { defaults, type StreamOptions } from "../../options.ts";

/** The deadlines of a stream that end it (docs/assumptions.md, D2 and D3). */
export type StreamDeadline = "idle" | "event" | "stream";

/**
 * A limit of a wait: a deadline, or the time for which chunks are held back for a missing one (docs/assumptions.md,
 * I2).
 */
export type Limit = StreamDeadline | "hold";

/**
 * The deadlines of one stream. Only time for which the consumer waits counts, so that a slow one is never taken for a
 * stall. The one for the whole stream runs by the clock.
 */
export class Deadlines {
  /** Each deadline's length in milliseconds. */
  readonly lengths: Readonly<Record<Limit, number>>;
  readonly #streamEndsAt: number;
  #idleLeft: number;
  #eventLeft: number;
  #holdLeft = Number.POSITIVE_INFINITY;
  #waited = 0;

  /** @param startedAt - The time of the call, by `performance.now()`. */
  constructor({ stream = {} }: StreamOptions, startedAt: number) {
    this.lengths = {
      idle: lengthOf(stream.idleTimeout, defaults.stream.idleTimeout),
      event: lengthOf(stream.eventTimeout, defaults.stream.eventTimeout),
      stream: lengthOf(stream.timeout, defaults.stream.timeout),
      hold: lengthOf(stream.reorderTimeout, defaults.stream.reorderTimeout),
    };
    this.#streamEndsAt = startedAt + this.lengths.stream;
    this.#idleLeft = this.lengths.idle;
    this.#eventLeft = this.lengths.event;
  }

  /** Returns the limit that is reached first, and the milliseconds until then. */
  next(now: number): { readonly limit: Limit; readonly left: number } {
    let limit: Limit = "idle";
    let left = this.#idleLeft;
    if (this.#eventLeft < left) [limit, left] = ["event", this.#eventLeft];
    if (this.#holdLeft < left) [limit, left] = ["hold", this.#holdLeft];
    const streamLeft = this.#streamEndsAt - now;
    if (streamLeft < left) [limit, left] = ["stream", streamLeft];
    return { limit, left };
  }

  /** Milliseconds for which the consumer has waited so far. */
  get now(): number {
    return this.#waited;
  }

  /** Counts time that was spent waiting for the network. */
  waited(milliseconds: number): void {
    this.#waited += milliseconds;
    this.#idleLeft -= milliseconds;
    this.#eventLeft -= milliseconds;
  }

  /** Counts time that was spent on bytes which made no event ready: the consumer waits for that too. */
  decoded(milliseconds: number): void {
    this.#waited += milliseconds;
    this.#eventLeft -= milliseconds;
  }

  bytesReceived(): void {
    this.#idleLeft = this.lengths.idle;
  }

  eventReceived(): void {
    this.#eventLeft = this.lengths.event;
  }

  /**
   * Sets the limit for chunks that are held back.
   *
   * @param since - The arrival, by {@link now}, of the one held back for longest; `undefined` if none is.
   */
  hold(since: number | undefined): void {
    this.#holdLeft = since === undefined ? Number.POSITIVE_INFINITY : since + this.lengths.hold - this.#waited;
  }
}

function lengthOf(option: number | false | undefined, byDefault: number | false): number {
  const length = option ?? byDefault;
  return length === false ? Number.POSITIVE_INFINITY : length;
}
