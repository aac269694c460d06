/** A process of the application: makes calls, receives payouts, and may be killed at any moment. */
import { once } from "node:events";
import { statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { getHeapSpaceStatistics } from "node:v8";
import { Redis } from "ioredis";
import pg from "pg";
import { bytesInUse } from "../../bench/usage.ts";
import { fileJournal } from "../../src/flights/journal/file.ts";
import { postgresJournal } from "../../src/flights/journal/postgres.ts";
import { nodeFetch } from "../../src/node/index.ts";
import { ServiceApi } from "../../src/service-api.ts";
import type { ClientEvent } from "../../src/transport/log.ts";
import { type Caller, makeCalls } from "./calls.ts";
import { createChance } from "./chance.ts";
import { openLedger } from "./ledger.ts";
import { createReceiver } from "./receiver.ts";
import { bookingsTable, journalFile, type WorkerSettings } from "./worker-settings.ts";

const usersAtOnce = 3;
const settings: WorkerSettings = JSON.parse(process.argv[2] ?? "");
const { serviceUrl, folder } = settings;
let { ahead } = settings;
let isStopping = false;
const now = () => Date.now() + ahead;

const pool = new pg.Pool({ connectionString: settings.postgresUrl, max: 8, connectionTimeoutMillis: 1_500 });
pool.on("error", () => {}); // A connection that ends while idle is replaced.
const redis = new Redis(settings.redisUrl, {
  commandTimeout: 1_000,
  maxRetriesPerRequest: 1,
  retryStrategy: () => 100,
});
redis.on("error", () => {}); // It reconnects.
const ledger = openLedger(folder, settings.process);
const journalPath = join(folder, journalFile);
const common = {
  ...{ serviceUrl, ledger, now, process: settings.process, chance: createChance(settings.seed) },
  journals: [postgresJournal(pool, { table: bookingsTable }), fileJournal(journalPath)] as const,
};
const client = {
  ...{ baseUrl: serviceUrl, clientId: "soak", clientSecret: "soak" },
  ...{ timeout: 1_500, totalTimeout: 4_000, stream: { idleTimeout: 1_000 } },
  ...(settings.ownFetch && { fetch: nodeFetch() }),
};

/** Returns a caller that makes one call at a time, so that the last event is of its last call. */
function createCaller(): Caller {
  let sent = 0;
  const onEvent = (event: ClientEvent) => {
    if (event.type === "request") sent = event.attempt;
  };
  return { ...common, api: new ServiceApi({ ...client, onEvent }), sent: () => sent };
}

const server = createServer(createReceiver({ process: settings.process, pool, redis, ledger, now }));
server.listen(settings.port, "127.0.0.1");
await once(server, "listening");
const calling = Array.from({ length: usersAtOnce }, (_, user) => makeCalls(createCaller(), user, () => isStopping));
const measuring = setInterval(async () => {
  const bytes = (await bytesInUse()) - codeSize();
  ledger.write({ type: "heap", bytes, fileSize: sizeOfJournal() });
}, 4_000);

/** Bytes of compiled code, which grow late as well: a function that handles a rare fault is compiled when it first runs. */
function codeSize(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => /code|trusted/.test(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

/** The file appears with the first booking. */
const sizeOfJournal = () => statSync(journalPath, { throwIfNoEntry: false })?.size ?? 0;

/** Opens the journal once more: the heap grows by as much as its rows take. */
async function measureJournal(): Promise<void> {
  const before = await bytesInUse();
  const again = fileJournal(journalPath);
  await again.pending();
  ledger.write({ type: "journal", bytes: (await bytesInUse()) - before, fileSize: sizeOfJournal() });
  await again.pending(); // It was in memory until here.
}

/** The steps of the close. After the last one, nothing of the library may keep the process alive. */
const steps = {
  async stopCalls() {
    isStopping = true;
    await Promise.all(calling);
    clearInterval(measuring);
    await measureJournal();
  },
  async end() {
    server.close().closeAllConnections();
    redis.disconnect();
    await pool.end();
    process.disconnect();
  },
};
process.on("message", async (message: { readonly ahead?: number; readonly step?: keyof typeof steps }) => {
  ahead = message.ahead ?? ahead;
  if (message.step === undefined) return;
  await steps[message.step]();
  if (process.connected) process.send?.({ ended: message.step });
});
process.send?.("ready");
