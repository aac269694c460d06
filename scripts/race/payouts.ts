/** The race of the payouts: every reference three times, in random order, each with the retries of §6.4. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Acknowledgement, sign, Webhooks } from "../../src/webhooks/index.ts";
import type { Account } from "../accounts.ts";
import { createChance } from "../soak/chance.ts";
import { accountForRace } from "./accounts.ts";
import { type Count, type Processes, runAll, startProcesses } from "./processes.ts";
import { createReceiver, signature } from "./receiver.ts";
import { openStore, type RacedStore, type StoreName } from "./stores.ts";

const inFlight = 64;
/** Milliseconds before each of the three retries: a few seconds, but together longer than a lease. */
const retryAfter = [1_000, 2_000, 4_000];
/** Beyond the 90 days of Redis and memory. */
const days = 100;

/** One race: the references, the store that the processes share, and the processes. */
interface Race {
  readonly references: readonly string[];
  readonly store: RacedStore;
  readonly fleet: Pick<Processes, "pick" | "killed" | "stop">;
  readonly count: Count;
}

export async function racePayouts(name: StoreName, url: string, size: number): Promise<Account[]> {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const store = await openStore(name, url);
  const run = crypto.randomUUID().slice(0, 8);
  const references = Array.from({ length: size }, (_, i) => `race-${run}-${i}`);
  try {
    const program = new URL("worker.ts", import.meta.url);
    const fleet =
      name === "memory" ? await startOne(store, count) : await startProcesses(program, [name, url], 8, count);
    const race: Race = { references, store, fleet, count };
    await deliverAll(race)
      .then(() => deliverFailed(race))
      .finally(fleet.stop);
    const [effects, open] = [await store.effects(), await store.open()];
    await store.advance(days);
    const later = { settled: await redeliver(race, true), unguarded: await redeliver(race, false) };
    return accountForRace({ store: name, references, counts, effects, open, killed: fleet.killed, later });
  } finally {
    await store.close();
  }
}

/** The memory store serves one process: this one. */
async function startOne(store: RacedStore, count: Count): Promise<Race["fleet"]> {
  const server = createReceiver(store, false, count).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const pick = async () => [undefined as never, url] as const;
  return { pick, killed: new Set(), stop: async () => void server.close().closeAllConnections() };
}

async function deliverAll(race: Race): Promise<void> {
  const { references, count } = race;
  const retries: Promise<void>[] = [];
  const attempt = async (reference: string, number: number): Promise<void> => {
    const status = await deliver(reference, race);
    if (status === "SUCCESS" || status === "DUPLICATE") return;
    const pause = retryAfter[number];
    if (pause === undefined) count("marked Failed Delivery");
    // Retries are not limited to a number at a time.
    else retries.push(sleep(pause * (0.5 + Math.random())).then(() => attempt(reference, number + 1)));
  };
  const queue = createChance(Math.random() * 2 ** 31).shuffle([...references, ...references, ...references]);
  await runAll(
    queue.map((reference) => () => attempt(reference, 0)),
    inFlight,
  );
  // Each retry may add another.
  for (let next = retries.shift(); next !== undefined; next = retries.shift()) await next;
}

/** Delivers by hand what was given up without an effect, as its operator would. */
async function deliverFailed(race: Race): Promise<void> {
  const effects = await race.store.effects();
  for (const reference of race.references.filter((each) => !effects.has(each))) {
    for (let attempt = 0; attempt < 20; attempt++) {
      const status = await deliver(reference, race);
      if (status === "SUCCESS" || status === "DUPLICATE") break;
      await sleep(500);
    }
  }
}

const eventOf = (client_referenceId: string) => ({
  ...{ status: "SUCCESS", client_referenceId, transactionId: "T", txn_amount: 1, utr: "U" },
});

async function deliver(reference: string, { store, fleet, count }: Race): Promise<string> {
  const { headers, body } = await sign(eventOf(reference), signature);
  const [, url] = await fleet.pick();
  const startedAt = performance.now();
  let acknowledgement: Acknowledgement;
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(7_000) });
    acknowledgement = (await response.json()) as Acknowledgement;
  } catch {
    count("no response");
    return "none";
  }
  const { status } = acknowledgement;
  count(`acknowledged ${status}`);
  if (performance.now() - startedAt > 7_000) count("acknowledged too late");
  if (status !== "FAILED" && !(await store.isCommitted(reference))) count("acknowledged before the commit");
  return status;
}

/**
 * Delivers everything again, and returns the number of references whose effect happened again.
 *
 * @param settled - Whether `findOrder` says that the order is settled.
 */
async function redeliver({ references, store }: Race, settled: boolean): Promise<number> {
  const again = new Set<string>();
  const handler = new Webhooks({
    auth: [signature],
    store: store.store,
    findOrder: () => ({ amount: 1, settled }),
  }).handler({
    SUCCESS: (event) => again.add(event.client_referenceId),
    FAILED: () => {},
    REJECTED: () => {},
    onFailure: (error) => console.error(error),
  });
  const deliver = async (reference: string) => handler.receive(await sign(eventOf(reference), signature));
  await runAll(
    references.map((reference) => () => deliver(reference)),
    32,
  );
  return again.size;
}
