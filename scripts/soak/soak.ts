/** One run of a plan, from empty stores to the accounts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { BookingJournal, JournalRow } from "../../src/flights/index.ts";
import { postgresJournal } from "../../src/flights/journal/postgres.ts";
import { postgresStore } from "../../src/webhooks/stores/postgres.ts";
import type { Account } from "./accounts/account.ts";
import { accountForBookings } from "./accounts/bookings.ts";
import { accountForCalls } from "./accounts/calls.ts";
import { accountForPayouts } from "./accounts/payouts.ts";
import { accountForFaults, accountForHeaps, accountForProcesses } from "./accounts/processes.ts";
import type { Payout, Truth } from "./accounts/truth.ts";
import { bookingLimit } from "./calls.ts";
import { type Chance, createChance } from "./chance.ts";
import { type Scene, strikeAll } from "./faults.ts";
import { startFleet } from "./fleet.ts";
import { bookingsTable, openJournal } from "./journals.ts";
import { type Effect, payoutStatuses, readLedgers } from "./ledger.ts";
import { cleanUp, placeOrder } from "./orders.ts";
import type { Pace, Plan } from "./plans.ts";
import { ageInDays, amount, effectsSchema } from "./receiver.ts";
import { startService } from "./service.ts";
import { startStores } from "./stores.ts";

/**
 * The clock of the clean-up is ahead of the workers', so that a booking is overdue soon after the time in which the service
 * may make it: 270 seconds are what the checkout allows for that.
 */
const ahead = 270_000 - bookingLimit - 1_000;

export async function soak(plan: Plan, minutes: number, seed: number): Promise<Account[]> {
  const chance = createChance(seed);
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-soak-"));
  const stores = await startStores();
  const service = await startService();
  // Past the route, which will be cut.
  const pool = new pg.Pool({ connectionString: stores.postgres.server.url, max: 2 });
  pool.on("error", () => {}); // A connection that ends while idle is replaced.
  try {
    await postgresJournal(pool, { table: bookingsTable }).createSchema();
    await postgresStore(pool).createSchema();
    await pool.query(effectsSchema);
    const journals = plan.journals.map((name) => openJournal(name, folder, pool));
    const shared = {
      ...{ folder, users: plan.users, stores: plan.stores, serviceUrl: service.url },
      ...{ redisUrl: stores.redis.route.url, postgresUrl: stores.postgres.route.url },
    };
    const fleet = await startFleet(plan.workers, shared, chance.branch());
    const done = await work({ plan, minutes, service, fleet, stores, journals, chance }).finally(fleet.end);

    const found = service.truth();
    const before = await readRows(journals, found);
    // No response can come any more.
    await cleanUp(journals, service, (row) => row.responseDueBy + 60_000);
    const ledgers = readLedgers(folder);
    const inLedgers = ledgers.flatMap(({ entries }) => entries.filter((entry) => entry.type === "effect"));
    const { rows: committed } = await pool.query<Effect>("select * from soak_effects");
    const truth: Truth = {
      ...{ ...found, ...done, plan, ledgers, exits: fleet.exits },
      effects: [...inLedgers, ...committed],
      rows: { before, after: await readRows(journals, found) },
    };
    return [
      ...accountForCalls(truth),
      ...accountForBookings(truth),
      ...accountForPayouts(truth),
      ...accountForProcesses(truth),
      ...(plan.judgesHeaps ? accountForHeaps(truth, minutes) : []),
      ...accountForFaults(
        truth,
        plan.faults.flat().map(({ name }) => name),
      ),
    ];
  } finally {
    await pool.end();
    await service.stop();
    await stores.stop();
    rmSync(folder, { recursive: true });
  }
}

interface Work extends Scene {
  readonly plan: Plan;
  readonly minutes: number;
  readonly journals: readonly BookingJournal[];
  readonly chance: Chance;
}

/** Strikes, and meanwhile sends payouts and places orders; then delivers everything again. */
async function work(given: Work): Promise<Pick<Truth, "strikes" | "payouts" | "orders" | "cleaned">> {
  const { plan, minutes, service, fleet, stores, journals, chance } = given;
  const { emulator } = service;
  const payouts: Payout[] = [];
  const orders: string[] = [];
  const [paying, ordering, delivering] = [chance.branch(), chance.branch(), chance.branch()];
  const endsAt = Date.now() + minutes * 60_000;
  let [isStruck, isPlaced, cleaned] = [false, false, 0];
  service.deliverTo((reference) => {
    const store = reference.replace(/-.*/, "");
    const urls = fleet.urls();
    // The deliveries of a payout meet different workers, also at the same time. A memory is lost with its process.
    return `${store === "memory" ? urls[0] : delivering.pick(urls)}/${store}`;
  }, plan.ackTimeout);
  const pay = async (n: number) => {
    const store = paying.pick(plan.stores);
    const payout = { reference: `${store}-${n}`, store, status: paying.pick(payoutStatuses) };
    payouts.push(payout);
    await emulator.payout({
      ...{ client_referenceId: payout.reference, outcome: payout.status, amount },
      plan: paying.pick(["standard", "twice", "race"]),
    });
  };
  const place = async (n: number) => {
    orders.push(`o${n}`);
    await placeOrder(n, plan, service, fleet, ordering);
  };
  const clean = async () => {
    cleaned += await cleanUp(journals, service, () => Date.now() + ahead);
  };
  const [strikes] = await Promise.all([
    strikeAll(plan.faults, given, chance.branch(), () => Date.now() >= endsAt).finally(() => {
      isStruck = true; // All else ends, too.
    }),
    repeat(pay, plan.payouts, () => isStruck),
    repeat(place, plan.orders, () => isStruck).finally(() => {
      isPlaced = true;
    }),
    plan.clocksAgree && repeat(clean, { atOnce: 1, pause: 100 }, () => isPlaced),
  ]);
  await fleet.stopCalls();
  await service.redeliverAll();
  await stores.age(ageInDays);
  await emulator.clock.advance(ageInDays * 86_400_000);
  for (const phase of ["settled", "unsettled"] as const) {
    await fleet.become({ ahead: emulator.clock.now() - Date.now(), phase });
    await service.redeliverAll();
  }
  return { strikes, payouts, orders, cleaned };
}

/** Does something again and again in each lane of a pace, and counts. */
async function repeat(
  task: (n: number) => Promise<unknown>,
  { atOnce, pause }: Pace,
  isOver: () => boolean,
): Promise<void> {
  let count = 0;
  const run = async () => {
    while (!isOver()) {
      count += 1;
      await task(count);
      await sleep(pause);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
}

/** The rows that are open, and those of the bookings that the service was sent. */
async function readRows(
  journals: readonly BookingJournal[],
  { received }: Pick<Truth, "received">,
): Promise<readonly JournalRow[]> {
  const references = new Set(
    received.filter(({ operation }) => operation === "flights.book").map(({ reference }) => reference),
  );
  const found = journals.flatMap((journal) => [
    ...Array.from(references, (reference) => journal.find(reference)),
    journal.pending(),
  ]);
  return [...new Map((await Promise.all(found)).flat().map((row) => [row.attemptId, row])).values()];
}
