import { inspect } from "node:util";
import pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { JournalError, reconcile } from "../../../src/flights/index.ts";
import { type PostgresJournal, type PostgresLike, postgresJournal } from "../../../src/stores.ts";
import { autocommit } from "../../support/autocommit.ts";
import { errorOf } from "../../support/client.ts";
import { startPglite } from "../../support/pglite.ts";
import { throws } from "../../support/throws.ts";
import { expectModel } from "./conformance.ts";
import { describePostgresJournal } from "./postgres.suite.ts";
import { row } from "./rows.ts";

const database = await startPglite();
afterAll(() => database.close());

describePostgresJournal(
  "postgresJournal on PGlite (npm run test:stores runs it on a real Postgres)",
  async () => database,
);

it("postgresJournal on PGlite is the model in which bookings are explored, after all sequences of three operations", async () => {
  const journal = postgresJournal(autocommit(database), { table: "model" });
  await journal.createSchema();
  await expectModel(journal, 3);
});

describe("a database that fails", () => {
  const failing = (error: unknown): PostgresLike => ({ query: async () => Promise.reject(error) });
  const calls: Readonly<Record<string, (journal: PostgresJournal) => Promise<unknown>>> = {
    pending: (journal) => journal.pending(),
    find: (journal) => journal.find("order-1"),
    get: (journal) => journal.get("attempt-1"),
    conflict: (journal) => journal.conflict(row(), {}),
    claim: (journal) => journal.claim(row(), {}),
    settle: (journal) => journal.settle(row({ state: "booked" }), "sent"),
    createSchema: (journal) => journal.createSchema(),
    "withTransaction(client).pending": (journal) => journal.withTransaction(database).pending(),
    "withTransaction(client).find": (journal) => journal.withTransaction(database).find("order-1"),
    "withTransaction(client).get": (journal) => journal.withTransaction(database).get("attempt-1"),
    "withTransaction(client).settle": (journal) =>
      journal.withTransaction(database).settle(row({ state: "booked" }), "sent"),
  };

  it.each(Object.entries(calls).filter(([name]) => name !== "createSchema"))(
    "%s without its table is a JournalError that names createSchema()",
    async (name, call) => {
      const failure = await errorOf(call(postgresJournal(autocommit(database), { table: "nowhere" })), JournalError);
      const [missing, code] =
        name === "claim"
          ? ["The function of the table nowhere is missing, or the table has other columns.", "42883"]
          : ["The table nowhere does not exist.", "42P01"];
      expect(failure).toMatchObject({ message: expect.stringContaining(`${missing} Call createSchema()`) });
      expect(failure.cause).toMatchObject({ code });
    },
  );

  it.each(Object.entries(calls).filter(([name]) => !name.startsWith("with")))(
    "%s on a server that refuses the connection is a JournalError without the connection string",
    async (_name, call) => {
      const pool = new pg.Pool({ connectionString: "postgres://shop:a-password@127.0.0.1:1/app" });
      const failure = await errorOf(call(postgresJournal(pool)), JournalError);
      await pool.end();
      expect(failure.message).toMatch(/^postgresJournal: The database cannot be reached \(ECONNREFUSED\)\. Check /);
      expect(inspect(failure)).not.toMatch(/a-password|shop/);
    },
  );

  it("the message for a user without permission says what to grant, which suffices", async () => {
    const journal = postgresJournal(autocommit(database), { table: "guarded" });
    await journal.createSchema();
    await database.exec("create role clerk; set role clerk");
    try {
      await expect(journal.pending()).rejects.toThrow(
        /no permission .* Grant it select, insert and update on the table/,
      );
      await expect(postgresJournal(autocommit(database), { table: "denied" }).createSchema()).rejects.toThrow(
        /create on the schema/,
      );
      await database.exec("reset role; grant select, insert, update on table guarded to clerk; set role clerk");
      await journal.claim(row(), {});
      for (const [name, call] of Object.entries(calls)) if (name !== "createSchema") await call(journal);
    } finally {
      await database.exec("reset role");
    }
  });

  it.each([
    ["itself", (url: Error) => url],
    ["the cause of another error", (url: Error) => new Error("could not connect", { cause: url })],
    ["one of several errors", (url: Error) => new AggregateError([new Error("refused"), url], "all addresses failed")],
  ])("shows no connection string, which an invalid one's error has, if that is %s", async (_where, wrap) => {
    const input = "postgres://shop:a-password@:x";
    const url = Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input });
    const failure = await errorOf(postgresJournal(autocommit(failing(wrap(url)))).pending(), JournalError);
    expect(inspect(failure)).not.toContain("a-password");
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain("a-password");
  });

  it.each([
    ["3F000", /The schema of the table serviceapi_bookings does not exist/],
    ["42703", /other columns/],
    ["28P01", /refused the user or the password/],
    ["25006", /read-only/],
    ["53300", /out of resources \(53300\)/],
    ["57P01", /cannot be reached \(57P01\)/],
    ["40001", /canceled the statement \(40001\)\. Try again/],
    ["XX000", /failed \(XX000\)\. See `cause`/],
    [undefined, /failed\. See `cause`/],
  ])("the code %s is explained", async (code, message) => {
    const cause = Object.assign(new Error("of the driver"), code === undefined ? {} : { code });
    const failure = await errorOf(postgresJournal(autocommit(failing(cause))).pending(), JournalError);
    expect(failure).toMatchObject({ cause, message: expect.stringMatching(message) });
  });

  it("a client whose query() throws or returns no rows causes no TypeError", async () => {
    const throwing = { query: throws(new Error("no")) };
    await expect(postgresJournal(autocommit(throwing)).pending()).rejects.toBeInstanceOf(JournalError);
    const returning = { query: async () => [] as never };
    await expect(postgresJournal(autocommit(returning)).pending()).rejects.toThrow(/query\(\) returned no `rows`/);
  });

  it("reconcile says that the row may still be open, with the journal's error as its cause", async () => {
    const failure = await errorOf(
      reconcile(postgresJournal(autocommit(database), { table: "nowhere" }), row(), "notBooked"),
      JournalError,
    );
    expect(failure).toMatchObject({ clientReferenceId: row().clientReferenceId });
    expect(failure.message).toMatch(/may be closed or still open/);
    expect(failure.cause).toMatchObject({ message: expect.stringContaining("createSchema()") });
  });
});

describe("the options", () => {
  it.each(['x"; drop table users; --', "", "a.b.c", "1a", "a b", "a".repeat(50)])("refuses the table %j", (table) => {
    expect(() => postgresJournal(autocommit(database), { table })).toThrow(/^postgresJournal: `table` must be/);
  });

  it("refuses a claim where it could not see the one that it waited for", async () => {
    const journal = postgresJournal(autocommit(database), { table: "isolated" });
    await journal.createSchema();
    for (const isolation of ["repeatable read", "serializable"]) {
      await database.query(`set default_transaction_isolation to '${isolation}'`);
      const failure = await errorOf(journal.claim(row(), {}), JournalError);
      await database.query("set default_transaction_isolation to default");
      expect(failure.cause).toMatchObject({ message: expect.stringContaining("needs the isolation read committed") });
    }
    expect((await journal.claim(row(), {})) ?? null).toBeNull();
  });

  it("accepts table names of up to 49 characters, and keeps their indexes distinct", async () => {
    const table = "b".repeat(49);
    await postgresJournal(autocommit(database), { table }).createSchema();
    const { rows } = await database.query("select indexname from pg_indexes where tablename = $1", [table]);
    expect(rows).toHaveLength(3);
  });

  it("accepts a schema in the table name", async () => {
    await database.exec("create schema if not exists app");
    const journal = postgresJournal(autocommit(database), { table: "app.Bookings" });
    await journal.createSchema();
    expect(await journal.claim(row(), {})).toBeUndefined();
  });

  it("refuses an unknown option, and a single client, on which somebody else may have begun a transaction", () => {
    expect(() => postgresJournal(autocommit(database), { tabel: "a" } as object)).toThrow(/unknown option "tabel"/);
    for (const client of [{}, database, new pg.Client()]) {
      expect(() => postgresJournal(client as never)).toThrow(
        /^postgresJournal: `pool` must be a pool, as `new Pool\(\)`/,
      );
    }
    expect(() => postgresJournal(autocommit(database)).withTransaction({} as PostgresLike)).toThrow(
      /^postgresJournal\.withTransaction: `client` must be an object with query\(\)/,
    );
    // @ts-expect-error It needs a client.
    expect(() => postgresJournal(new pg.Pool()).withTransaction(new pg.Pool())).toThrow(
      /^postgresJournal\.withTransaction: `client` must be the client on which your transaction was begun/,
    );
  });

  it("refuses what is not a row, a reference or an attempt", async () => {
    const journal = postgresJournal(autocommit(database));
    const inside = journal.withTransaction(database);
    for (const step of [
      journal.claim({} as never, {}),
      journal.settle({} as never, "sent"),
      inside.settle({} as never, "sent"),
    ]) {
      await expect(step).rejects.toThrow(/^postgresJournal: the row is not a JournalRow/);
    }
    await expect(journal.find(5 as never)).rejects.toThrow(/^postgresJournal: `clientReferenceId` must be a string/);
    await expect(journal.get(5 as never)).rejects.toThrow(/^postgresJournal: `attemptId` must be a string/);
  });
});

describe("a driver", () => {
  const returning = (value: unknown): PostgresLike => ({ query: async () => ({ rows: [{ row: value }] }) });

  it("may return JSON as a string", async () => {
    expect(await postgresJournal(autocommit(returning(JSON.stringify(row())))).get("attempt-1")).toEqual(row());
  });

  it.each([[null], ["{}"], ["not json"], [{ ...row(), state: "lost" }]])(
    "does not accept %j as a row",
    async (value) => {
      await expect(postgresJournal(autocommit(returning(value))).pending()).rejects.toThrow(/not a JournalRow/);
    },
  );

  it("may return the row of another reference, as one whose key has the same hash", async () => {
    expect(await postgresJournal(autocommit(returning(row()))).find("order-2")).toEqual([]);
  });

  it("that returns no row for a claim gets none", async () => {
    const query = vi.fn(async () => ({ rows: [] }));
    await expect(postgresJournal(query).claim(row(), {})).rejects.toThrow(/^postgresJournal: /);
    expect(query).toHaveBeenCalledOnce();
  });
});
