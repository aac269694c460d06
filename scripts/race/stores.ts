/**
 * A store in the race: its claims, an effect that can be counted, and the processes that died between effect and
 * commit.
 */
import { Redis } from "ioredis";
import pg from "pg";
import type { Claim, WebhookStore } from "../../src/webhooks/index.ts";
import { memoryStore } from "../../src/webhooks/index.ts";
import { postgresStore } from "../../src/webhooks/stores/postgres.ts";
import { redisStore } from "../../src/webhooks/stores/redis.ts";

export const storeNames = ["postgres", "redis", "memory"] as const;
export type StoreName = (typeof storeNames)[number];

export interface RacedStore {
  readonly store: WebhookStore;
  /** The work of a payout. `die` is called at the moments at which a process may be killed. */
  takeEffect(reference: string, claim: Claim, die: (moment: "before" | "after") => void): Promise<void>;
  isCommitted(reference: string): Promise<boolean>;
  /** Returns the number of effects of each reference. */
  effects(): Promise<ReadonlyMap<string, number>>;
  /** Moves the store's clock, so that its entries are that much older. */
  advance(days: number): Promise<unknown>;
  /** The effects that were not committed, with the processes that had them. */
  open(): Promise<readonly { readonly reference: string; readonly pid: number }[]>;
  close(): Promise<unknown>;
}

export function openStore(name: StoreName, url: string): Promise<RacedStore> {
  return { postgres: openPostgres, redis: openRedis, memory: openMemory }[name](url);
}

/** The effect and the claim commit in one transaction. */
async function openPostgres(url: string): Promise<RacedStore> {
  const pool = new pg.Pool({ connectionString: url, max: 12 });
  pool.on("error", () => {}); // A connection that ends while idle is replaced.
  const store = postgresStore(pool);
  await store.createSchema();
  await pool.query(
    "do $$ begin perform pg_advisory_xact_lock(1); create table if not exists race_ledger (payout text); create index if not exists race_ledger_payout on race_ledger (payout); end $$",
  );
  return {
    store,
    async takeEffect(reference, claim, die) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        die("before");
        await client.query("insert into race_ledger values ($1)", [reference]);
        die("after");
        await store.withTransaction(client).complete(claim);
        die("after");
        await client.query("commit");
      } catch (error) {
        await client.query("rollback");
        throw error;
      } finally {
        client.release();
      }
    },
    async isCommitted(reference) {
      return (await pool.query("select 1 from race_ledger where payout = $1", [reference])).rows.length > 0;
    },
    async effects() {
      const { rows } = await pool.query("select payout, count(*)::int as times from race_ledger group by payout");
      return new Map(rows.map(({ payout, times }) => [payout, times]));
    },
    advance: (days) =>
      pool.query(
        "update serviceapi_webhooks set leased_until = leased_until - $1 * interval '1 day', expires_at = expires_at - $1 * interval '1 day'",
        [days],
      ),
    open: async () => [],
    close: () => pool.end(),
  };
}

/** The effect cannot be committed together with the claim. A set holds the references between the two. */
async function openRedis(url: string): Promise<RacedStore> {
  const redis = new Redis(url);
  const claims = redisStore(redis);
  const store: WebhookStore = {
    claim: claims.claim,
    release: claims.release,
    recordConflict: claims.recordConflict,
    find: claims.find,
    forget: claims.forget,
    async complete(claim) {
      const isComplete = await claims.complete(claim);
      if (isComplete) await redis.srem("race:open", `${process.pid} ${claim.key}`);
      return isComplete;
    },
  };
  return {
    store,
    async takeEffect(reference, claim, die) {
      die("before");
      await redis.multi().sadd("race:open", `${process.pid} ${claim.key}`).hincrby("race:effects", reference, 1).exec();
      die("after");
    },
    async isCommitted(reference) {
      return (await redis.hget(`serviceapi:webhooks:payout:${reference}`, "state")) === "done";
    },
    async effects() {
      return new Map(Object.entries(await redis.hgetall("race:effects")).map(([key, times]) => [key, Number(times)]));
    },
    async advance(days) {
      for (const key of await redis.keys("serviceapi:webhooks:*")) {
        const left = await redis.pttl(key);
        // -1: the key does not expire. An expiry in the past deletes it.
        if (left >= 0) await redis.pexpire(key, left - days * 86_400_000);
      }
    },
    async open() {
      return (await redis.smembers("race:open")).map((entry) => {
        const [pid, key = ""] = entry.split(" ");
        return { reference: key.replace("payout:", ""), pid: Number(pid) };
      });
    },
    close: () => redis.quit(),
  };
}

/** One process that is not killed, because its memory would be lost. */
async function openMemory(): Promise<RacedStore> {
  const effects = new Map<string, number>();
  const committed = new Set<string>();
  let moved = 0;
  const claims = memoryStore({ now: () => Date.now() + moved });
  const store: WebhookStore = {
    claim: (key, request) => claims.claim(key, request),
    release: (claim) => claims.release(claim),
    recordConflict: (key, status) => claims.recordConflict(key, status),
    find: (key) => claims.find(key),
    forget: (key) => claims.forget(key),
    async complete(claim) {
      const isComplete = await claims.complete(claim);
      if (isComplete) committed.add(claim.key);
      return isComplete;
    },
  };
  return {
    store,
    async takeEffect(reference) {
      effects.set(reference, (effects.get(reference) ?? 0) + 1);
    },
    isCommitted: async (reference) => committed.has(`payout:${reference}`),
    effects: async () => effects,
    async advance(days) {
      moved += days * 86_400_000;
    },
    open: async () => [],
    close: async () => {},
  };
}
