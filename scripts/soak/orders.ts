/** The orders: three impatient clients attempt each, by way of any workers, and open bookings are looked up. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  BookingAlreadySettledError,
  BookingInFlightError,
  type BookingJournal,
  isOverdue,
  type JournalRow,
  reconcile,
} from "../../src/flights/index.ts";
import type { Attempt } from "./calls.ts";
import type { Chance } from "./chance.ts";
import type { Fleet } from "./fleet.ts";
import type { Plan } from "./plans.ts";
import type { Service } from "./service.ts";

/** Milliseconds after which a client gives up: it would if a row blocked its order indefinitely. */
const patience = 180_000;
/** The attempts of a client if open bookings are not looked up, so that a row may block its order. */
const fewAttempts = 2;

export async function placeOrder(
  order: number,
  plan: Plan,
  { emulator }: Service,
  fleet: Fleet,
  chance: Chance,
): Promise<void> {
  const [first, second] = [emulator.seedSearch(), emulator.seedSearch()];
  const journal = chance.pick(plan.journals);
  const attempts = plan.clocksAgree ? Number.POSITIVE_INFINITY : fewAttempts;
  const attemptUntilBooked = async (client: string, search: Attempt["search"]) => {
    const until = Date.now() + patience;
    for (let n = 1; n <= attempts && Date.now() < until; n += 1) {
      if (await fleet.attempt({ order, reference: `o${order}${client}${n}`, search, journal })) return;
      await sleep(chance.between(100, 600));
    }
  };
  // Two of the clients have the same search open, the third has searched again.
  await Promise.all([attemptUntilBooked("a", first), attemptUntilBooked("b", first), attemptUntilBooked("c", second)]);
}

/**
 * Runs the loop of docs/flights.md once, and returns the number of rows that it closed.
 *
 * @param now - Returns the time at which a row is looked up.
 */
export async function cleanUp(
  journals: readonly BookingJournal[],
  { emulator }: Service,
  now: (row: JournalRow) => number,
): Promise<number> {
  let closed = 0;
  for (const journal of journals) {
    const overdue = (await journal.pending()).filter((row) => isOverdue(row, { now: () => now(row) }));
    if (overdue.length === 0) continue;
    const pnrs = new Map(emulator.bookings.map((made) => [made.client_referenceId, made.pnr]));
    for (const row of overdue) {
      const pnr = pnrs.get(row.clientReferenceId);
      try {
        await reconcile(journal, row, pnr === undefined ? "notBooked" : { pnr }, { now: () => now(row) });
        closed += 1;
      } catch (error) {
        if (!BookingAlreadySettledError.isInstance(error) && !BookingInFlightError.isInstance(error)) throw error;
      }
    }
  }
  return closed;
}
