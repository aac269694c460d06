/** One soak, from empty stores to the accounts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type BookingJournal, type JournalRow, reconcile } from "../../src/flights/index.ts";
import { fileJournal } from "../../src/flights/journal/file.ts";
import { postgresJournal } from "../../src/flights/journal/postgres.ts";
import { postgresStore } from "../../src/webhooks/stores/postgres.ts";
import type { Account } from "../accounts.ts";
import { accountForBookings } from "./accounts/bookings.ts";
import { accountForCalls } from "./accounts/calls.ts";
import { accountForPayouts } from "./accounts/payouts.ts";
import { accountForFaults, accountForHeaps, accountForProcesses } from "./accounts/processes.ts";
import type { Truth } from "./accounts/truth.ts";
import { type Chance, createChance } from "./chance.ts";
import { faultNames, strikeAll } from "./faults.ts";
import { startFleet } from "./fleet.ts";
import { readLedgers } from "./ledger.ts";
import { payoutStatuses, payoutStores } from "./payouts.ts";
import { effectsSchema } from "./receiver.ts";
import { openBalancer } from "./route.ts";
import { type Service, startService } from "./service-process.ts";
import { startStores } from "./stores.ts";
import { bookingsTable, journalFile } from "./worker-settings.ts";

/** Milliseconds between two payouts, one to each store in turn. */
const payoutEvery = 250;

export async function soak(minutes: number, seed: number): Promise<Account[]> {
  const chance = createChance(seed);
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-soak-"));
  const [stores, service] = await Promise.all([startStores(), startService()]);
  // Past the route, which will be cut.
  const pool = new pg.Pool({ connectionString: stores.postgres.server.url, max: 2 });
  pool.on("error", () => {}); // A connection that ends while idle is replaced.
  try {
    const journals = await openJournals(pool, folder);
    const urls = { redisUrl: stores.redis.route.url, postgresUrl: stores.postgres.route.url };
    const fleet = await startFleet({ ...urls, serviceUrl: service.url, folder }, chance.branch());
    // The deliveries of a payout meet different workers, also at the same time.
    const balancer = await openBalancer(fleet.urls);
    const endsAt = Date.now() + minutes * 60_000;
    let isStruck = false;
    const striking = strikeAll({ service, fleet, stores }, chance, () => Date.now() >= endsAt).finally(() => {
      isStruck = true; // The payouts end, too.
    });
    const sending = sendPayouts(service, balancer.url, chance.branch(), () => isStruck);
    const [strikes, payouts] = await Promise.all([striking, sending]).catch(async (error: unknown) => {
      await balancer.close();
      await fleet.end();
      throw error;
    });
    await fleet.stopCalls();
    await service.ask({ act: "finish" });
    await balancer.close();
    await fleet.end();

    const found = await service.truth();
    const before = await readRows(journals, found);
    await cleanUp(journals, found);
    const truth: Truth = {
      ...found,
      ledgers: readLedgers(folder),
      ...{ exits: fleet.exits, suspensions: fleet.suspensions, payouts, strikes },
      effects: await readEffects(pool),
      rows: { before, after: await readRows(journals, found) },
    };

    return [
      ...accountForCalls(truth),
      ...accountForBookings(truth),
      ...accountForPayouts(truth),
      ...accountForProcesses(truth),
      ...accountForHeaps(truth, minutes),
      ...accountForFaults(truth, faultNames),
    ];
  } finally {
    await pool.end();
    await service.stop();
    await stores.stop();
    rmSync(folder, { recursive: true });
  }
}

async function openJournals(pool: pg.Pool, folder: string): Promise<readonly BookingJournal[]> {
  const inPostgres = postgresJournal(pool, { table: bookingsTable });
  await inPostgres.createSchema();
  await postgresStore(pool).createSchema();
  await pool.query(effectsSchema);
  return [inPostgres, fileJournal(join(folder, journalFile))];
}

async function sendPayouts(
  service: Service,
  url: string,
  chance: Chance,
  isOver: () => boolean,
): Promise<Truth["payouts"]> {
  const sent: Truth["payouts"][number][] = [];
  for (let n = 0; !isOver(); n += 1) {
    const store = payoutStores[n % 2 === 0 ? 0 : 1];
    const reference = `payout-${n}`;
    const status = chance.pick(payoutStatuses);
    sent.push({ reference, store, status });
    const plan = chance.pick(["standard", "twice", "race"] as const);
    void service.ask({ act: "payout", reference, status, to: `${url}/${store}`, plan });
    await sleep(payoutEvery);
  }
  return sent;
}

async function readEffects(pool: pg.Pool): Promise<Truth["effects"]> {
  const { rows } = await pool.query("select store, payout, status, process, claim from soak_effects");
  return rows;
}

/** The rows that are open, and those of the bookings that the service made. */
async function readRows(
  journals: readonly BookingJournal[],
  { received }: Pick<Truth, "received">,
): Promise<readonly JournalRow[]> {
  const references = new Set(
    received.filter(({ operation }) => operation === "flights.book").map(({ reference }) => reference),
  );
  const rows = new Map<string, JournalRow>();
  for (const journal of journals) {
    const found = await Promise.all([...references].map((reference) => journal.find(reference)));
    for (const row of [...found.flat(), ...(await journal.pending())]) rows.set(row.attemptId, row);
  }
  return [...rows.values()];
}

/** Closes the open rows with what the service knows, when no response can come any more. */
async function cleanUp(journals: readonly BookingJournal[], { bookings }: Pick<Truth, "bookings">): Promise<void> {
  const pnrs = new Map(bookings.map(({ client_referenceId, pnr }) => [client_referenceId, pnr]));
  for (const journal of journals) {
    for (const row of await journal.pending()) {
      const pnr = pnrs.get(row.clientReferenceId);
      await reconcile(journal, row, pnr === undefined ? "notBooked" : { pnr }, {
        now: () => row.responseDueBy + 60_000,
      });
    }
  }
}
