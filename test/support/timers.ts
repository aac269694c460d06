import { runningTimers, watchTimers } from "./lifetimes/timers.ts";

// `npm run mutate` runs without test/support/lifetimes/watch.ts, which otherwise has done this.
watchTimers();

/**
 * Counts the timers that the library (not the runtime's `fetch`) sets from now on and that neither fire nor are
 * cleared.
 */
export function countTimers(): () => number {
  const before = new Map(runningTimers());
  return () =>
    [...runningTimers()].filter(([timer, describe]) => !before.has(timer) && / (?:by|in) src\//.test(describe()))
      .length;
}
