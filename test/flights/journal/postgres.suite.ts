import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type BookingJournal, checkout, type JournalRow, reconcile } from "../../../src/flights/index.ts";
import { adopt } from "../../../src/flights/journal/adopt.ts";
import { journalSuite } from "../../../src/flights/journal/journal-suite.ts";
import { type PostgresLike, postgresJournal } from "../../../src/flights/journal/postgres.ts";
import { followedBy } from "../../support/followed-by.ts";
import { booked, clientOf, fails, passengers } from "../checkout/support.ts";
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
      await postgresJournal(client, { table }).createSchema();
      await client.query("create table if not exists orders (reference text, pnr text)");
    });

    for (const { name: promise, run } of journalSuite(() => postgresJournal(client, { table }))) it(promise, run);

    it("creates its schema any number of times, even at the same moment", async () => {
      const journal = postgresJournal(client, { table: "journal_made_often" });
      await Promise.all(Array.from({ length: 5 }, () => journal.createSchema()));
      expect(journal.schema).toContain('"journal_made_often"');
    });

    it("grants all of fifty claims with force on one offer", async () => {
      const journal = postgresJournal(client, { table });
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
        const journal = postgresJournal(client, { table });
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
        const journal = postgresJournal(client, { table });
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
        const inside = postgresJournal(client, { table }).withTransaction(client);
        expect(() =>
          checkout(clientOf().api, { trace_id: "T", token: "S" }, { journal: inside as BookingJournal }),
        ).toThrow("checkout: `journal` must be an object with conflict() and claim().");
      });
    });

    testBookedRow(() => postgresJournal(client, { table }));

    describe("an open transaction of the caller", () => {
      let shared: PostgresLike;
      beforeAll(async () => {
        shared = await connect();
      });
      afterEach(() => shared.query("rollback"));
      const journal = (on = shared) => postgresJournal(on, { table });
      const fresh = () => {
        const id = crypto.randomUUID();
        return other({ attemptId: id, clientReferenceId: id, token: id, traceId: id, fingerprint: "" });
      };
      const refusal = {
        name: "JournalError",
        outcome: "notSent",
        cause: { message: expect.stringContaining("a transaction that is still open") },
      };
      const notSettled = {
        name: "JournalError",
        message: expect.stringMatching(/^postgresJournal: The row was settled in a transaction .* Use withTransaction/),
      };
      const trip = async (on: PostgresLike) => {
        const { api, bookings } = clientOf();
        const quote = { token: crypto.randomUUID(), trace_id: crypto.randomUUID() };
        const begun = checkout(api, quote, { journal: journal(on) });
        await begun.quote();
        return { bookings, book: () => begun.book({ passengers, force: true }) };
      };

      it("claims nothing, so that no booking is sent whose row a rollback takes away", async () => {
        const { book, bookings } = await trip(shared);
        await shared.query("begin");
        expect(await fails(book())).toMatchObject(refusal);
        await shared.query("rollback");
        expect(bookings()).toEqual([]);
        expect((await book()).pnr).toBe("PNR001");
      });

      it.each([
        ["a rollback", "rollback"],
        ["a rollback to a savepoint", "rollback to savepoint before"],
      ])("claims nothing, even if %s comes right behind the claim", async (_what, end) => {
        const { book, bookings } = await trip(followedBy(end, shared));
        await shared.query("begin");
        await shared.query("savepoint before");
        expect(await fails(book())).toMatchObject(refusal);
        await shared.query("rollback");
        expect(bookings()).toEqual([]);
        expect((await book()).pnr).toBe("PNR001");
      });

      it("that has failed gets no claim", async () => {
        const { book, bookings } = await trip(shared);
        await shared.query("begin");
        await shared.query("select 1 / 0").catch(() => {});
        expect(await fails(book())).toMatchObject({ name: "JournalError", outcome: "notSent" });
        expect(bookings()).toEqual([]);
      });

      it("adopts no row of a saved trip", async () => {
        const saved = fresh();
        await shared.query("begin");
        await expect(adopt(journal(), saved)).rejects.toThrow("a transaction that is still open");
        await shared.query("rollback");
        expect(await adopt(journal(), saved)).toMatchObject({ state: "sent" });
      });

      it.each([
        ["is still open", "select 1"],
        ["is rolled back at once", "rollback"],
      ])("settles no row without withTransaction(): it %s", async (_what, end) => {
        const row = fresh();
        await journal().claim(row, {});
        await shared.query("begin");
        const found: JournalRow = { ...row, state: "booked", pnr: "KEPT01" };
        await expect(journal(followedBy(end, shared)).settle(found, "sent")).rejects.toMatchObject(notSettled);
        await shared.query("rollback");
        expect(await journal().get(row.attemptId)).toEqual(row);
        expect(await journal().settle(found, "sent")).toBe(true);
      });

      it("reports no row as settled that a rollback may still open again", async () => {
        const row = fresh();
        await journal().claim(row, {});
        await shared.query("begin");
        const found = () => reconcile(journal(), row, { pnr: "LATE01" });
        const message = expect.stringMatching(/may be closed or still open\. .* Use withTransaction/);
        expect(await fails(found())).toMatchObject({ name: "JournalError", message });
        await expect(journal().settle({ ...row, state: "rejected" }, "sent")).rejects.toMatchObject(notSettled);
        await shared.query("rollback");
        expect(await found()).toMatchObject({ state: "booked", pnr: "LATE01" });
      });

      it("leaves a booking that is recorded in it with a warning, and its row open after a rollback", async () => {
        const book = async () => {
          await shared.query("begin");
          return booked("PNR001");
        };
        const quote = { token: crypto.randomUUID(), trace_id: crypto.randomUUID() };
        const begun = checkout(clientOf({ book }).api, quote, { journal: journal() });
        await begun.quote();
        const booking = await begun.book({ passengers, force: true });
        expect(booking).toMatchObject({ pnr: "PNR001" });
        expect(booking.warnings.map(({ message }) => message).join()).toContain(
          "the journal did not record it in time",
        );
        await shared.query("rollback");
        expect(await journal().find(booking.clientReferenceId)).toMatchObject([{ state: "sent" }]);
      });
    });
  });
}
