import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresJournal } from "../../../src/stores.ts";
import { expectModel } from "./conformance.ts";
import { describePostgresJournal } from "./postgres.suite.ts";
import { row } from "./rows.ts";

const { SERVICEAPI_TEST_POSTGRES: url = "" } = process.env;

describe.skipIf(url === "")("on a real Postgres (left out without one: npm run test:stores)", () => {
  const pool = new pg.Pool({ connectionString: url, max: 10, idleTimeoutMillis: 0 });
  const clients: pg.PoolClient[] = [];
  // All connections are there before the tests, which leave none behind.
  beforeAll(async () => void (await Promise.all(Array.from({ length: 10 }, () => pool.query("select 1")))));
  afterAll(async () => {
    for (const client of clients) client.release();
    await pool.end();
  });

  /** A separate table, a journal on the pool, and one on a separate connection. */
  const openTable = async (name: string) => {
    const table = `${name}_${process.pid}`;
    const journal = postgresJournal(pool, { table });
    await journal.createSchema();
    const client = await pool.connect();
    clients.push(client);
    const other = postgresJournal((text, values) => client.query(text, values as unknown[]), { table });
    return { table, journal, client, other };
  };

  it("is the model in which bookings are explored, after all sequences of three operations", async () => {
    const journal = postgresJournal(pool, { table: `model_${process.pid}` });
    await journal.createSchema();
    await expectModel(journal, 3);
  });

  it("lets a claim wait for one that names the table without its schema", async () => {
    const { table, client, other } = await openTable("two_names");
    await client.query("begin");
    expect(await other.claim(row(), {})).toBeUndefined();
    const second = postgresJournal(pool, { table: `public.${table}` }).claim(row({ attemptId: "second" }), {});
    const waiting = "select 1 from pg_locks where not granted and locktype = 'advisory'";
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
    await client.query("commit");
    expect(await second).toMatchObject({ attemptId: row().attemptId });
  });

  it("refuses a claim by a client that would not see the one before it", async () => {
    const { journal, client, other } = await openTable("mixed");
    await client.query("set default_transaction_isolation to 'serializable'");
    await expect(other.claim(row(), {})).rejects.toMatchObject({ cause: { code: "P0001" } });
    await client.query("set default_transaction_isolation to default");
    expect(await journal.claim(row(), {})).toBeUndefined();
  });

  it("grants one of two claims while the table is replaced between them", async () => {
    const { table, journal, client } = await openTable("moved");
    await client.query("begin");
    await client.query(`alter table ${table} rename to ${table}_old`);
    await client.query(`create table ${table} (like ${table}_old including all)`);
    await client.query(`insert into ${table} (row, keys) select row, keys from ${table}_old`);
    const waiting = journal.claim(row(), {});
    const locks = "select 1 from pg_locks where not granted and locktype = 'relation'";
    await expect.poll(async () => (await pool.query(locks)).rowCount).toBe(1);
    await client.query("commit");
    const conflicts = await Promise.all([waiting, journal.claim(row({ attemptId: "second" }), {})]);
    expect(conflicts.filter((conflict) => conflict === undefined)).toHaveLength(1);
  });

  let first = true;
  describePostgresJournal("postgresJournal by pg", async () => {
    // The first is the journal's own: a pool, as in production. The others are for transactions.
    if (first) {
      first = false;
      return pool;
    }
    const client = await pool.connect();
    clients.push(client);
    return client;
  });
});
