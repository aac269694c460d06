/** The receiver of payouts in a worker: `/postgres` commits claim and effect together, `/redis` cannot. */
import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type pg from "pg";
import { nodeHandler } from "../../src/webhooks/adapters/node.ts";
import { type Claim, hmac, type WebhookStore, Webhooks } from "../../src/webhooks/index.ts";
import { postgresStore } from "../../src/webhooks/stores/postgres.ts";
import { referenceIn } from "../../src/webhooks/stores/record.ts";
import { redisStore } from "../../src/webhooks/stores/redis.ts";
import type { LedgerWriter } from "./ledger.ts";
import type { PayoutStatus, PayoutStore } from "./payouts.ts";

export const amount = 8_500;

/** A time that is signed shows when the clocks of service and receiver differ. */
export const signature = hmac({
  header: "x-signature",
  timestampHeader: "x-timestamp",
  signed: "timestamp.body",
  secrets: ["the secret of the soak"],
});

/** Shorter than in production, so that claims expire within the soak. */
export const timing = { ackTimeout: 2_000, workTimeout: 4_000, claimLease: 5_000 };

/** The effects of all payouts: one row for each time that a handler ran to its end. */
export const effectsSchema =
  "create table if not exists soak_effects (store text, payout text, status text, process text, claim text)";
const recordEffect = "insert into soak_effects (store, payout, status, process, claim) values ($1, $2, $3, $4, $5)";

/** The share of the runs in which a handler throws: with Postgres after its effect, which is then rolled back. */
const refusals = 0.15;

export interface ReceiverParts {
  readonly process: string;
  readonly pool: pg.Pool;
  readonly redis: Redis;
  readonly ledger: LedgerWriter;
  /** Returns the time of this worker's clock. */
  now(): number;
}

export function createReceiver(parts: ReceiverParts): RequestListener {
  const inPostgres = postgresStore(parts.pool);
  const handlers = {
    "/postgres": handlerOf(inPostgres, parts, (event, claim) => commitTogether(inPostgres, parts, event, claim)),
    "/redis": handlerOf(recordCommits(redisStore(parts.redis), parts.ledger), parts, async (event, claim) => {
      perhapsRefuse("redis", parts);
      try {
        await parts.pool.query(recordEffect, rowOf("redis", parts, event, claim));
      } catch (error) {
        parts.ledger.write({ type: "threw", claim: claim.token });
        throw error;
      }
      await pause();
    }),
  };
  return (request, response) => {
    const handler = handlers[request.url as keyof typeof handlers];
    if (handler === undefined) response.writeHead(404).end();
    else void handler(request, response);
  };
}

interface Event {
  readonly client_referenceId: string;
  readonly status: PayoutStatus;
}

function handlerOf(
  store: WebhookStore,
  { now }: ReceiverParts,
  takeEffect: (event: Event, claim: Claim) => Promise<void>,
) {
  const webhooks = new Webhooks({ auth: [signature], findOrder: () => amount, store, now, ...timing });
  const handle = async (event: Event, { claim }: { readonly claim: Claim | undefined }) => {
    if (claim === undefined) throw new Error("the handler runs under a claim");
    await takeEffect(event, claim);
  };
  return nodeHandler(webhooks.handler({ SUCCESS: handle, FAILED: handle, REJECTED: handle }));
}

/** The values of `recordEffect`. */
const rowOf = (store: PayoutStore, { process }: ReceiverParts, { client_referenceId, status }: Event, claim: Claim) => [
  ...[store, client_referenceId, status, process, claim.token],
];

function perhapsRefuse(store: PayoutStore, { ledger }: ReceiverParts): void {
  if (Math.random() >= refusals) return;
  ledger.write({ type: "refused", store });
  throw new Error("as planned");
}

/** The effect and the claim commit in one transaction, as docs/stores.md shows it. */
async function commitTogether(
  store: ReturnType<typeof postgresStore>,
  parts: ReceiverParts,
  event: Event,
  claim: Claim,
): Promise<void> {
  const client = await parts.pool.connect();
  client.on("error", ignore); // A connection that ends between two queries: the next one rejects.
  let failure: unknown;
  try {
    await client.query("begin");
    await client.query(recordEffect, rowOf("postgres", parts, event, claim));
    perhapsRefuse("postgres", parts);
    await pause();
    await store.withTransaction(client).complete(claim);
    await pause();
    await client.query("commit");
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    // A connection in a broken transaction is not used again.
    client.off("error", ignore).release(failure !== undefined);
  }
}

/** Notes each claim that Redis has completed: an effect that comes after it is another matter than one before. */
function recordCommits(store: WebhookStore, ledger: LedgerWriter): WebhookStore {
  return {
    ...store,
    async complete(claim) {
      const from = Date.now();
      const isComplete = await store.complete(claim);
      const reference = referenceIn(claim.key) ?? "";
      if (isComplete) ledger.write({ type: "commit", reference, claim: claim.token, from, to: Date.now() });
      return isComplete;
    },
  };
}

const ignore = () => {};

/** A moment for a fault to strike. */
const pause = () => sleep(Math.random() * 60);
