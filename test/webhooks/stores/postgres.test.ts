import { EventEmitter } from "node:events";
import { inspect } from "node:util";
import pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { ConfigurationError, WebhookProcessingError } from "../../../src/errors/index.ts";
import type { PostgresPool, PostgresQuery } from "../../../src/stores.ts";
import { Webhooks } from "../../../src/webhooks/index.ts";
import { type PostgresStore, postgresStore } from "../../../src/webhooks/stores/postgres.ts";
import { autocommit } from "../../support/autocommit.ts";
import { errorOf } from "../../support/client.ts";
import { gate } from "../../support/gate.ts";
import { startPglite } from "../../support/pglite.ts";
import { eventOf, receiver, take } from "../support.ts";
import { expectModel } from "./conformance.ts";
import { claim, methods } from "./methods.ts";
import { describePostgresStore } from "./postgres.suite.ts";

const database = await startPglite();
afterAll(() => database.close());

/** A pool with the one connection that PGlite has. */
const pool: PostgresPool = {
  totalCount: 1,
  query: autocommit(database),
  connect: async () => ({
    query: autocommit(database),
    release: (close) => void (close && database.query("rollback")),
    on() {},
    off() {},
  }),
};

describePostgresStore(
  "postgresStore on PGlite (npm run test:stores runs it on a real Postgres)",
  async () => database,
  () => pool,
);

it("a client that names no command is taken at its word that it has committed", async () => {
  const query = async () => ({ rows: [{}] });
  const pool = { query, totalCount: 1, connect: async () => ({ query, release() {} }) };
  expect(await postgresStore(pool).transaction(claim, async () => "done")).toBe("done");
});

it("a connection that ends while its client is taken does not end the process", async () => {
  const [pool, client] = [new EventEmitter(), new EventEmitter()];
  const query = autocommit(database);
  const release = (close?: boolean) => void (close && database.query("rollback"));
  const taken = Object.assign(client, { query, release });
  const ending = Object.assign(pool, {
    ...{ totalCount: 1, query },
    async connect() {
      pool.emit("acquire", taken);
      client.emit("error", new Error("terminating connection")); // before the caller of connect() goes on
      return taken;
    },
  });
  const store = postgresStore(ending, { table: "ending" });
  postgresStore(ending, { table: "ending" });
  await store.createSchema();
  const claim = await take(store, "a");
  expect(await store.transaction(claim, async () => "done")).toBe("done");
  expect(await errorOf(store.transaction(claim, async () => "again"))).toMatchObject({ reason: "claimLost" });
  expect([client.listenerCount("error"), pool.listenerCount("acquire")]).toEqual([1, 1]);
});

/** A store on a new table of the database. */
async function storeOn(table: string, client: PostgresPool | PostgresQuery = autocommit(database)) {
  const store = postgresStore(client, { table });
  await store.createSchema();
  return store;
}

it("a transaction that fails while its handler does something else ends in FAILED, and not the process", async () => {
  const released = gate();
  const connect = async () => {
    const client = await pool.connect();
    return { ...client, release: (close?: boolean) => released.open(client.release(close)) };
  };
  const store = await storeOn("not_awaited", { ...pool, connect });
  const { statusOf } = receiver(
    {
      async SUCCESS(_, { claim }) {
        void store.transaction(claim, async () => {
          throw new Error("the work failed");
        });
        await released.opened;
        await new Promise(setImmediate); // from here on, Node reports a rejection that nobody handles
      },
    },
    { store },
  );
  expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
});

it("a query that the client refuses, and that the work does not await, ends in FAILED, and not the process", async () => {
  const store = await storeOn("refused", pool);
  const { statusOf } = receiver(
    {
      SUCCESS: (_, { claim }) =>
        store.transaction(claim, async (client) => {
          void client.query("begin");
          await new Promise(setImmediate); // from here on, Node reports a rejection that nobody handles
        }),
    },
    { store },
  );
  expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
});

it("postgresStore on PGlite is the model in which two deliveries are explored", async () => {
  await expectModel(await storeOn("model"), 3);
});

describe("the table's name", () => {
  it("and those of its sequence and index stay from version to version", () => {
    const names = postgresStore(autocommit(database)).schema.match(/(?<=if not exists )"\w+"/g);
    expect(names).toEqual(['"serviceapi_webhooks"', '"serviceapi_webhooks_tokens"', '"serviceapi_webhooks_expiry"']);
  });

  it.each(['x"; drop table users; --', "", "a.b.c", "1a", "a b", "a".repeat(50)])("refuses %j", (table) => {
    expect(() => postgresStore(autocommit(database), { table })).toThrow(
      /^postgresStore: `table` must be a plain name/,
    );
  });

  it("may have 49 characters", async () => {
    await take(await storeOn("p".repeat(49)), "a");
  });

  it("keeps the references of one environment from another", async () => {
    for (const table of ["of_tests", "of_production"]) await take(await storeOn(table), "a");
  });

  it("may name a schema", async () => {
    await database.exec("create schema if not exists app");
    await take(await storeOn("app.Payouts"), "a");
  });
});

describe("the number of queries", () => {
  it("is one for a claim, one for its completion, and two for a claim of what is done", async () => {
    const query = vi.spyOn(database, "query");
    const store = await storeOn("counted");
    query.mockClear();
    const claim = await take(store, "a");
    expect(query).toHaveBeenCalledTimes(1);
    await store.complete(claim);
    expect(query).toHaveBeenCalledTimes(2);
    expect(await store.claim("a", { effect: "SUCCESS", lease: 60_000 })).toMatchObject({ kind: "done" });
    expect(query).toHaveBeenCalledTimes(4);
  });
});

describe("a client that renames or converts columns", () => {
  const storeWith = (...replies: readonly (readonly unknown[])[]) => {
    const left = [...replies];
    return postgresStore(async () => ({ rows: left.shift() ?? [] }));
  };
  const refusal = /^postgresStore: Postgres returned an unexpected row\. Pass a client that leaves the names/;
  const none: readonly unknown[] = [];

  it.each<[string, readonly (readonly unknown[])[]]>([
    ["camelCase names of a claim", [[{ token: "7", takenOver: false }]]],
    ["a token as a number", [[{ token: 7, taken_over: false }]]],
    ["a row as a list", [[["7", false]]]],
    ["no row", [[null]]],
    ["an end without its status", [none, [{ state: "done", conflicts: "[]" }]]],
    ["another state", [none, [{ state: "free", effect: "FAILED", conflicts: "[]" }]]],
  ])("is refused by claim(): %s", async (_what, replies) => {
    const claim = storeWith(...replies).claim("a", { effect: "SUCCESS", lease: 10 });
    await expect(claim).rejects.toThrow(refusal);
    await expect(claim).rejects.toBeInstanceOf(ConfigurationError);
  });

  it("a row that was released between the two statements counts as in flight", async () => {
    expect(await storeWith(none, none).claim("a", { effect: "SUCCESS", lease: 10 })).toEqual({ kind: "inFlight" });
  });

  it.each<[string, unknown]>([
    ["another state", { state: "free", effect: "FAILED", conflicts: "[]" }],
    ["no status", { state: "done", conflicts: "[]" }],
    ["a list of conflicts", { state: "done", effect: "FAILED", conflicts: [] }],
    ["a conflict that is null", { state: "done", effect: "FAILED", conflicts: '["SUCCESS", null]' }],
    ["conflicts in an object", { state: "done", effect: "FAILED", conflicts: "{}" }],
    ["no row", null],
  ])("is refused by find(): %s", async (_what, row) => {
    await expect(storeWith([row]).find("a")).rejects.toThrow(refusal);
  });
});

describe("a database that fails", () => {
  const calls: Readonly<Record<string, (store: PostgresStore) => Promise<unknown>>> = {
    ...methods,
    deleteExpired: (store) => store.deleteExpired(),
    "withTransaction(client).complete": (store) => store.withTransaction(database).complete(claim),
  };

  it.each(Object.entries(calls))("%s without its table names createSchema()", async (_name, call) => {
    const failure = await errorOf(
      call(postgresStore(autocommit(database), { table: "nowhere" })),
      WebhookProcessingError,
    );
    expect(failure).toMatchObject({ reason: "storeFailed", cause: { code: "42P01" } });
    expect(failure.message).toMatch(/^postgresStore: The table nowhere does not exist\. Call createSchema\(\) once/);
  });

  it.each(
    Object.entries({
      ...calls,
      createSchema: (store: PostgresStore) => store.createSchema(),
      transaction: (store: PostgresStore) => store.transaction(claim, async () => {}),
    }).filter(([name]) => !name.startsWith("with")),
  )("%s on a server that refuses the connection says so, without the connection string", async (_name, call) => {
    const pool = new pg.Pool({ connectionString: "postgres://shop:a-password@127.0.0.1:1/app" });
    const failure = await errorOf(call(postgresStore(pool)), WebhookProcessingError);
    await pool.end();
    expect(failure.message).toMatch(/^postgresStore: The database cannot be reached \(ECONNREFUSED\)\./);
    expect(inspect(failure)).not.toMatch(/a-password|shop/);
  });

  it.each(["Connection terminated unexpectedly", "Client has encountered a connection error and is not queryable"])(
    "has no code for a connection that ended, and says so: %s",
    async (message) => {
      const store = postgresStore(() => Promise.reject(new Error(message)));
      const failure = await errorOf(store.find("payout:a"), WebhookProcessingError);
      expect(failure.message).toMatch(/^postgresStore: The database cannot be reached \(08000\)\. Check /);
    },
  );

  it("is not taken for a lost claim by a client that quotes the statement in its errors", async () => {
    const quoting = { query: (text: string) => Promise.reject(new Error(`Failed query: ${text}`)) };
    const completing = postgresStore(autocommit(database)).withTransaction(quoting).complete(claim);
    await expect(completing).rejects.toMatchObject({
      reason: "storeFailed",
      message: expect.stringMatching(/client failed\. See `cause`/),
    });
  });

  it("says that Postgres did not respond in the time of a query", async () => {
    const store = postgresStore(() => Promise.reject(new Error("Query read timeout")));
    await expect(store.find("payout:a")).rejects.toThrow("The database cannot be reached (ETIMEDOUT).");
  });

  it("says what to grant to a user without permission, which suffices", async () => {
    const store = await storeOn("guarded");
    await database.exec("create role clerk; set role clerk");
    try {
      await expect(new Webhooks({ store }).find("a")).rejects.toThrow(
        "Grant it select, insert, update and delete on the table guarded, and usage and update on the sequence guarded_tokens; ",
      );
      await database.exec("reset role; grant select, insert, update, delete on table guarded to clerk");
      await database.exec("grant usage, update on sequence guarded_tokens to clerk; set role clerk");
      await store.release(await take(store, "payout:a"));
      for (const call of Object.values(calls))
        await call(store).catch((error) => expect(error.reason).toBe("claimLost"));
    } finally {
      await database.exec("reset role");
    }
  });
});
