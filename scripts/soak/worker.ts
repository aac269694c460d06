/** A process of the application: makes calls, receives payouts, and may be killed at any moment. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { getHeapSpaceStatistics } from "node:v8";
import { Redis } from "ioredis";
import pg from "pg";
import { bytesInUse } from "../../bench/usage.ts";
import type { BookingJournal } from "../../src/flights/index.ts";
import { nodeFetch } from "../../src/node/index.ts";
import { ServiceApi } from "../../src/service-api.ts";
import type { ClientEvent } from "../../src/transport/log.ts";
import { type Attempt, attemptOrder, type Caller, makeCalls } from "./calls.ts";
import { createChance } from "./chance.ts";
import { type JournalName, openJournal, sizeOfFile } from "./journals.ts";
import { openLedger, type Phase, type StoreName } from "./ledger.ts";
import { createReceiver } from "./receiver.ts";

export interface WorkerSettings {
  readonly users: number;
  readonly stores: readonly StoreName[];
  /** The name of the process, one for each start: letters and digits. */
  readonly process: string;
  readonly seed: number;
  /** The folder of the ledgers and of the file journal. */
  readonly folder: string;
  readonly serviceUrl: string;
  readonly redisUrl: string;
  readonly postgresUrl: string;
  /** Whether it lives until the end: it then measures its memory. */
  readonly isLasting: boolean;
  /** Whether it uses the `fetch` of `serviceapi/node`. */
  readonly ownFetch: boolean;
  readonly state: WorkerState;
}

/** The state that all workers share, and that changes while they run. */
export interface WorkerState {
  /** Milliseconds by which the worker's clock is ahead. */
  readonly ahead: number;
  readonly phase: Phase;
}

/** The chances in a thousand that a process ends at a moment of a booking, and of an effect. */
const perMille = { booking: 6, effect: 3 };
/** Milliseconds between the claims of all processes, so that those of one order collide. */
const tick = 250;

const settings: WorkerSettings = JSON.parse(process.argv[2] ?? "");
const { serviceUrl, folder } = settings;
let { state } = settings;
let isStopping = false;
const now = () => Date.now() + state.ahead;
const die = (chance: number) => () => {
  if (!settings.isLasting && !isStopping && Math.random() * 1_000 < chance) process.kill(process.pid, "SIGKILL");
};

const pool = new pg.Pool({ connectionString: settings.postgresUrl, max: 8, connectionTimeoutMillis: 1_500 });
pool.on("error", () => {}); // A connection that ends while idle is replaced.
const redis = new Redis(settings.redisUrl, {
  commandTimeout: 1_000,
  maxRetriesPerRequest: 1,
  retryStrategy: () => 100,
});
redis.on("error", () => {}); // It reconnects.
const write = openLedger(folder, settings.process);
const chance = createChance(settings.seed);
const journals = {
  postgres: mortal(openJournal("postgres", folder, pool)),
  file: mortal(openJournal("file", folder, pool)),
} satisfies Record<JournalName, BookingJournal>;
const client = {
  ...{ baseUrl: serviceUrl, clientId: "soak", clientSecret: "soak" },
  ...{ timeout: 1_500, totalTimeout: 4_000, stream: { idleTimeout: 1_000 } },
  ...(settings.ownFetch && { fetch: nodeFetch() }),
};

/** A journal whose claims collide, and whose process may end after a claim and before a booking is recorded. */
function mortal(journal: BookingJournal): BookingJournal {
  const perhapsDie = die(perMille.booking);
  return {
    ...journal,
    async claim(row, options) {
      await new Promise((resolve) => setTimeout(resolve, tick - (Date.now() % tick)));
      const other = await journal.claim(row, options);
      if (other == null) perhapsDie();
      return other;
    },
    settle(row, from) {
      perhapsDie();
      return journal.settle(row, from);
    },
  };
}

/** Returns a caller that makes one call at a time, so that the last event is of its last call. */
function createCaller(headers: Readonly<Record<string, string>> = {}): Caller {
  let sent = 0;
  const onEvent = (event: ClientEvent) => {
    if (event.type === "request") sent = event.attempt;
  };
  const api = new ServiceApi({ ...client, headers, onEvent });
  return { api, write, now, chance, process: settings.process, sent: () => sent };
}

const calling = Array.from({ length: settings.users }, (_, user) => makeCalls(createCaller(), user, () => isStopping));
const measuring = settings.isLasting ? setInterval(measureHeap, 4_000) : undefined;

async function measureHeap(): Promise<void> {
  const bytes = (await bytesInUse()) - codeSize();
  write({ type: "heap", bytes, fileSize: sizeOfFile(folder) });
}

/** Bytes of compiled code, which grow late as well: a function that handles a rare fault is compiled when it first runs. */
function codeSize(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => /code|trusted/.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

/** Opens the journal once more: the heap grows by as much as its rows take. */
async function measureJournal(): Promise<void> {
  const before = await bytesInUse();
  const again = openJournal("file", folder, pool);
  await again.pending();
  write({ type: "journal", bytes: (await bytesInUse()) - before, fileSize: sizeOfFile(folder) });
  await again.pending(); // It was in memory until here.
}

const acts = {
  /** Returns whether the order is booked, by this attempt or another. */
  attempt: (attempt: Attempt) =>
    attemptOrder(
      createCaller({ "x-attempt": attempt.reference, "x-attempt-at": `${Date.now()}` }),
      attempt,
      journals[attempt.journal],
    ),
  become(next: WorkerState) {
    state = next;
  },
  async stopCalls() {
    isStopping = true;
    await Promise.all(calling);
    clearInterval(measuring);
    await measureJournal();
  },
};
export type WorkerActs = typeof acts;

const perhapsDie = die(perMille.effect);
const receive = createReceiver(settings.stores, {
  ...{ process: settings.process, pool, redis, write, now, phase: () => state.phase, perhapsDie },
});
/** An act that fails ends the worker, which no account forgives. */
const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
  const act = Object.entries(acts).find(([name]) => request.url === `/${name}`)?.[1];
  if (act === undefined) receive(request, response);
  else response.end(JSON.stringify((await act((await json(request)) as never)) ?? null));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
/** The end of the run, or of the process that started this one. After it, nothing of the library may keep this one alive. */
process.once("disconnect", async () => {
  isStopping = true;
  clearInterval(measuring);
  server.close().closeAllConnections();
  redis.disconnect();
  await pool.end();
});
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
