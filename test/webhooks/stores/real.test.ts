import { Redis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebhookStore } from "../../../src/webhooks/index.ts";
import { redisStore } from "../../../src/webhooks/stores/redis.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";
import { receiver } from "../support.ts";
import { describePostgresStore } from "./postgres.suite.ts";

const { SERVICEAPI_TEST_REDIS: redisUrl = "", SERVICEAPI_TEST_POSTGRES: postgresUrl = "" } = process.env;

describe.skipIf(redisUrl === "")("redisStore on a real Redis (left out without one: npm run test:stores)", () => {
  const connect = {
    ioredis: async () => {
      const client = new Redis(redisUrl, { lazyConnect: true });
      await client.connect();
      return { client, close: () => client.quit() };
    },
    "node-redis": async () => {
      const client = createClient({ url: redisUrl });
      await client.connect();
      return { client, close: () => client.close() };
    },
  };

  describe.each(Object.entries(connect))("%s", (name, open) => {
    let store: WebhookStore;
    let close: () => Promise<unknown>;
    const prefix = `test:${name}:${process.pid}:`;
    beforeAll(async () => {
      const opened = await open();
      close = async () => opened.close();
      store = redisStore(opened.client, { prefix });
    });
    afterAll(() => close());

    for (const { name: promise, run } of storeSuite(() => store)) it(promise, run);

    it("keeps a reference for each prefix", async () => {
      const { client, close: closeOther } = await open();
      const other = redisStore(client, { prefix: `other-${prefix}` });
      const claims = [store, other].map((one) => one.claim("shared", { status: "SUCCESS", lease: 1_000 }));
      expect((await Promise.all(claims)).map(({ kind }) => kind)).toEqual(["claimed", "claimed"]);
      await closeOther();
    });

    it.each([
      [undefined, 90 * 86_400_000],
      [3_600_000, 3_600_000],
      [Number.POSITIVE_INFINITY, -1],
    ])("with a retention of %s remembers what is done for %s ms", async (retention, lives) => {
      const { client, close: closeOther } = await open();
      const own = redisStore(client, { prefix, retention });
      const key = `kept ${retention}`;
      const result = await own.claim(key, { status: "SUCCESS", lease: 5 });
      if (result.kind === "claimed") await own.complete(result.claim);
      const left = Number(await ("pttl" in client ? client.pttl(prefix + key) : client.pTTL(prefix + key)));
      expect(left).toBeLessThanOrEqual(lives);
      expect(left).toBeGreaterThanOrEqual(Math.max(-1, lives - 10_000));
      await closeOther();
    });
  });

  it("is acknowledged FAILED when Redis is away, within the deadline", async () => {
    const client = new Redis({ host: "127.0.0.1", port: 1, lazyConnect: true, maxRetriesPerRequest: 1 });
    client.on("error", () => {});
    const { statusOf } = receiver({}, { store: redisStore(client), ackTimeout: 1_000 });
    expect(await statusOf({ status: "REJECTED", client_referenceId: "a" })).toBe("FAILED");
    expect(await statusOf({ status: "FAILED", client_referenceId: "a", transactionId: "t", txn_amount: 1 })).toBe(
      "FAILED",
    );
    client.disconnect();
  });
});

describe.skipIf(postgresUrl === "")("on a real Postgres (left out without one: npm run test:stores)", () => {
  const pool = new pg.Pool({ connectionString: postgresUrl, max: 10, idleTimeoutMillis: 0 });
  const clients: pg.PoolClient[] = [];
  // All connections are there before the tests, which leave none behind.
  beforeAll(async () => void (await Promise.all(Array.from({ length: 10 }, () => pool.query("select 1")))));
  afterAll(async () => {
    for (const client of clients) client.release();
    await pool.end();
  });
  const connect = async () => {
    const client = await pool.connect();
    clients.push(client);
    return client;
  };
  let first = true;
  describePostgresStore("postgresStore by pg", async () => {
    // The first is the store's own: a pool, as in production. The others are for transactions.
    if (!first) return connect();
    first = false;
    return pool;
  });
});
