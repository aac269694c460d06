import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { causeOf } from "../../shared/error-code.ts";
import { maxTimerMs, string } from "../../shared/options.ts";
import { JournalError } from "../errors.ts";

/** Returns the error of a built-in journal whose database or file fails. */
export function journalFailed(owner: string, message: string, error: unknown): JournalError {
  return new JournalError({ message: `${owner}: ${message}`, cause: causeOf(error) });
}

/** Returns the advice for a failed journal. The error of a built-in journal has its own. */
export function adviceIn(cause: unknown): string {
  return ServiceApiError.isInstance(cause) ? cause.message : "See `cause`.";
}

/** Refuses a key that is not a string, which no row could match. */
export function checkKey(owner: string, named: Readonly<Record<string, unknown>>): string {
  const [[name, value] = []] = Object.entries(named);
  if (typeof value === "string") return value;
  throw new ConfigurationError(`${owner}: \`${name}\` ${string(value, `${name}`)}.`);
}

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
