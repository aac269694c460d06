/**
 * A process that receives deliveries, 64 at once: `prepare` measures the bytes in use and signs the next ones, `receive`
 * handles them. In front of it there is no HTTP server, which would cost more than what is measured.
 */
import { Redis } from "ioredis";
import { Pool } from "pg";
import { postgresStore, redisStore } from "serviceapi/stores";
import { hmac, memoryStore, type WebhookStore, Webhooks } from "serviceapi/webhooks";
import { newDeliveries, secret } from "../deliveries.ts";
import { repeat } from "../measure.ts";
import { bytesInUse } from "../usage.ts";

const [storeName = "", url = "", count = ""] = process.argv.slice(2);
const halfHour = 1_800_000;
/** The store in memory keeps an hour of references, and each round takes half an hour of its clock. */
let ahead = 0;

const stores: Readonly<Record<string, () => WebhookStore>> = {
  memory: () => memoryStore({ retention: 2 * halfHour, now: () => Date.now() + ahead }),
  Redis: () => redisStore(new Redis(url)),
  Postgres: () => postgresStore(new Pool({ connectionString: url, max: 16 })),
};
const store = stores[storeName]?.();
if (store === undefined) throw new Error(`unknown store ${storeName}`);
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [secret] })],
  store,
  findOrder: () => 1500.5,
});
const handler = webhooks.handler({ SUCCESS: () => {}, FAILED: () => {}, REJECTED: () => {} });
const queue = newDeliveries((delivery) => delivery);

async function receiveOne(): Promise<void> {
  const { status } = await handler.receive(queue.take());
  if (status !== 200) throw new Error(`acknowledged with ${status}`);
}

async function prepare(): Promise<number> {
  const bytes = await bytesInUse();
  ahead += halfHour;
  queue.fill(Number(count));
  return bytes;
}

process.on("disconnect", () => process.exit());
process.on("message", async (what) => {
  process.send?.(what === "prepare" ? await prepare() : await repeat(Number(count), 64, receiveOne).then(() => 0));
});
