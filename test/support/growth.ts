import { expect } from "vitest";
import { cpuTime } from "./cpu-time.ts";

/** Prepares work on an input of a given size: a length, or a number of elements. */
export type Making = (size: number) => () => unknown;

/** Milliseconds that no clock measures well. Quadratic work on the sizes of the tests takes many times as long. */
const negligible = 5;

/** Sizes, as multiples of the given one, and how much longer the work may take there. */
const growth = [
  [4, 7],
  [16, 60],
] as const;

/**
 * Expects work to take linear time: four times the input takes four times as long then, and sixteen times as long if the
 * time is quadratic; seven is the limit. Sixteen times the input shows quadratic work that linear work hides before: a fifth
 * of the time at first is enough for the limit of 60, which leaves room for caches and garbage collection.
 *
 * Measures again if it takes longer: a machine that is busy now and then does so in one of the two, quadratic work does
 * so each time.
 */
export async function expectLinear(make: Making, size: number): Promise<void> {
  for (const [times, most] of growth) {
    let [limit, large] = [0, 0];
    for (let attempt = 0; attempt < 4 && large >= limit; attempt++) {
      const small = make(size);
      await fastest(small, 2, 0);
      limit = Math.max(most * (await fastest(small, 5, 0)), negligible);
      large = await fastest(make(times * size), 10, limit);
    }
    expect(large, `milliseconds at a size of ${times * size}, ${most} times those at ${size}`).toBeLessThan(limit);
  }
}

/**
 * Milliseconds of the fastest of several runs: garbage collection and other work of the machine only add to them. A run
 * that is fast enough is the last; after 300 ms, three must do.
 */
async function fastest(work: () => unknown, runs: number, enough: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  let spent = 0;
  for (let run = 0; run < runs && best >= enough && (run < 3 || spent < 300); run++) {
    const [startedAt, cpuAt] = [performance.now(), cpuTime()];
    await work();
    const elapsed = performance.now() - startedAt;
    // Processor time may be counted in whole milliseconds, and has that of garbage collection beside the run. Nothing
    // interrupts each of several short runs.
    best = Math.min(best, elapsed, elapsed < 10 ? elapsed : cpuTime() - cpuAt);
    spent += elapsed;
  }
  return best;
}
