import { vi } from "vitest";

type Faked = NonNullable<NonNullable<Parameters<typeof vi.useFakeTimers>[0]>["toFake"]>[number];

/** Stops the clocks and the timers, or those that are named, until the test ends: they go on when the test says so. */
export function stopClock(...toFake: readonly Faked[]): void {
  vi.useFakeTimers(toFake.length > 0 ? { toFake: [...toFake] } : {});
}

/** Lets this time pass on a clock that the test moves, and returns what a promise has resolved with by then. */
export async function later<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const [value] = await Promise.all([promise, vi.advanceTimersByTimeAsync(milliseconds)]);
  return value;
}

/** The milliseconds of a clock that the test moves. The real one measures the machine. */
export function movedTime(): number {
  if (!vi.isFakeTimers()) throw new Error("No test measures time: stop the clock first, and move it.");
  return performance.now();
}

/** Blocks this process, as a computation does: timers and sockets wait meanwhile. */
export function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
