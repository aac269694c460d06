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

/** Returns the sum of each status. */
export function addCounts(one: Readonly<Counts>, other: Readonly<Counts>): Counts {
  const sum = noRows();
  for (const status of Object.keys(sum) as Status[]) sum[status] = one[status] + other[status];
  return sum;
}

/** Formats the statuses that there are: `2 found, 1 invalid`. */
export function formatCounts(counts: Readonly<Counts>): string {
  const list = (Object.keys(noRows()) as Status[]).filter((status) => counts[status] > 0);
  return list.map((status) => `${counts[status]} ${status}`).join(", ") || "none";
}
