import { ConfigurationError } from "../errors/request.ts";

/**
 * Returns a clock that a guard can compare with: every comparison with `NaN` is false, so a broken clock would open the guard.
 *
 * @param owner - Whose option `now` is, for the message.
 * @param now - Returns milliseconds since 1970. @default Date.now
 * @returns A clock that throws a ConfigurationError if `now` does not return a finite number.
 */
export function checkedClock(owner: string, now: (() => number) | undefined): () => number {
  const clock = now ?? Date.now;
  return () => {
    const time: unknown = clock();
    if (typeof time === "number" && Number.isFinite(time)) return time;
    throw new ConfigurationError(`${owner}: \`now\` must return milliseconds since 1970.`);
  };
}
