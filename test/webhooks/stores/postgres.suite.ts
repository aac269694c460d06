import { beforeAll, describe, expect, it } from "vitest";
import { type PostgresLike, postgresStore } from "../../../src/webhooks/postgres.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";
import { eventOf, receiver } from "../support.ts";

/** What a Postgres store must do, on whichever Postgres. `connect` gives a client of its own for a transaction. */
export function describePostgresStore(name: string, connect: () => Promise<PostgresLike>): void {
  describe(name, () => {
    let client: PostgresLike;
    const table = "payout_claims";
    beforeAll(async () => {
      client = await connect();
      await client.query(`drop table if exists "${table}"`);
      await postgresStore(client, { table }).createSchema();
      await client.query("create table if not exists ledger (payout text, amount numeric)");
    }, 60_000);

    for (const { name: promise, run } of storeSuite(() => postgresStore(client, { table }))) it(promise, run);

    it("creates its schema as often as asked, also at the same moment", async () => {
      const store = postgresStore(client, { table: "made_often" });
      await Promise.all(Array.from({ length: 5 }, () => store.createSchema()));
      expect(store.schema).toContain('"made_often"');
    });

    it("deletes what is past its retention, and treats it as new before that", async () => {
      const store = postgresStore(client, { table, retention: 1 });
      const result = await store.claim("old", { status: "SUCCESS", leaseMs: 1 });
      if (result.kind === "claimed") await store.complete(result.claim);
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect((await store.claim("old", { status: "FAILED", leaseMs: 1 })).kind).toBe("claimed");
      await new Promise((resolve) => setTimeout(resolve, 10));
      expect(await store.deleteExpired()).toBeGreaterThan(0);
      expect(await store.deleteExpired()).toBe(0);
    });

    describe("withTransaction", () => {
      const credit = (transaction: PostgresLike, reference: string) =>
        transaction.query("insert into ledger (payout, amount) values ($1, 1)", [reference]);
      const creditsOf = async (reference: string) =>
        (await client.query("select 1 from ledger where payout = $1", [reference])).rows.length;
      const store = () => postgresStore(client, { table });

      it("commits the claim together with the caller's write", async () => {
        const { statusOf } = receiver(
          {
            SUCCESS: async (event, { claim }) => {
              const transaction = await connect();
              await transaction.query("begin");
              await credit(transaction, event.client_referenceId);
              if (claim) await store().withTransaction(transaction).complete(claim);
              await transaction.query("commit");
            },
          },
          { store: store() },
        );
        const event = eventOf("SUCCESS", { client_referenceId: "tx-1" });
        expect([await statusOf(event), await statusOf(event)]).toEqual(["SUCCESS", "DUPLICATE"]);
        expect(await creditsOf("tx-1")).toBe(1);
      });

      it("rolls back with it, and the redelivery runs", async () => {
        let calls = 0;
        const { statusOf } = receiver(
          {
            SUCCESS: async (event, { claim }) => {
              calls += 1;
              const transaction = await connect();
              await transaction.query("begin");
              await credit(transaction, event.client_referenceId);
              if (claim) await store().withTransaction(transaction).complete(claim);
              await transaction.query(calls === 1 ? "rollback" : "commit");
              if (calls === 1) throw new Error("rolled back");
            },
          },
          { store: store() },
        );
        const event = eventOf("SUCCESS", { client_referenceId: "tx-2" });
        expect([await statusOf(event), await statusOf(event)]).toEqual(["FAILED", "SUCCESS"]);
        expect(await creditsOf("tx-2")).toBe(1);
      });

      it("throws when the claim was lost, so that the write is rolled back", async () => {
        const lost = await store().claim("tx-3", { status: "SUCCESS", leaseMs: 1 });
        await new Promise((resolve) => setTimeout(resolve, 10));
        expect((await store().claim("tx-3", { status: "SUCCESS", leaseMs: 60_000 })).kind).toBe("claimed");
        const transaction = await connect();
        await transaction.query("begin");
        await credit(transaction, "tx-3");
        const claim = lost.kind === "claimed" ? lost.claim : expect.unreachable();
        await expect(store().withTransaction(transaction).complete(claim)).rejects.toThrow(/claim was lost/);
        await transaction.query("rollback");
        expect(await creditsOf("tx-3")).toBe(0);
      });
    });
  });
}
