import pg from "pg";
import { afterAll, beforeAll, describe, it } from "vitest";
import { postgresJournal } from "../../../src/stores.ts";
import { expectModel } from "./conformance.ts";
import { describePostgresJournal } from "./postgres.suite.ts";

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

  it("is the model in which bookings are explored, after all sequences of three operations", async () => {
    const journal = postgresJournal(pool, { table: `model_${process.pid}` });
    await journal.createSchema();
    await expectModel(journal, 3);
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
