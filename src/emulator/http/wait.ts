import { maxTimerMs } from "../../shared/options.ts";

/** Waits until `start` calls `resolve`. Rejects with the reason of `signal` when it is aborted, which may be before. */
export function unlessAborted<T>(
  signal: AbortSignal,
  start: (resolve: (value: T | PromiseLike<T>) => void) => (() => void) | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      end?.();
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    const end = start((value) => {
      signal.removeEventListener("abort", stop);
      resolve(value);
    });
  });
}

/** Waits in real time, for at most {@link maxTimerMs}. */
export function pause(duration: number, signal: AbortSignal): Promise<void> {
  return unlessAborted(signal, (resolve) => {
    const timer = setTimeout(resolve, Math.min(duration, maxTimerMs));
    return () => clearTimeout(timer);
  });
}

export function untilAborted(signal: AbortSignal): Promise<never> {
  return unlessAborted(signal, () => undefined);
}
