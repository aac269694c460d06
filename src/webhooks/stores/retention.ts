import type { Rule } from "../../shared/options.ts";
import { nonceKey } from "./record.ts";

const hour = 3_600_000;
export const day = 24 * hour;
/** Beyond it, databases run out of dates and Redis out of numbers. */
const maxRetention = 36_500 * day;

/** Time for which Redis and memory keep a finished reference. */
export const defaultRetention = 90 * day;

/** Time for which a used nonce is kept, independently of the retention of references. */
const nonceRetention = 90 * day;

/** Time for which the claim of a process that died is kept, so that operators can see it. */
export const abandonedAfter = 90 * day;

/** Returns how long a finished key is kept; null for indefinitely. */
export function lifeOf(key: string, forReferences: number): number | null {
  const life = key.startsWith(nonceKey("")) ? nonceRetention : forReferences;
  return Number.isFinite(life) ? life : null;
}

/** A rule for `retention`: if it were shorter than the retries of a delivery, a redelivery could take effect again. */
export const retention: Rule = (value) =>
  value === Number.POSITIVE_INFINITY ||
  (Number.isInteger(value) && Number(value) >= hour && Number(value) <= maxRetention)
    ? undefined
    : `must be an integer number of milliseconds between ${hour} (one hour) and ${maxRetention} (100 years), or \`Infinity\``;
