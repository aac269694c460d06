import { maxTimerMs } from "../../shared/options.ts";
import type { Settings } from "./options.ts";

/**
 * Decides when the next request may start: a number of requests at the same time, a number per second, and pauses that
 * the service asks for. A 429 halves both numbers; each other response lets them recover.
 *
 * Ours, because no maintained queue holds back what already waits while its rate changes.
 */
export class Pace {
  readonly #limits: Pick<Settings, "concurrency" | "perSecond">;
  /** The part of the limits that the 429s of the last time have left. */
  #share = 1;
  #inFlight = 0;
  /** The earliest time at which the next request may start, by the rate. */
  #nextAt = 0;
  /** When the last request left. */
  #sentAt = Number.NEGATIVE_INFINITY;
  /** The end of the pause that the service asked for. */
  #heldUntil = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;
  /** Those that wait, by their index. */
  readonly #waiting: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The end of the run: its error, and the latest time at which a retry may begin. */
  #ended: { readonly error: unknown; readonly latest: number } | undefined;

  constructor(limits: Pick<Settings, "concurrency" | "perSecond">) {
    this.#limits = limits;
  }

  /**
   * Resolves with the time when a request may start. `done` ends its turn. The lowest index goes first: in the order of
   * the inputs, the others wait for its result.
   *
   * @param notBefore - The earliest time, by `performance.now()`; 0 for a first request.
   * @param isReady - Whether the request leaves when its turn comes, without another `confirm`.
   */
  turn(index: number, notBefore: number, isReady = false): Promise<number> {
    return new Promise((start, refuse) => {
      // From the end: most come in their order.
      const place = this.#waiting.findLastIndex((before) => before.index <= index) + 1;
      this.#waiting.splice(place, 0, { index, notBefore, isReady, start, refuse });
      this.#refuseEnded();
      this.#startNext();
    });
  }

  /**
   * Confirms a turn just before its request is sent. One that is late, or began before a hold, waits again: a client
   * may ask a slow function for its credentials.
   *
   * @returns The time when the request may start.
   */
  async confirm(index: number, startedAt: number, notBefore: number): Promise<number> {
    const now = performance.now();
    if (now >= this.#heldUntil && now <= startedAt + lateness) {
      this.#sentAt = now;
      return startedAt;
    }
    this.giveBack();
    this.#inFlight--;
    try {
      return await this.turn(index, notBefore, true);
    } catch (error) {
      this.#inFlight++;
      throw error;
    }
  }

  done(): void {
    this.#inFlight--;
    this.#startNext();
  }

  /** Returns a turn in which nothing was sent, before `done`: the next one may take its time, unless that has passed. */
  giveBack(): void {
    this.#nextAt = Math.min(this.#nextAt, Math.max(this.#nextAt - this.#spacing, this.#sentAt + this.#spacing));
  }

  /** Holds back every request until a time, by `performance.now()`. */
  holdUntil(time: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, time);
    this.#refuseEnded();
  }

  /** Halves the limits after a 429 to a request that started at this time: once for all that were under way together. */
  slowDown(startedAt: number): void {
    if (startedAt < this.#slowedAt) return;
    this.#slowedAt = performance.now();
    this.#share = Math.max(slowest, this.#share / 2);
  }

  speedUp(): void {
    this.#share = Math.min(1, this.#share + recovery);
  }

  /**
   * Refuses first requests, and retries that would begin later: a number that was sent gets its other retries. The
   * earliest of several ends counts.
   *
   * @param grace - The milliseconds in which a retry has to begin. By default none does, and no timer is left.
   */
  end(error: unknown, grace = Number.NEGATIVE_INFINITY): void {
    const latest = performance.now() + grace;
    if (this.#ended === undefined || latest < this.#ended.latest) this.#ended = { error, latest };
    this.#refuseEnded();
  }

  /** Milliseconds between two requests, so that no second has more than `perSecond` although one may be made up for. */
  get #spacing(): number {
    return (1_000 + lateness) / (this.#limits.perSecond * this.#share);
  }

  #refuseEnded(): void {
    if (this.#ended === undefined) return;
    const { error, latest } = this.#ended;
    const isKept = ({ notBefore }: Waiting) => notBefore > 0 && Math.max(notBefore, this.#heldUntil) <= latest;
    for (const one of this.#waiting.splice(0)) {
      if (isKept(one)) this.#waiting.push(one);
      else one.refuse(error);
    }
    if (this.#waiting.length === 0) clearTimeout(this.#timer);
  }

  #startNext(): void {
    clearTimeout(this.#timer);
    while (this.#inFlight < Math.max(1, Math.floor(this.#limits.concurrency * this.#share))) {
      const now = performance.now();
      const isDue = ({ notBefore }: Waiting) => notBefore <= now + atOnce;
      const next = this.#waiting.find(isDue) ?? this.#waiting.toSorted((a, b) => a.notBefore - b.notBefore)[0];
      if (next === undefined) return;
      const at = Math.max(now, this.#nextAt, this.#heldUntil, next.notBefore);
      // One that is ready began in time, and has waited for its credentials.
      const isLate = this.#ended !== undefined && at > this.#ended.latest && !next.isReady;
      if (at > now && !isLate) {
        this.#timer = setTimeout(() => this.#startNext(), Math.min(Math.ceil(at - now), maxTimerMs));
        return;
      }
      if (next === this.#waiting[0]) this.#waiting.shift();
      else this.#waiting.splice(this.#waiting.indexOf(next), 1);
      if (isLate) {
        next.refuse(this.#ended?.error);
        continue;
      }
      this.#inFlight++;
      if (next.isReady) this.#sentAt = now;
      this.#nextAt = Math.max(this.#nextAt, now - lateness) + this.#spacing;
      next.start(now);
    }
  }
}

interface Waiting {
  readonly index: number;
  readonly notBefore: number;
  readonly isReady: boolean;
  readonly start: (now: number) => void;
  readonly refuse: (error: unknown) => void;
}

/** The part of the rate that remains after any number of 429s, and the part that a response brings back. */
const slowest = 1 / 32;
const recovery = 1 / 50;
/** Milliseconds of a late timer that the next request makes up for. */
const lateness = 20;
/** Milliseconds between times that count as one: the lower index goes first, in its time. */
const atOnce = 5;
