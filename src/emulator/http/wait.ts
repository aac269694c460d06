import { maxTimerMs } from "../../shared/options.ts";

/** Waits in real time, for at most {@link maxTimerMs}. Rejects with the reason of `signal` when it is aborted. */
export function pause(duration: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const pass = () => {
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const timer = setTimeout(pass, Math.min(duration, maxTimerMs));
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Rejects with the reason of `signal` when it is aborted, and does not resolve. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
