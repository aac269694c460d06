import { onTestFinished, vi } from "vitest";

/**
 * Counts the timers that the library (not the runtime's `fetch`) sets from now on and that neither fire nor are
 * cleared.
 */
export function watchTimers(): () => number {
  const living = new Set<unknown>();
  const { setTimeout, clearTimeout } = globalThis;
  const set = vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms?: number) => {
    const timer = setTimeout(() => {
      living.delete(timer);
      run();
    }, ms);
    if (new Error().stack?.includes("/src/")) living.add(timer);
    return timer;
  }) as typeof globalThis.setTimeout);
  const clear = vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    living.delete(timer);
    clearTimeout(timer);
  });
  onTestFinished(() => {
    set.mockRestore();
    clear.mockRestore();
  });
  return () => living.size;
}
