import { PGlite } from "@electric-sql/pglite";
import { afterAll, describe, expect, it } from "vitest";
import { type PostgresLike, postgresJournal } from "../../../src/flights/journal/postgres.ts";
import { describePostgresJournal } from "./postgres.suite.ts";
import { row } from "./rows.ts";

const database = new PGlite();
afterAll(() => database.close());

describePostgresJournal(
  "postgresJournal on PGlite (npm run test:stores runs it on a real Postgres)",
  async () => database,
);

describe("the options", () => {
  it.each(['x"; drop table users; --', "", "a.b.c", "1a", "a b", "a".repeat(50)])("refuses the table %j", (table) => {
    expect(() => postgresJournal(database, { table })).toThrow(/^postgresJournal: `table` must be/);
  });

  it("may name a table by 49 characters, and keeps its indexes apart", async () => {
    const table = "b".repeat(49);
    await postgresJournal(database, { table }).createSchema();
    const { rows } = await database.query("select indexname from pg_indexes where tablename = $1", [table]);
    expect(rows).toHaveLength(10);
  });

  it("may name a schema", async () => {
    await database.exec("create schema if not exists app");
    const journal = postgresJournal(database, { table: "app.Bookings" });
    await journal.createSchema();
    expect(await journal.claim(row(), {})).toBeUndefined();
  });

  it("refuses an unknown option, and a client without query()", () => {
    expect(() => postgresJournal(database, { tabel: "a" } as object)).toThrow(/unknown option "tabel"/);
    expect(() => postgresJournal({} as PostgresLike)).toThrow(/the client must be an object with query\(\)/);
    expect(() => postgresJournal(database).withTransaction({} as PostgresLike)).toThrow(/query\(\)/);
  });
});

describe("a driver", () => {
  const returning = (value: unknown): PostgresLike => ({ query: async () => ({ rows: [{ row: value }] }) });

  it("may return JSON as a string", async () => {
    expect(await postgresJournal(returning(JSON.stringify(row()))).get("attempt-1")).toEqual(row());
  });

  it.each([[null], ["{}"], [{ ...row(), state: "lost" }]])("cannot pass off %j as a row", async (value) => {
    await expect(postgresJournal(returning(value)).pending()).rejects.toThrow(/not a JournalRow/);
  });

  it("whose row in the way is never there gets no claim", async () => {
    await expect(postgresJournal({ query: async () => ({ rows: [] }) }).claim(row(), {})).rejects.toThrow(/in the way/);
  });
});
