/** One race: clients that attempt every order, processes that die, and a loop that cleans up throughout. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  BookingAlreadySettledError,
  BookingInFlightError,
  type BookingJournal,
  isOverdue,
  reconcile,
} from "../../../src/flights/index.ts";
import { type Account, any, none, some } from "../../accounts.ts";
import { type Count, type Processes, runAll, startProcesses } from "../processes.ts";
import { type JournalName, openJournal } from "./journals.ts";
import { type BookingService, startService } from "./service.ts";

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

/** An attempt of an order, which one of the processes is sent. */
export interface Task {
  readonly id: number;
  readonly order: string;
  readonly client: number;
}

/** The response of the shop to a client. */
export interface Attempted {
  /** `booked`, or the name of the error. */
  readonly what: string;
  /** True if the order is booked, by this client or another. */
  readonly isBooked: boolean;
}

/** Runs the race, and counts at the service what was booked. */
export async function raceBookings(name: JournalName, place: string, size: number): Promise<Account[]> {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const run = crypto.randomUUID().slice(0, 6);
  const orders = Array.from({ length: size }, (_, i) => `${run}${i}`);
  const service = await startService(count);
  const { journal, close } = await openJournal(name, place);
  const program = new URL("worker.ts", import.meta.url);
  const fleet = await startProcesses(program, [name, place, service.url], 4, count);
  const killing = setInterval(() => fleet.kill(), killEvery);
  const cleaning = cleanUp(journal, service, count);
  try {
    const attempts = orders.map((order) => () => {
      const clients = [0, 1, 2].map((client) => attemptUntilBooked({ order, client }, fleet, count));
      return Promise.all(clients);
    });
    await runAll(attempts, inFlight);
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
  const unrecorded = await unrecordedBookings(journal, service);
  await Promise.all([service.stop(), close()]);
  return accountForOrders({ orders, counts, bookings: service.bookings, lost, unrecorded });
}

/** The orders of a race, and their bookings. */
export interface FoundOrders {
  readonly orders: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** The references under which the service booked each order. */
  readonly bookings: ReadonlyMap<string, readonly string[]>;
  readonly lost: readonly string[];
  readonly unrecorded: readonly string[];
}

export function accountForOrders({ orders, counts, bookings, lost, unrecorded }: FoundOrders): Account[] {
  const needed = ["processes killed", "client: booked"];
  const others = Object.keys(counts).filter((what) => ![...needed, "processes crashed"].includes(what));
  return [
    some("orders", orders),
    ...needed.map((what) => some(what, counts[what] ?? 0)),
    ...others.sort().map((what) => any(what, counts[what] ?? 0)),
    none("processes crashed", counts["processes crashed"] ?? 0),
    none(
      "orders never booked",
      orders.filter((order) => !bookings.has(order)),
    ),
    none(
      "orders booked twice",
      orders.filter((order) => (bookings.get(order) ?? []).length > 1),
    ),
    none("bookings lost", lost),
    none("bookings not recorded after the clean-up", unrecorded),
  ];
}

/** An impatient user: clicks again after every error, as long as the shop does not say that it is booked. */
async function attemptUntilBooked(task: Omit<Task, "id">, fleet: Processes, count: Count): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < patience) {
    const { what, isBooked } = await attempt(task, fleet);
    count(`client: ${what}`);
    if (isBooked) return;
    await sleep(100 + Math.random() * 500);
  }
  count("client: gave up");
}

let tasks = 0;

/** Makes one of the processes attempt an order. */
async function attempt(task: Omit<Task, "id">, fleet: Processes): Promise<Attempted> {
  const [child] = await fleet.pick();
  tasks += 1;
  const id = tasks;
  return new Promise((resolve) => {
    const done = (result: Attempted) => {
      child.off("message", onMessage).off("exit", onExit);
      resolve(result);
    };
    const onMessage = (message: Attempted & { readonly id?: number }) => {
      if (message.id === id) done(message);
    };
    const onExit = () => done({ what: "the process died", isBooked: false });
    child.on("message", onMessage).on("exit", onExit);
    child.send({ id, ...task } satisfies Task, (error) => error && onExit());
  });
}

/** Runs the loop of docs/flights.md. */
function cleanUp(journal: BookingJournal, service: BookingService, count: Count) {
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

async function clean(journal: BookingJournal, service: BookingService, count: Count): Promise<void> {
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
  return (await unrecordedBookings(journal, service)).filter((reference) => !pending.has(reference));
}

/** Bookings that exist and are not recorded under their PNR. */
async function unrecordedBookings(journal: BookingJournal, service: BookingService): Promise<string[]> {
  const missing: string[] = [];
  for (const reference of [...service.bookings.values()].flat()) {
    const rows = await journal.find(reference);
    const isRecorded = rows.some(({ state, pnr }) => state === "booked" && pnr === service.pnrOf(reference));
    if (!isRecorded) missing.push(reference);
  }
  return missing;
}
