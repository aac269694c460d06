import type { Rule } from "../../shared/options.ts";

const hour = 3_600_000;
export const day = 24 * hour;
/** Beyond it, databases run out of dates and Redis of numbers. */
const longest = 36_500 * day;

/** 90 days: how long the stores remember a finished reference that cannot keep it for ever. */
export const defaultRetention = 90 * day;

/** Shorter than the retries of one delivery, `retention` would let a redelivery take effect again. */
export const retention: Rule = (value) =>
  value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && Number(value) >= hour && Number(value) <= longest)
    ? undefined
    : `must be an integer number of milliseconds between ${hour} (one hour) and ${longest} (100 years), or \`Infinity\``;
