import type { Status } from "./result-columns.ts";

/** A number of rows for each status. */
export type Counts = Record<Status, number>;

/** Returns a count of each status, from zero. */
export function noRows(): Counts {
  return { found: 0, notFound: 0, pending: 0, invalid: 0, failed: 0 };
}

/** Returns the number of all rows. */
export function sumOf(counts: Readonly<Counts>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
