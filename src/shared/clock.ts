import { ConfigurationError } from "../errors/request.ts";

/**
 * A clock that was given as an option, checked at each use: nothing can be compared with a time that is no number.
 *
 * @param owner - Whose option it is, for the message: `Webhooks`.
 * @param now - Milliseconds since 1970. @default Date.now
 * @returns A clock that throws a ConfigurationError if `now` does not return a finite number.
 */
export function checkedClock(owner: string, now: (() => number) | undefined): () => number {
  if (now === undefined) return Date.now;
  return () => {
    const time: unknown = now();
    if (typeof time === "number" && Number.isFinite(time)) return time;
    throw new ConfigurationError(`${owner}: \`now\` must return a finite number of milliseconds since 1970.`);
  };
}
