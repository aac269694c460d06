import { vi } from "vitest";

/**
 * Returns a function that lets a minute pass at once, as for a process that was suspended: no timer has fired.
 *
 * @param now - The clock to which it is added. With one that stands, a machine that is busy changes nothing.
 */
export function suspendable(now = performance.now.bind(performance)): (milliseconds?: number) => void {
  let passed = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + passed);
  return (milliseconds = 60_000) => {
    passed += milliseconds;
  };
}

/** Returns the delays of the timers that are set from now on. Node warns of one that is negative or NaN. */
export function watchDelays(): () => readonly (number | undefined)[] {
  const set = vi.spyOn(globalThis, "setTimeout");
  return () => set.mock.calls.map(([, delay]) => delay);
}
