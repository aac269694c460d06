import type { FindManyOutcome, FindManyProgress } from "./types.ts";

/** Counts results and measures their rate. */
export class Progress {
  readonly #total: number | undefined;
  readonly #counts = { found: 0, notFound: 0, pending: 0, error: 0 };
  /** The times of the last results, in a ring. */
  readonly #times: number[] = [];
  #done = 0;
  readonly #startedAt = performance.now();

  constructor(total: number | undefined) {
    this.#total = total;
  }

  /** Counts a result and returns where the run stands. */
  count({ kind }: FindManyOutcome): FindManyProgress {
    const { found, notFound, pending, error: failed } = this.#add(kind);
    const done = this.#done;
    const perSecond = this.#measure(performance.now());
    const left = this.#total === undefined ? undefined : Math.max(0, this.#total - done);
    const etaMs = left === undefined ? undefined : Math.round((left / perSecond) * 1_000);
    return { done, total: this.#total, found, notFound, pending, failed, perSecond, etaMs };
  }

  #add(kind: FindManyOutcome["kind"]) {
    this.#done++;
    this.#counts[kind]++;
    return this.#counts;
  }

  #measure(now: number): number {
    const place = this.#done % ringSize;
    // The time of the result that is `ringSize` before this one; the start while there are fewer.
    const since = this.#times[place] ?? this.#startedAt;
    this.#times[place] = now;
    return (Math.min(this.#done, ringSize) / Math.max(now - since, 1)) * 1_000;
  }
}

const ringSize = 50;
