/** The sources of the accounts: the ledgers of the workers, and what service, stores and fleet know. */
import type { DeliveryAttempt } from "../../../src/emulator/deliveries/types.ts";
import type { EmulatedBooking } from "../../../src/emulator/emulator.ts";
import type { JournalRow } from "../../../src/flights/index.ts";
import type { Effect, Entry, Ledger, PayoutStatus, StoreName, Time } from "../ledger.ts";

export interface Truth extends ServiceTruth {
  readonly plan: { readonly stores: readonly StoreName[]; readonly clocksAgree: boolean };
  readonly ledgers: readonly Ledger[];
  readonly exits: readonly Exit[];
  readonly orders: readonly string[];
  readonly payouts: readonly Payout[];
  /** The effects of all payouts, in all phases. */
  readonly effects: readonly Effect[];
  /** The rows of all journals before the last clean-up, and after it. */
  readonly rows: { readonly before: readonly JournalRow[]; readonly after: readonly JournalRow[] };
  /** The number of rows that were closed while bookings were made. */
  readonly cleaned: number;
  readonly strikes: readonly Strike[];
}

export interface Payout {
  readonly reference: string;
  readonly store: StoreName;
  readonly status: PayoutStatus;
}

/** A request that the service received. */
export interface Received {
  readonly operation: string;
  readonly reference: string;
}

/** The requests, bookings and deliveries of the service. */
export interface ServiceTruth {
  readonly received: readonly Received[];
  readonly bookings: readonly EmulatedBooking[];
  /** The acknowledgement of each attempt to deliver a payout. */
  readonly deliveries: readonly { readonly reference: string; readonly statuses: readonly Acknowledged[] }[];
  readonly acknowledgements: readonly Acknowledgement[];
}

/** When a payout was acknowledged. */
export interface Acknowledgement {
  readonly reference: string;
  /** Whether it was SUCCESS, which comes from the process that commits, and not DUPLICATE. */
  readonly isFirst: boolean;
  readonly at: number;
}

/** The acknowledgement of an attempt; `none` without a response, `late` without one in time, `invalid` for one that §6.3 does not allow. */
export type Acknowledged = "SUCCESS" | "DUPLICATE" | "FAILED" | "none" | "late" | "invalid";

/** Returns the acknowledgement as the service takes it: the status of one that it refuses does not count. */
export function acknowledgedBy({
  httpStatus,
  status,
  problem,
}: Pick<DeliveryAttempt, "httpStatus" | "status" | "problem">): Acknowledged {
  if (httpStatus === undefined) return problem === "no response in time" ? "late" : "none";
  const isValid = problem === undefined || problem === "acknowledged FAILED";
  return isValid ? (status ?? "invalid") : "invalid";
}

/** A fault that struck. */
export interface Strike extends Time, Hit {
  readonly name: string;
  /** Whether Redis was away. */
  readonly isOutage: boolean;
}

/** The effect of a strike, and what it may explain. */
export interface Hit {
  /** The number of processes, connections, requests, commands or keys that were hit, as the fault's name says. */
  readonly hits: number;
  /** The time in which Redis took writes that the failover lost. */
  readonly lost?: Time;
  /** The claims that Redis evicted. */
  readonly evicted?: readonly Eviction[];
  /** The time in which a process was suspended. */
  readonly suspended?: Time & { readonly process: string };
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

/** Returns how often each key occurs. */
export function tally(keys: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Returns all entries of a type. */
export function entriesOf<Type extends Entry["type"]>(
  ledgers: readonly Ledger[],
  type: Type,
): readonly Extract<Entry, { readonly type: Type }>[] {
  return ledgers.flatMap(({ entries }) =>
    entries.filter((entry): entry is Extract<Entry, { readonly type: Type }> => entry.type === type),
  );
}
