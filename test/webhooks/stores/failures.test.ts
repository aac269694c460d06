import { inspect } from "node:util";
import { PGlite } from "@electric-sql/pglite";
import { Redis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryStore, WebhookProcessingError, type WebhookStore, Webhooks } from "../../../src/webhooks/index.ts";
import { type PostgresStore, postgresStore } from "../../../src/webhooks/stores/postgres.ts";
import { redisStore } from "../../../src/webhooks/stores/redis.ts";

/** Returns the error that a step rejects with. */
async function failureOf(step: Promise<unknown> | undefined): Promise<Error> {
  const failure: unknown = await step?.then(
    () => undefined,
    (error: unknown) => error,
  );
  return failure instanceof Error ? failure : expect.unreachable(`${failure} is no error`);
}

const claim = { key: "payout:a", status: "SUCCESS", token: "1" };
const methods: Readonly<Record<string, (store: WebhookStore) => Promise<unknown>>> = {
  claim: (store) => store.claim("payout:a", { status: "SUCCESS", lease: 10 }),
  complete: (store) => store.complete(claim),
  release: (store) => store.release(claim),
  recordConflict: (store) => store.recordConflict("payout:a", "FAILED"),
  find: (store) => store.find("payout:a"),
  forget: (store) => store.forget("payout:a"),
  "webhooks.find": (store) => new Webhooks({ store }).find("a"),
  "webhooks.forget": (store) => new Webhooks({ store }).forget("a"),
};

let database: PGlite;
const ofPostgres: Readonly<Record<string, (store: PostgresStore) => Promise<unknown>>> = {
  ...methods,
  deleteExpired: (store) => store.deleteExpired(),
  "withTransaction(client).complete": (store) => store.withTransaction(database).complete(claim),
};

describe("postgresStore on a database that fails", () => {
  beforeAll(async () => {
    database = await PGlite.create();
  }, 60_000);
  afterAll(() => database.close());

  it.each(Object.keys(ofPostgres))("%s without its table names createSchema()", async (name) => {
    const failure = await failureOf(ofPostgres[name]?.(postgresStore(database, { table: "nowhere" })));
    expect(failure).toBeInstanceOf(WebhookProcessingError);
    expect(failure).toMatchObject({ reason: "storeFailed", cause: { code: "42P01" } });
    expect(failure.message).toMatch(/^postgresStore: The table nowhere does not exist\. Call createSchema\(\) once/);
  });

  it.each([...Object.keys(methods), "createSchema", "deleteExpired"])(
    "%s on a server that refuses the connection says so, without the connection string",
    async (name) => {
      const pool = new pg.Pool({ connectionString: "postgres://shop:a-password@127.0.0.1:1/app" });
      const calls: typeof ofPostgres = { ...ofPostgres, createSchema: (store: PostgresStore) => store.createSchema() };
      const failure = await failureOf(calls[name]?.(postgresStore(pool)));
      await pool.end();
      expect(failure).toBeInstanceOf(WebhookProcessingError);
      expect(failure.message).toMatch(/^postgresStore: The database cannot be reached \(ECONNREFUSED\)\./);
      expect(inspect(failure)).not.toMatch(/a-password|shop/);
    },
  );

  it("says what to grant to a user without permission", async () => {
    const store = postgresStore(database, { table: "guarded" });
    await store.createSchema();
    await database.exec("create role clerk; set role clerk");
    try {
      await expect(new Webhooks({ store }).find("a")).rejects.toThrow(/Grant it select, insert, update and delete on/);
    } finally {
      await database.exec("reset role");
    }
  });
});

describe("redisStore on a Redis that fails", () => {
  it.each(Object.keys(methods))("%s on a refused connection says so, without the URL (ioredis)", async (name) => {
    const redis = new Redis("redis://shop:a-password@127.0.0.1:1", { maxRetriesPerRequest: 0, retryStrategy: null });
    redis.on("error", () => {});
    const failure = await failureOf(methods[name]?.(redisStore(redis)));
    redis.disconnect();
    expect(failure).toMatchObject({ name: "WebhookProcessingError", reason: "storeFailed" });
    expect(failure.message).toMatch(/^redisStore: Redis cannot be reached\./);
    expect(inspect(failure)).not.toMatch(/a-password|shop/);
  });

  it("says so of a node-redis client that is not connected", async () => {
    const failure = await failureOf(new Webhooks({ store: redisStore(createClient()) }).find("a"));
    expect(failure.message).toMatch(/^redisStore: Redis cannot be reached\./);
  });

  it.each([
    ["NOAUTH Authentication required.", /user name or password/],
    ["WRONGPASS invalid username-password pair", /user name or password/],
    ["NOPERM this user has no permissions to run the 'eval' command", /no permission/],
    ["READONLY You can't write against a read only replica.", /read-only/],
    ["OOM command not allowed when used memory > 'maxmemory'.", /no memory left/],
    ["LOADING Redis is loading the dataset in memory", /not ready/],
    ["WRONGTYPE Operation against a key holding the wrong kind of value", /another `prefix`/],
    ["UNREADABLE row", /written to it.*Find out whether it took effect/],
    ["ERR something else", /failed\. See `cause`/],
  ])("explains %j", async (reply, message) => {
    const cause = new Error(reply);
    const store = redisStore({ eval: async () => Promise.reject(cause) });
    expect(await failureOf(store.find("payout:a"))).toMatchObject({
      reason: "storeFailed",
      cause,
      message: expect.stringMatching(message),
    });
  });
});

describe("redisStore on a client that keeps its commands on its errors, as ioredis does", () => {
  it("shows no password", async () => {
    const command = { name: "hello", args: ["3", "AUTH", "user", "a-password"] };
    const refused = Object.assign(new Error("WRONGPASS invalid username-password pair"), { command });
    const failure = await failureOf(redisStore({ eval: () => Promise.reject(refused) }).find("payout:a"));
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain("a-password");
    expect(JSON.stringify(failure.cause)).not.toContain("a-password");
    expect(failure.cause).toMatchObject({ message: refused.message });
  });
});

describe("an error of a client whose fields are objects", () => {
  const odd = { toString: 1, valueOf: 1 };
  const refused = Object.assign(new Error(), { message: odd, name: odd, stack: odd, code: odd });

  it.each<[string, WebhookStore]>([
    ["redisStore", redisStore({ eval: () => Promise.reject(refused) })],
    ["postgresStore", postgresStore({ query: () => Promise.reject(refused) })],
  ])("is explained all the same: %s", async (_name, store) => {
    expect(await failureOf(store.find("payout:a"))).toMatchObject({
      name: "WebhookProcessingError",
      reason: "storeFailed",
    });
  });
});

describe("a store of the application's own that fails", () => {
  it.each(["find", "forget"] as const)("webhooks.%s gives its error a type, and the reference", async (method) => {
    const cause = new Error("of the store");
    const store = Object.assign(memoryStore(), {
      find: () => Promise.reject(cause),
      forget: () => {
        throw cause;
      },
    });
    const failure = await failureOf(new Webhooks({ store })[method]("order-17"));
    expect(failure).toMatchObject({
      name: "WebhookProcessingError",
      reason: "storeFailed",
      clientReferenceId: "order-17",
      cause,
      message: `webhooks.${method}: the store failed. See \`cause\`.`,
    });
  });
});

describe("webhooks.find and forget on a store of the library", () => {
  it.each(["find", "forget"] as const)("%s adds the reference to its error, and keeps the rest", async (method) => {
    const cause = new Error("NOAUTH Authentication required.");
    const store = redisStore({ eval: () => Promise.reject(cause) });
    expect(await failureOf(new Webhooks({ store })[method]("order-17"))).toMatchObject({
      reason: "storeFailed",
      clientReferenceId: "order-17",
      cause: { message: cause.message },
      message: expect.stringMatching(/^redisStore: Redis refused the user name or password/),
    });
  });

  it("pass a mistake of the program on as it is", async () => {
    const failure = await failureOf(new Webhooks({ store: redisStore({ eval: async () => "OK" }) }).find("order-17"));
    expect(failure).toMatchObject({ name: "ConfigurationError", message: expect.stringMatching(/^redisStore: /) });
  });
});
