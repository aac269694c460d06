/** The sources of the accounts: the ledgers of the workers, and what service, stores and fleet know. */
import type { JournalRow } from "../../../src/flights/index.ts";
import type { Ledger, Time } from "../ledger.ts";
import type { Payout, PayoutStatus, PayoutStore } from "../payouts.ts";
import type { ServiceTruth } from "../service-process.ts";

export interface Truth extends ServiceTruth {
  readonly ledgers: readonly Ledger[];
  readonly exits: readonly Exit[];
  readonly payouts: readonly Payout[];
  /** The rows of `soak_effects` in Postgres. */
  readonly effects: readonly Effect[];
  /** The rows of all journals before the clean-up, and after it. */
  readonly rows: { readonly before: readonly JournalRow[]; readonly after: readonly JournalRow[] };
  readonly strikes: readonly Strike[];
  /** The times in which a worker was suspended, by the name of its process. */
  readonly suspensions: readonly Span[];
}

export interface Span extends Time {
  readonly name: string;
}

/** A fault that struck. */
export interface Strike extends Span, Hit {
  /** Whether Redis was away. */
  readonly isOutage: boolean;
}

/** The effect of a strike. */
export interface Hit {
  /** The number of processes, connections, requests, commands or keys that were hit, as the fault's name says. */
  readonly hits: number;
  /** The time in which Redis took writes that the failover lost. */
  readonly lost?: Time;
  /** The claims that Redis evicted. */
  readonly evicted?: readonly Eviction[];
}

/** A claim that Redis evicted within a time. */
export interface Eviction extends Time {
  readonly reference: string;
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
  readonly status: PayoutStatus;
  readonly process: string;
  /** The fencing token of the claim that the handler ran under. In Redis it is the time of the claim in microseconds. */
  readonly claim: string;
}

/** Returns how often each key occurs. */
export function tally(keys: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
