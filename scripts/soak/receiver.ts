/** The receiver of payouts in a worker, with a path for each store: `/postgres` commits claim and effect together. */
import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type pg from "pg";
import { nodeHandler } from "../../src/webhooks/adapters/node.ts";
import { type Claim, hmac, memoryStore, type WebhookStore, Webhooks } from "../../src/webhooks/index.ts";
import { postgresStore } from "../../src/webhooks/stores/postgres.ts";
import { referenceIn } from "../../src/webhooks/stores/record.ts";
import { redisStore } from "../../src/webhooks/stores/redis.ts";
import type { Effect, PayoutStatus, Phase, StoreName, Write } from "./ledger.ts";

export const amount = 8_500;

/** A time that is signed shows when the clocks of service and receiver differ. */
export const signature = hmac({
  header: "x-signature",
  timestampHeader: "x-timestamp",
  signed: "timestamp.body",
  secrets: ["the secret of the soak"],
});

/** Shorter than in production, so that claims expire within the soak. */
export const timing = { ackTimeout: 1_000, workTimeout: 4_000, claimLease: 5_000 };

/** Beyond the 90 days of Redis and memory. */
export const ageInDays = 100;

/** The effects in Postgres: one row for each time that a handler ran to its end. */
export const effectsSchema =
  "create table if not exists soak_effects (store text, payout text, status text, process text, claim text, phase text)";
const recordEffect = "insert into soak_effects values ('postgres', $1, $2, $3, $4, $5)";

/** The share of the runs in which a handler throws: with Postgres after its effect, which is then rolled back. */
const refusals = 0.15;
/** The share of the others in which it takes longer than the time for the acknowledgement. */
const stalls = 0.05;

export interface ReceiverParts {
  readonly process: string;
  readonly pool: pg.Pool;
  readonly redis: Redis;
  readonly write: Write;
  /** Returns the time of this worker's clock. */
  now(): number;
  phase(): Phase;
  /** Called before and after each effect, and before its commit: at these moments the process may end. */
  perhapsDie(): void;
}

interface OpenStore {
  readonly store: WebhookStore;
  /** A run of a handler under its claim. */
  takeEffect(effect: Effect, claim: Claim, signal: AbortSignal): Promise<void>;
}

export function createReceiver(names: readonly StoreName[], parts: ReceiverParts): RequestListener {
  const handlers = new Map(names.map((name) => [`/${name}`, handlerOf(name, openStore(name, parts), parts)]));
  return (request, response) => {
    const handler = handlers.get(request.url ?? "");
    if (handler === undefined) response.writeHead(404).end();
    else void handler(request, response);
  };
}

function openStore(name: StoreName, parts: ReceiverParts): OpenStore {
  if (name === "postgres") return openPostgres(parts);
  const days = () => (parts.phase() === "during" ? 0 : ageInDays);
  const open: Readonly<Record<typeof name, () => WebhookStore>> = {
    redis: () => redisStore(parts.redis),
    memory: () => memoryStore({ now: () => Date.now() + days() * 86_400_000 }),
  };
  const store = open[name]();
  return {
    store: { ...store, complete: (claim) => noteCommit(claim, parts, () => store.complete(claim)) },
    async takeEffect(effect, _claim, signal) {
      await perhapsFail(name, parts, signal);
      parts.perhapsDie();
      parts.write({ type: "effect", ...effect });
      parts.perhapsDie();
      await pause();
    },
  };
}

function handlerOf(name: StoreName, { store, takeEffect }: OpenStore, { process, now, phase }: ReceiverParts) {
  const findOrder = () => ({ amount, settled: phase() === "settled" });
  const webhooks = new Webhooks({ auth: [signature], findOrder, store, now, ...timing });
  const handle = async (
    { client_referenceId: payout, status }: { readonly client_referenceId: string; readonly status: PayoutStatus },
    { claim, signal }: { readonly claim: Claim | undefined; readonly signal: AbortSignal },
  ) => {
    if (claim === undefined) throw new Error("the handler runs under a claim");
    await takeEffect({ store: name, payout, status, process, claim: claim.token, phase: phase() }, claim, signal);
  };
  return nodeHandler(webhooks.handler({ SUCCESS: handle, FAILED: handle, REJECTED: handle }));
}

async function perhapsFail(store: StoreName, { write }: ReceiverParts, signal: AbortSignal): Promise<void> {
  if (Math.random() < refusals) {
    write({ type: "refused", store });
    throw new Error("as planned");
  }
  if (Math.random() < stalls) {
    write({ type: "stalled", store });
    await sleep(timing.ackTimeout * (1.1 + Math.random()), undefined, { signal });
  }
}

/** The effect and the claim commit in one transaction, as docs/stores.md shows it. */
function openPostgres(parts: ReceiverParts): OpenStore {
  const store = postgresStore(parts.pool);
  return {
    store,
    async takeEffect({ payout, status, process, phase }, claim, signal) {
      const client = await parts.pool.connect();
      client.on("error", ignore); // A connection that ends between two queries: the next one rejects.
      let isDone = false;
      try {
        await client.query("begin");
        parts.perhapsDie();
        await client.query(recordEffect, [payout, status, process, claim.token, phase]);
        await perhapsFail("postgres", parts, signal);
        await pause();
        parts.perhapsDie();
        await store.withTransaction(client).complete(claim);
        parts.perhapsDie();
        await pause();
        await noteCommit(claim, parts, async () => {
          const { command } = await client.query("commit");
          return command === "COMMIT";
        });
        isDone = true;
      } finally {
        // A connection in a broken transaction is not used again.
        client.off("error", ignore).release(!isDone);
      }
    },
  };
}

/** Notes when a claim was completed: an effect or an acknowledgement after it is another matter than one before. */
async function noteCommit(claim: Claim, { write }: ReceiverParts, complete: () => Promise<boolean>): Promise<boolean> {
  const from = Date.now();
  const commit = { reference: referenceIn(claim.key) ?? "", claim: claim.token, from };
  write({ type: "committing", ...commit });
  const isComplete = await complete();
  write({ type: "commit", ...commit, to: Date.now(), isComplete });
  return isComplete;
}

const ignore = () => {};

/** A moment for a fault to strike. */
const pause = () => sleep(Math.random() * 60);
