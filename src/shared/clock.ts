import { ServiceApiError } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { maxTimerMs, type Rule } from "./options.ts";
import { forget, hookResult } from "./promises.ts";

/** Writes a time as the service does, `YYYY-MM-DD HH:mm:ss`, by the clocks of India: 5:30 hours ahead of UTC all year. */
export function indianTime(time: number): string {
  return new Date(time + 19_800_000).toISOString().slice(0, 19).replace("T", " ");
}

/**
 * Returns a clock that checks each result of the option `now`: a comparison with an invalid time is always false.
 *
 * @param owner - The owner of the option, for the message: `Webhooks`.
 * @param now - Milliseconds since 1970. @default Date.now
 * @returns A clock that throws a ConfigurationError if `now` throws or does not return a finite number.
 */
export function checkedClock(owner: string, now: (() => number) | undefined): () => number {
  if (now === undefined) return Date.now;
  return () => {
    let time: number;
    try {
      time = now();
    } catch (error) {
      if (ServiceApiError.isInstance(error)) throw error;
      throw new ConfigurationError(`${owner}: the function passed as \`now\` threw.`);
    }
    return hookResult(owner, "now", time, finiteTime);
  };
}

const finiteTime: Rule = (value) =>
  Number.isFinite(value) ? undefined : "must return a finite number of milliseconds since 1970";

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
