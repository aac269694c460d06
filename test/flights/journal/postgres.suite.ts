import { beforeAll, describe, expect, it } from "vitest";
import { type BookingJournal, checkout, reconcile } from "../../../src/flights/index.ts";
import { journalSuite } from "../../../src/flights/journal/journal-suite.ts";
import { type PostgresLike, postgresJournal } from "../../../src/stores.ts";
import { autocommit } from "../../support/autocommit.ts";
import { clientOf } from "../checkout/support.ts";
import { testBookedRow } from "./booked-row.ts";
import { other, row } from "./rows.ts";

/** Tests of a Postgres journal on any Postgres. `connect` returns a separate client for a transaction. */
export function describePostgresJournal(name: string, connect: () => Promise<PostgresLike>): void {
  describe(name, () => {
    let client: PostgresLike;
    const table = "booking_journal";
    beforeAll(async () => {
      client = await connect();
      await client.query(`drop table if exists "${table}"`);
      await postgresJournal(autocommit(client), { table }).createSchema();
      await client.query("create table if not exists orders (reference text, pnr text)");
    });

    for (const { name: promise, run } of journalSuite(() => postgresJournal(autocommit(client), { table })))
      it(promise, run);

    it("creates its schema any number of times, even at the same moment", async () => {
      const journal = postgresJournal(autocommit(client), { table: "journal_made_often" });
      await Promise.all(Array.from({ length: 5 }, () => journal.createSchema()));
      expect(journal.schema).toContain('"journal_made_often"');
    });

    it("grants all of fifty claims with force on one offer", async () => {
      const journal = postgresJournal(autocommit(client), { table });
      const rows = Array.from({ length: 50 }, (_, i) =>
        row({ attemptId: `force-${i}`, clientReferenceId: `force-${i}`, traceId: "force", token: "force" }),
      );
      const others = await Promise.all(rows.map((one) => journal.claim(one, { force: true })));
      expect(others.filter((one) => one === undefined)).toHaveLength(50);
      const last = row({ attemptId: "last", clientReferenceId: "last", token: "force", fingerprint: "" });
      expect(await journal.claim(last, {})).toMatchObject({ token: "force", forced: true });
    });

    describe("withTransaction", () => {
      const id = () => ({ attemptId: crypto.randomUUID(), clientReferenceId: crypto.randomUUID(), fingerprint: "" });
      const ordersOf = async (reference: string) =>
        (await client.query("select 1 from orders where reference = $1", [reference])).rows.length;

      it.each(["commit", "rollback"])("settles a row together with the caller's write: %s", async (end) => {
        const journal = postgresJournal(autocommit(client), { table });
        const names = id();
        const unknown = other({ ...names, token: names.attemptId, traceId: names.attemptId, state: "unknown" });
        await journal.claim(unknown, {});
        const transaction = await connect();
        await transaction.query("begin");
        await reconcile(journal.withTransaction(transaction), unknown, { pnr: "FOUND1" });
        await transaction.query("insert into orders values ($1, 'FOUND1')", [unknown.clientReferenceId]);
        await transaction.query(end);
        const isDone = end === "commit";
        expect((await journal.get(unknown.attemptId))?.state).toBe(isDone ? "booked" : "unknown");
        expect(await ordersOf(unknown.clientReferenceId)).toBe(isDone ? 1 : 0);
      });

      it("is not ended by a late settlement, nor by a booking behind a row that was closed", async () => {
        const journal = postgresJournal(autocommit(client), { table });
        const names = id();
        const first = other({ ...names, token: names.attemptId, traceId: names.attemptId });
        const second = { ...first, attemptId: crypto.randomUUID() };
        await journal.claim(first, {});
        await journal.settle({ ...first, state: "rejected" }, "sent");
        await journal.claim(second, {});
        const transaction = await connect();
        await transaction.query("begin");
        const inside = journal.withTransaction(transaction);
        expect(await inside.settle({ ...first, state: "booked" }, "sent")).toBe(false);
        expect(await inside.settle({ ...first, state: "booked", pnr: "LATE" }, "rejected")).toBe(true);
        expect(await inside.get(first.attemptId)).toMatchObject({ pnr: "LATE" });
        await transaction.query("commit");
        const rows = await journal.find(first.clientReferenceId);
        expect(rows.map(({ state }) => state).sort()).toEqual(["booked", "sent"]);
      });

      it("is refused by a checkout", async () => {
        const inside = postgresJournal(autocommit(client), { table }).withTransaction({ query: autocommit(client) });
        expect(() =>
          checkout(clientOf().api, { trace_id: "T", token: "S" }, { journal: inside as BookingJournal }),
        ).toThrow("checkout: `journal` must be an object with conflict() and claim().");
      });
    });

    testBookedRow(() => postgresJournal(autocommit(client), { table }));
  });
}
