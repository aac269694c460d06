/** One race: clients that attempt every order, processes that die, and a loop that cleans up throughout. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  BookingAlreadySettledError,
  BookingInFlightError,
  type BookingJournal,
  isOverdue,
  reconcile,
} from "../../../src/flights/index.ts";
import { crashes, type Fleet, startFleet } from "./fleet.ts";
import { type JournalName, openJournal } from "./journals.ts";
import { type BookingService, startService } from "./service.ts";

const clients = 3;
/** Orders that are attempted at the same time. */
const inFlight = 20;
/** Milliseconds after which a client gives up: it would if a row blocked its order indefinitely. */
const patience = 180_000;
/** Milliseconds between two kills. */
const killEvery = 2_000;
/**
 * The clock of the clean-up is ahead of the shop's by most of the deadline of a booking and its margin: it leaves a few
 * seconds beyond the deadlines, in which the service may still book what nobody waits for.
 */
const ahead = 263_000;
const now = () => Date.now() + ahead;

export type Counts = Record<string, number>;

const violations = [
  "ORDERS BOOKED TWICE",
  "ORDERS NEVER BOOKED",
  "BOOKINGS LOST",
  "BOOKINGS NOT RECORDED AFTER THE CLEAN-UP",
  crashes,
];

/** Returns the rows that break a promise, and those without which nothing was shown. */
export function brokenRows(counts: Counts): string[] {
  const missing = ["processes killed", "client: booked"].filter((row) => !((counts[row] ?? 0) > 0));
  return [...violations.filter((row) => counts[row] !== 0), ...missing];
}

/** Runs the race, and counts at the service what was booked. */
export async function race(name: JournalName, place: string, size: number): Promise<Counts> {
  const counts: Counts = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const startedAt = performance.now();
  const run = crypto.randomUUID().slice(0, 6);
  const orders = Array.from({ length: size }, (_, i) => `${run}${i}`);
  const service = await startService(count);
  const { journal, close } = await openJournal(name, place);
  const fleet = await startFleet([name, place, service.url], count);
  const killing = setInterval(() => fleet.kill(), killEvery);
  const cleaning = cleanUp(journal, service, count);
  try {
    await attemptAll(orders, fleet, count);
  } finally {
    clearInterval(killing);
    await fleet.stop();
    await cleaning.stop();
  }
  const lost = await lostBookings(journal, service);
  // The next clean-up finds what is pending now.
  for (let left = await journal.pending(); left.length > 0; left = await journal.pending()) {
    await clean(journal, service, count);
    await sleep(100);
  }
  const result = {
    orders: size,
    ...sorted(counts),
    "ORDERS NEVER BOOKED": orders.filter((order) => !service.bookings.has(order)).length,
    "ORDERS BOOKED TWICE": [...service.bookings.values()].filter((booked) => booked.length > 1).length,
    "BOOKINGS LOST": lost.length,
    [crashes]: counts[crashes] ?? 0,
    "BOOKINGS NOT RECORDED AFTER THE CLEAN-UP": (await unrecorded(journal, service)).length,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
  await Promise.all([service.stop(), close()]);
  return result;
}

async function attemptAll(orders: readonly string[], fleet: Fleet, count: (what: string) => void): Promise<void> {
  const open = new Set<Promise<unknown>>();
  for (const order of orders) {
    const attempts = Array.from({ length: clients }, (_, client) => attemptUntilBooked(order, client, fleet, count));
    const done: Promise<unknown> = Promise.all(attempts).finally(() => open.delete(done));
    open.add(done);
    if (open.size >= inFlight) await Promise.race(open);
  }
  await Promise.all(open);
}

/** An impatient user: clicks again after every error, as long as the shop does not say that it is booked. */
async function attemptUntilBooked(
  order: string,
  client: number,
  fleet: Fleet,
  count: (what: string) => void,
): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < patience) {
    const { what, isBooked } = await fleet.attempt(order, client);
    count(`client: ${what}`);
    if (isBooked) return;
    await sleep(100 + Math.random() * 500);
  }
  count("client: gave up");
}

/** Runs the loop of docs/flights.md. */
function cleanUp(journal: BookingJournal, service: BookingService, count: (what: string) => void) {
  let isStopping = false;
  const running = (async () => {
    while (!isStopping) {
      await clean(journal, service, count);
      await sleep(100);
    }
  })();
  return {
    async stop() {
      isStopping = true;
      await running;
    },
  };
}

async function clean(journal: BookingJournal, service: BookingService, count: (what: string) => void): Promise<void> {
  for (const row of await journal.pending()) {
    if (!isOverdue(row, { now })) continue;
    const pnr = service.pnrOf(row.clientReferenceId);
    try {
      await reconcile(journal, row, pnr === null ? "notBooked" : { pnr }, { now });
      count(`clean-up: ${pnr === null ? "not booked" : "found"}`);
    } catch (error) {
      if (!BookingAlreadySettledError.isInstance(error) && !BookingInFlightError.isInstance(error)) throw error;
      count(`clean-up: ${error.name}`);
    }
  }
}

/** Bookings that exist and are neither recorded as such nor pending. */
async function lostBookings(journal: BookingJournal, service: BookingService): Promise<string[]> {
  const pending = new Set((await journal.pending()).map(({ clientReferenceId }) => clientReferenceId));
  return (await unrecorded(journal, service)).filter((reference) => !pending.has(reference));
}

/** Bookings that exist and are not recorded under their PNR. */
async function unrecorded(journal: BookingJournal, service: BookingService): Promise<string[]> {
  const missing: string[] = [];
  for (const reference of [...service.bookings.values()].flat()) {
    const rows = await journal.find(reference);
    const isRecorded = rows.some(({ state, pnr }) => state === "booked" && pnr === service.pnrOf(reference));
    if (!isRecorded) missing.push(reference);
  }
  return missing;
}

function sorted(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
