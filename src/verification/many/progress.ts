import type { FindManyOutcome, FindManyProgress } from "./types.ts";

/** Counts results and measures their rate. */
export class Progress {
  readonly #startAt: number;
  readonly #total: number | undefined;
  readonly #counts = { found: 0, notFound: 0, pending: 0, invalid: 0, failed: 0 };
  /** The times of the last results, in a ring. */
  readonly #times: number[] = [];
  #results = 0;
  readonly #startedAt = performance.now();

  constructor(startAt: number, total: number | undefined) {
    this.#startAt = startAt;
    this.#total = total;
  }

  /** Counts a result and returns where the run stands. */
  count({ kind }: FindManyOutcome): FindManyProgress {
    this.#results++;
    this.#counts[kind]++;
    const done = this.#startAt + this.#results;
    const perSecond = this.#measure(performance.now());
    const left = this.#total === undefined ? undefined : Math.max(0, this.#total - done);
    const timeLeft = left === undefined ? undefined : Math.round((left / perSecond) * 1_000);
    return { done, total: this.#total, ...this.#counts, perSecond, timeLeft };
  }

  #measure(now: number): number {
    const place = this.#results % ringSize;
    // The time of the result that is `ringSize` before this one; the start while there are fewer.
    const since = this.#times[place] ?? this.#startedAt;
    this.#times[place] = now;
    return (Math.min(this.#results, ringSize) / Math.max(now - since, 1)) * 1_000;
  }
}

const ringSize = 50;
