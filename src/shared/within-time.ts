import { maxTimerMs } from "./options.ts";
import { forget } from "./promises.ts";

/**
 * Waits for a step that is code of the application: it may hang, and it may throw instead of rejecting.
 *
 * @param what - Its subject, such as `The journal`.
 * @param limit - How long to wait, in milliseconds.
 * @throws An Error if it took too long, or the reason of the signal.
 */
export async function withinTime<T>(
  what: string,
  step: () => Promise<T>,
  limit: number,
  signal?: AbortSignal,
): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`${what} did not respond within ${limit} ms.`));
  const abort = () => reject(signal?.reason);
  const timer = setTimeout(late, Math.min(limit, maxTimerMs));
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    return await Promise.race([ended, step()]);
  } finally {
    clearTimeout(timer);
    forget(signal, abort);
  }
}
