import { type AddressInfo, connect as connectTo, createServer } from "node:net";
import { Redis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { WebhookStore } from "../../../src/webhooks/index.ts";
import { postgresStore } from "../../../src/webhooks/stores/postgres.ts";
import { redisStore } from "../../../src/webhooks/stores/redis.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";
import { gate } from "../../support/gate.ts";
import { eventOf, finish, receiver } from "../support.ts";
import { expectModel } from "./conformance.ts";
import { describePostgresStore } from "./postgres.suite.ts";

const { SERVICEAPI_TEST_REDIS: redisUrl = "", SERVICEAPI_TEST_POSTGRES: postgresUrl = "" } = process.env;

const redisClients = {
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

describe.skipIf(redisUrl === "")("redisStore on a real Redis (left out without one: npm run test:stores)", () => {
  describe.each(Object.entries(redisClients))("%s", (name, open) => {
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
      const claims = [store, other].map((one) => one.claim("shared", { effect: "SUCCESS", lease: 1_000 }));
      expect((await Promise.all(claims)).map(({ kind }) => kind)).toEqual(["claimed", "claimed"]);
      await closeOther();
    });

    it("reads an entry with thousands of conflicts", { timeout: 60_000 }, async () => {
      await finish(store, "many");
      const effects = Array.from({ length: 9_000 }, (_, number) => `FAILED T${number}`);
      for (let i = 0; i < effects.length; i += 500)
        await Promise.all(effects.slice(i, i + 500).map((effect) => store.recordConflict("many", effect)));
      for (const entry of [await store.find("many"), await store.claim("many", { effect: "SUCCESS", lease: 1 })])
        expect(entry && "conflicts" in entry && entry.conflicts.length).toBe(9_000);
    });

    it.each([
      [undefined, 90 * 86_400_000],
      [3_600_000, 3_600_000],
      [Number.POSITIVE_INFINITY, -1],
    ])("with a retention of %s remembers what is done for %s ms", async (retention, lives) => {
      const { client, close: closeOther } = await open();
      const own = redisStore(client, { prefix, retention });
      const key = `kept ${retention}`;
      await finish(own, key);
      const left = Number(await ("pttl" in client ? client.pttl(prefix + key) : client.pTTL(prefix + key)));
      expect(left).toBeLessThanOrEqual(lives);
      expect(left).toBeGreaterThanOrEqual(Math.max(-1, lives - 10_000));
      await closeOther();
    });
  });

  describe("a row that something else wrote to", () => {
    const client = new Redis(redisUrl, { lazyConnect: true });
    const prefix = `written:${process.pid}:`;
    const store = redisStore(client, { prefix });
    const request = { effect: "SUCCESS", lease: 1_000 };
    const unreadable = {
      reason: "storeFailed",
      message: expect.stringMatching(/^redisStore: The row of this reference/),
    };
    beforeAll(() => client.connect());
    afterAll(() => client.quit());
    const write = async (row: Record<string, string>) => {
      const key = `payout:${crypto.randomUUID()}`;
      await client.hset(prefix + key, row);
      return key;
    };
    const readable = { state: "claimed", effect: "SUCCESS", token: "1", until: "1" };

    it.each(["settled", "DONE", ""])(
      "is not free in the state %j: nothing runs until it is forgotten",
      async (state) => {
        const key = await write({ ...readable, state });
        await expect(store.find(key)).rejects.toMatchObject(unreadable);
        await expect(store.claim(key, request)).rejects.toMatchObject(unreadable);
        expect(await client.hget(prefix + key, "state")).toBe(state);
        await store.forget(key);
        expect(await store.find(key)).toBeUndefined();
        expect(await store.claim(key, request)).toMatchObject({ kind: "claimed" });
      },
    );

    it.each([
      ["token", "9007199254740991"],
      ["token", "9007199254740993"],
      ["token", "1e300"],
      ["token", "inf"],
      ["token", "nan"],
      ["token", "seven"],
      ["until", "nan"],
      ["until", "soon"],
    ])("is not claimed with the %s %s: two claims could have the same token", async (field, value) => {
      const key = await write({ ...readable, [field]: value });
      await expect(store.claim(key, request)).rejects.toMatchObject(unreadable);
      expect(await client.hget(prefix + key, field)).toBe(value);
      await store.forget(key);
      const claims = [await store.claim(key, request), await store.claim(key, request)];
      expect(claims).toMatchObject([{ kind: "claimed" }, { kind: "inFlight" }]);
    });

    it("has a larger token with each claim, up to the largest that is exact", async () => {
      const key = await write({ ...readable, token: "9007199254740990" });
      expect(await store.claim(key, { ...request, lease: 0 })).toMatchObject({ claim: { token: "9007199254740991" } });
      await expect(store.claim(key, request)).rejects.toMatchObject(unreadable);
    });

    it("is free without a state", async () => {
      const key = await write({ token: "5" });
      expect(await store.find(key)).toBeUndefined();
      expect(await store.claim(key, request)).toMatchObject({ kind: "claimed", takenOver: false });
    });
  });

  describe("a claim whose reply is lost with the connection", () => {
    const prefix = `lost:${process.pid}:`;
    const lease = 60_000;
    /** A client of which a number of replies to claims are lost: it connects again and sends the claim again. */
    async function losing(replies: number) {
      let left = replies;
      const lost = { count: 0, before: async () => {} };
      const { hostname, port } = new URL(redisUrl);
      const proxy = createServer((incoming) => {
        const outgoing = connectTo(Number(port), hostname);
        let isClaim = false;
        incoming.on("data", (bytes) => {
          isClaim ||= bytes.includes("'inFlight'");
          outgoing.write(bytes);
        });
        outgoing.on("data", (bytes) => {
          if (!isClaim || left === 0) return incoming.write(bytes);
          left -= 1;
          lost.count += 1;
          void lost.before().then(() => incoming.destroy());
        });
        for (const [one, another] of [
          [incoming, outgoing],
          [outgoing, incoming],
        ] as const) {
          one.on("error", () => {});
          one.on("close", () => another.destroy());
        }
      });
      await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
      const address = proxy.address() as AddressInfo;
      const client = new Redis({ port: address.port, lazyConnect: true, retryStrategy: () => 0 });
      client.on("error", () => {});
      await client.connect();
      onTestFinished(() => {
        client.disconnect();
        proxy.close();
      });
      return { lost, client, store: redisStore(client, { prefix }) };
    }
    const keyOf = () => `payout:${crypto.randomUUID()}`;

    it("is granted when the client sends it again, and to it alone", async () => {
      const { lost, store } = await losing(2);
      const key = keyOf();
      const result = await store.claim(key, { effect: "SUCCESS", lease });
      expect(result).toMatchObject({ kind: "claimed", takenOver: false });
      expect(lost.count).toBe(2);
      expect(await store.claim(key, { effect: "SUCCESS", lease })).toEqual({ kind: "inFlight" });
      expect(result.kind === "claimed" && (await store.complete(result.claim))).toBe(true);
      expect(await store.claim(key, { effect: "SUCCESS", lease })).toMatchObject({ kind: "done" });
    });

    it("still says whether it was taken over", async () => {
      const { lost, store } = await losing(1);
      const key = keyOf();
      const direct = new Redis(redisUrl, { lazyConnect: true });
      await redisStore(direct, { prefix }).claim(key, { effect: "SUCCESS", lease: 0 });
      await direct.quit();
      expect(await store.claim(key, { effect: "SUCCESS", lease })).toMatchObject({ kind: "claimed", takenOver: true });
      expect(lost.count).toBe(1);
    });

    it("is not granted again if a process with an earlier version, which leaves its ID, has taken it over", async () => {
      const { lost, store } = await losing(1);
      const key = keyOf();
      lost.before = async () => {
        const direct = new Redis(redisUrl, { lazyConnect: true });
        const token = Number(await direct.hget(prefix + key, "token")) + 1;
        await direct.hset(prefix + key, { token, until: Date.now() + lease });
        await direct.quit();
      };
      expect(await store.claim(key, { effect: "SUCCESS", lease })).toEqual({ kind: "inFlight" });
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
  const pool = new pg.Pool({ connectionString: postgresUrl, max: 48, idleTimeoutMillis: 0 });
  const clients: pg.PoolClient[] = [];
  // All connections are there before the tests, which leave none behind.
  beforeAll(async () => void (await Promise.all(Array.from({ length: 48 }, () => pool.query("select 1")))));
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
  // The first is the store's own: a pool, as in production. The others are for transactions.
  const open = async () => {
    if (!first) return connect();
    first = false;
    return pool;
  };
  describePostgresStore("postgresStore by pg", open, () => pool);

  describe("the work of a transaction of pg", () => {
    const table = `worked_${process.pid}`;
    const storeOn = (options: pg.PoolConfig = {}) => {
      const own = new pg.Pool({ connectionString: postgresUrl, ...options });
      onTestFinished(() => own.end());
      return { own, store: postgresStore(own, { table }) };
    };
    beforeAll(async () => {
      await postgresStore(pool, { table }).createSchema();
      await pool.query("create table if not exists worked (payout text)");
    });
    const creditsOf = async (id: string) =>
      (await pool.query("select from worked where payout = $1", [id])).rowCount ?? 0;
    const credit = (client: pg.PoolClient, id: string) => client.query("insert into worked values ($1)", [id]);

    it("has the client of the pool, which it may pass to what is there", async () => {
      const { store } = storeOn();
      const { statusOf, told } = receiver(
        {
          SUCCESS: ({ client_referenceId: id }, { claim }) =>
            store.transaction(claim, async (client) => {
              expect([client instanceof pg.Client, client.escapeIdentifier("a")]).toEqual([true, '"a"']);
              client.on("notice", () => {});
              await credit(client, id);
              await new Promise((resolve) => client.query({ text: "select 1" }, resolve));
              const query = client.query(new pg.Query("select 2", []));
              await new Promise((resolve) => query.once("end", resolve));
              return client.query<{ n: number }>({ text: "select 1 as n" });
            }),
        },
        { store },
      );
      expect([await statusOf(eventOf("SUCCESS", { client_referenceId: "passed" })), told]).toEqual(["SUCCESS", []]);
      expect(await creditsOf("passed")).toBe(1);
    });

    it.each([
      ["rollback", 0],
      ["commit", 1],
      ["rollback; begin", 0],
      ["commit and chain", 1],
    ])("fails when a string of several statements ends in %j, and records nothing", async (end, credits) => {
      const { store } = storeOn();
      const id = `ended by ${end}`;
      const { statusOf, told } = receiver(
        {
          SUCCESS: (_event, { claim }) =>
            store.transaction(claim, async (client) => client.query(`insert into worked values ('${id}'); ${end}`)),
        },
        { store },
      );
      const event = eventOf("SUCCESS", { client_referenceId: id });
      expect([await statusOf(event), await creditsOf(id)]).toEqual(["FAILED", credits]);
      expect(told).toMatchObject([{ error: { message: expect.stringContaining("has ended the transaction") } }]);
      expect(await store.find(`payout:${id}`)).toBeUndefined();
    });

    it("is outside the transaction of another delivery when it goes on after it has returned", async () => {
      const { store } = storeOn({ max: 1 });
      const begun = gate();
      const late: Promise<unknown>[] = [];
      const { statusOf } = receiver(
        {
          SUCCESS: ({ client_referenceId: id }, { claim }) =>
            store.transaction(claim, async (client) => {
              if (id === "late") late.push(begun.opened.then(() => credit(client, id)));
              else {
                begun.open();
                await Promise.allSettled(late);
                throw new Error("rolled back");
              }
            }),
        },
        { store },
      );
      const statuses = ["late", "other"].map((id) => statusOf(eventOf("SUCCESS", { client_referenceId: id })));
      expect(await Promise.all(statuses)).toEqual(["SUCCESS", "FAILED"]);
      await expect(late[0]).rejects.toThrow("Await every query of the work.");
    });

    it("waits for a client of the pool, and says what to do if there is none", async () => {
      const { own, store } = storeOn({ max: 1, connectionTimeoutMillis: 50 });
      const taken = await own.connect();
      onTestFinished(() => taken.release());
      await expect(store.find("payout:a")).rejects.toMatchObject({
        reason: "storeFailed",
        message: expect.stringMatching(/All connections of the pool were taken.* Raise its `max`, or shorten the work/),
      });
    });
  });
});

// All at once: most of the time, each waits for leases to run out.
it.skipIf(redisUrl === "" || postgresUrl === "")(
  "each store is the model in which two deliveries are explored, on a real Redis and Postgres",
  { timeout: 300_000 },
  async () => {
    const redis = await Promise.all(Object.values(redisClients).map((open) => open()));
    const pool = new pg.Pool({ connectionString: postgresUrl, max: 10 });
    onTestFinished(async () => void (await Promise.all([pool.end(), ...redis.map(({ close }) => close())])));
    const onPostgres = postgresStore(pool, { table: `model_${process.pid}` });
    await onPostgres.createSchema();
    const onRedis = redis.map(({ client }, i) => redisStore(client, { prefix: `model:${process.pid}:${i}:` }));
    await Promise.all([onPostgres, ...onRedis].map((store) => expectModel(store, 4, 1_000)));
  },
);
