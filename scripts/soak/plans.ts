/** The plans of `npm run race`, which does more at once, and of `npm run soak`, which has more faults. */
import { type Fault, inStores, kill, ofBookings, outside } from "./faults.ts";
import { type JournalName, journalNames } from "./journals.ts";
import { type StoreName, storeNames } from "./ledger.ts";

/** The number of lanes, and the milliseconds between two of the same lane. */
export interface Pace {
  readonly atOnce: number;
  readonly pause: number;
}

export interface Plan {
  readonly minutes: number;
  readonly workers: number;
  /** Users of each worker: each makes one call after another. */
  readonly users: number;
  readonly stores: readonly StoreName[];
  readonly journals: readonly JournalName[];
  /** Payouts, each to one of the stores. */
  readonly payouts: Pace;
  /** Orders, which three clients attempt at the same time. */
  readonly orders: Pace;
  /** Those of a list strike one after another. */
  readonly faults: readonly (readonly Fault[])[];
  /** Milliseconds for which the service waits for an acknowledgement. */
  readonly ackTimeout: number;
  /**
   * Whether the clocks agree. Then bookings are looked up throughout, and each order has to be booked in the end. If they
   * jump, a row may be overdue although its booking is under way.
   */
  readonly clocksAgree: boolean;
  /** Whether it is long and quiet enough to judge the memory of a worker. */
  readonly judgesHeaps: boolean;
}

export const plans = {
  race: {
    minutes: 4,
    workers: 8,
    users: 1,
    stores: storeNames,
    journals: journalNames,
    payouts: { atOnce: 64, pause: 500 },
    orders: { atOnce: 20, pause: 0 },
    faults: [[kill], ofBookings],
    ackTimeout: 7_000,
    clocksAgree: true,
    judgesHeaps: false,
  },
  soak: {
    minutes: 10,
    workers: 4,
    users: 3,
    stores: ["postgres", "redis"],
    journals: journalNames,
    payouts: { atOnce: 4, pause: 1_000 },
    orders: { atOnce: 12, pause: 200 },
    faults: [outside, inStores, ofBookings],
    ackTimeout: 3_000,
    clocksAgree: false,
    judgesHeaps: true,
  },
} as const satisfies Record<string, Plan>;
