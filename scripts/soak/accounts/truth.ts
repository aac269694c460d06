/** The sources of the accounts: the ledgers of the workers, and what service, stores and fleet know. */
import type { JournalRow } from "../../../src/flights/index.ts";
import type { Ledger } from "../ledger.ts";
import type { PayoutStore } from "../receiver.ts";
import type { ServiceTruth } from "../service-process.ts";

export interface Truth extends ServiceTruth {
  readonly ledgers: readonly Ledger[];
  readonly exits: readonly Exit[];
  readonly payouts: readonly { readonly reference: string; readonly store: PayoutStore }[];
  /** The effects of payouts in Postgres, oldest first. */
  readonly effects: readonly Effect[];
  /** The rows of all journals before the clean-up, and after it. */
  readonly rows: { readonly before: readonly JournalRow[]; readonly after: readonly JournalRow[] };
  /** The faults that struck. */
  readonly struck: readonly (Span & { readonly redis: "outage" | "failover" | "eviction" | undefined })[];
  /** The times in which a worker was suspended, by the name of its process. */
  readonly suspensions: readonly Span[];
}

/** A time, in milliseconds since 1970. */
export interface Span {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The end of a process. */
export interface Exit {
  readonly process: string;
  readonly at: number;
  /**
   * `killed` by the soak, `closed` when the soak had ended, `hung` although it had closed everything, or
   * `crashed`.
   */
  readonly how: "killed" | "closed" | "hung" | "crashed";
}

/** A handler's effect that was committed. */
export interface Effect {
  readonly store: PayoutStore;
  readonly payout: string;
  readonly process: string;
  readonly at: number;
}

/** A row of the accounts. */
export interface Account {
  readonly what: string;
  readonly count: number;
  /** `none`: any is a broken promise. `some`: without any, the soak has shown nothing. */
  readonly expected: "none" | "some" | "any";
  /** Some of what was counted. */
  readonly examples: readonly unknown[];
}

export function isBroken({ count, expected }: Account): boolean {
  return (expected === "none" && count > 0) || (expected === "some" && count === 0);
}

const account = (expected: Account["expected"]) => (what: string, counted: number | readonly unknown[]) => ({
  what,
  count: typeof counted === "number" ? counted : counted.length,
  expected,
  examples: typeof counted === "number" ? [] : counted.slice(0, 3),
});

export const any = account("any");
export const some = account("some");
export const none = account("none");

/** Returns how often each key occurs. */
export function tally(keys: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
