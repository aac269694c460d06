import type { Rule } from "../../shared/options.ts";
import { nonceKey } from "./keys.ts";

const hour = 3_600_000;
export const day = 24 * hour;
/** Beyond it, databases run out of dates and Redis of numbers. */
const longest = 36_500 * day;

/** 90 days: how long the stores remember a finished reference that cannot keep it for ever. */
export const defaultRetention = 90 * day;

/** 90 days: how long a nonce is remembered that was used, whatever the retention of references. */
const nonceRetention = 90 * day;

/** 90 days: how long a claim is kept whose process died, for operators to see. */
export const abandonedAfter = 90 * day;

/** Milliseconds for which a key is remembered once it is done; null for ever. */
export function lifeOf(key: string, forReferences: number): number | null {
  const life = key.startsWith(nonceKey("")) ? nonceRetention : forReferences;
  return Number.isFinite(life) ? life : null;
}

/** Shorter than the retries of one delivery, `retention` would let a redelivery take effect again. */
export const retention: Rule = (value) =>
  value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && Number(value) >= hour && Number(value) <= longest)
    ? undefined
    : `must be an integer number of milliseconds between ${hour} (one hour) and ${longest} (100 years), or \`Infinity\``;
