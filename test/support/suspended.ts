import { onTestFinished, vi } from "vitest";

/** Returns a function that lets a minute pass at once, as for a process that was suspended: no timer has fired. */
export function suspendable(): () => void {
  const now = performance.now.bind(performance);
  let passed = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + passed);
  onTestFinished(() => clock.mockRestore());
  return () => {
    passed += 60_000;
  };
}

/** Returns the delays of the timers that are set from now on. Node warns of one that is negative or NaN. */
export function watchDelays(): () => readonly (number | undefined)[] {
  const set = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => set.mockRestore());
  return () => set.mock.calls.map(([, delay]) => delay);
}
