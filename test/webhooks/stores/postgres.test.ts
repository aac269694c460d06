import { PGlite } from "@electric-sql/pglite";
import { afterAll, describe, expect, it } from "vitest";
import { postgresStore } from "../../../src/webhooks/stores/postgres.ts";
import { describePostgresStore } from "./postgres.suite.ts";

const database = new PGlite();
afterAll(() => database.close());

describePostgresStore("postgresStore on PGlite (npm run test:stores runs it on a real Postgres)", async () => database);

describe("the table's name", () => {
  it.each(['x"; drop table users; --', "", "a.b.c", "1a", "a b", "a".repeat(50)])("refuses %j", (table) => {
    expect(() => postgresStore(database, { table })).toThrow(/^postgresStore: `table` must be a plain name/);
  });

  it("may have 49 characters", async () => {
    const store = postgresStore(database, { table: "p".repeat(49) });
    await store.createSchema();
    expect((await store.claim("a", { status: "SUCCESS", lease: 10 })).kind).toBe("claimed");
  });

  it("may name a schema", async () => {
    await database.exec("create schema if not exists app");
    const store = postgresStore(database, { table: "app.Payouts" });
    await store.createSchema();
    expect((await store.claim("a", { status: "SUCCESS", lease: 10 })).kind).toBe("claimed");
  });
});
