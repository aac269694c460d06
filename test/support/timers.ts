import { runningTimers, watchTimers } from "./lifetimes/timers.ts";

// `npm run mutate` runs without the watch over each test, which has done this.
watchTimers();

/**
 * Counts the timers that the library (not the runtime's `fetch`) sets from now on and that neither fire nor are
 * cleared.
 */
export function countTimers(): () => number {
  const before = runningTimers();
  return () =>
    [...runningTimers()].filter(([timer, words]) => !before.has(timer) && / (?:by|in) src\//.test(words)).length;
}
