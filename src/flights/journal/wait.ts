import { maxTimerMs } from "../../shared/options.ts";

/**
 * Waits for a step of a journal, which is code of the application: it may hang.
 *
 * @param milliseconds - How long to wait.
 * @throws An Error if it took too long, or the reason of the signal.
 */
export function withinTime<T>(work: Promise<T>, milliseconds: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const abort = () => end(() => reject(signal?.reason))();
    const late = () => reject(new Error(`The journal did not respond within ${milliseconds} ms.`));
    const timer = setTimeout(end(late), Math.min(milliseconds, maxTimerMs));
    signal?.addEventListener("abort", abort);
    work.then(
      (value) => end(() => resolve(value))(),
      (error) => end(() => reject(error))(),
    );
    if (signal?.aborted) abort();
  });
}

/** Begins a step of a journal: one that throws instead of rejecting is as good as one that rejects. */
export async function begin<T>(step: () => Promise<T>): Promise<T> {
  return step();
}
