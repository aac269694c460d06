/**
 * Decides when the next request may start: a number of requests at the same time, a number per second, and pauses that
 * the service asks for. A 429 halves both numbers; each other response lets them recover.
 *
 * It is ours because no maintained library holds back what already waits while it changes the rate. The concurrency of
 * `p-queue` can be set and the queue can be paused, but `intervalCap` and `interval` are fixed. `p-throttle` fixes both
 * and sets a timer for each call, which a `Retry-After` does not move. `bottleneck` can change both, but a job that
 * has left its queue waits for its own timer and then starts; its last release is of 2019. `limiter` counts tokens per
 * interval, starts them in bursts and cannot be held. Window and order of the results come from `p-map`.
 */
export class Pace {
  readonly #asked: Limits;
  #limits: Limits;
  #inFlight = 0;
  /** The earliest time at which the next request may start. */
  #nextAt = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;
  #waiting: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped: { readonly error: unknown } | undefined;

  constructor(asked: Limits) {
    this.#asked = asked;
    this.#limits = asked;
  }

  /**
   * Resolves with the time when a request may start. `done` ends its turn. The lowest index goes first: in the order of
   * the inputs, the others wait for its result.
   *
   * @param notBefore - The earliest time, by `performance.now()`.
   */
  turn(index: number, notBefore: number): Promise<number> {
    return new Promise((start, refuse) => {
      if (this.#stopped !== undefined) return refuse(this.#stopped.error);
      this.#waiting.push({ index, notBefore, start, refuse });
      this.#startNext();
    });
  }

  /** Number of requests that are under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Ends a turn. */
  done(): void {
    this.#inFlight--;
    this.#startNext();
  }

  /** Returns a turn in which nothing was sent, before `done`. */
  giveBack(): void {
    this.#nextAt -= this.#spacing;
  }

  /** Holds back every request for this number of milliseconds. */
  hold(duration: number): void {
    this.#nextAt = Math.max(this.#nextAt, performance.now() + duration);
  }

  /** Halves the limits after a 429 to a request that started at this time: once for all that were under way together. */
  slowDown(startedAt: number): void {
    if (startedAt < this.#slowedAt) return;
    this.#slowedAt = performance.now();
    const { concurrency, perSecond } = this.#limits;
    this.#limits = {
      concurrency: Math.max(1, concurrency / 2),
      perSecond: Math.max(this.#asked.perSecond * slowest, perSecond / 2),
    };
  }

  /** Lets the limits recover a little. */
  speedUp(): void {
    const { concurrency, perSecond } = this.#asked;
    this.#limits = {
      concurrency: Math.min(concurrency, this.#limits.concurrency + concurrency * recovery),
      perSecond: Math.min(perSecond, this.#limits.perSecond + perSecond * recovery),
    };
  }

  /** Refuses all that wait, and every later turn. No timer is left. */
  stop(error: unknown): void {
    this.#stopped = { error };
    clearTimeout(this.#timer);
    for (const { refuse } of this.#waiting.splice(0)) refuse(error);
  }

  /** Milliseconds between two requests, so that no second has more than `perSecond` although one may be made up for. */
  get #spacing(): number {
    return (1_000 + lateness) / this.#limits.perSecond;
  }

  #startNext(): void {
    clearTimeout(this.#timer);
    while (this.#waiting.length > 0 && this.#inFlight < Math.floor(this.#limits.concurrency)) {
      const now = performance.now();
      const at = Math.max(this.#nextAt, Math.min(...this.#waiting.map(({ notBefore }) => notBefore)));
      if (at > now) {
        this.#timer = setTimeout(() => this.#startNext(), Math.min(Math.ceil(at - now), longestTimer));
        return;
      }
      this.#inFlight++;
      this.#nextAt = Math.max(this.#nextAt, now - lateness) + this.#spacing;
      this.#takeNext(now).start(now);
    }
  }

  #takeNext(now: number): Waiting {
    const due = this.#waiting.filter(({ notBefore }) => notBefore <= now);
    const next = due.reduce((first, other) => (other.index < first.index ? other : first));
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    return next;
  }
}

/** The most that may be under way at the same time, and may start in a second. */
export interface Limits {
  readonly concurrency: number;
  readonly perSecond: number;
}

interface Waiting {
  readonly index: number;
  readonly notBefore: number;
  readonly start: (now: number) => void;
  readonly refuse: (error: unknown) => void;
}

/** The part of the rate that remains after any number of 429s, and the part that a response brings back. */
const slowest = 1 / 32;
const recovery = 1 / 50;
/** Milliseconds of a late timer that the next request makes up for. */
const lateness = 20;
const longestTimer = 2_147_483_647;
