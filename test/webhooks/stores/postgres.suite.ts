import { setImmediate as turn } from "node:timers/promises";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../../src/errors/index.ts";
import { type PostgresLike, type PostgresPool, type PostgresStore, postgresStore } from "../../../src/stores.ts";
import { type Claim, custom, type WebhookEvent, type WebhookStore } from "../../../src/webhooks/index.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";
import { autocommit } from "../../support/autocommit.ts";
import { gate } from "../../support/gate.ts";
import { throws } from "../../support/throws.ts";
import { eventOf, finish, oddReferences, reasonOf, receiver, take } from "../support.ts";

/** Tests of a Postgres store on any Postgres. `connect` returns a separate client for a transaction. */
export function describePostgresStore(
  name: string,
  connect: () => Promise<PostgresLike>,
  openPool: () => PostgresPool,
): void {
  describe(name, () => {
    let client: PostgresLike;
    const table = "payout_claims";
    beforeAll(async () => {
      client = await connect();
      await client.query(`drop table if exists "${table}"`);
      await postgresStore(autocommit(client), { table }).createSchema();
      await client.query("create table if not exists ledger (payout text, amount numeric)");
    });

    for (const { name: promise, run } of storeSuite(() => postgresStore(autocommit(client), { table })))
      it(promise, run);

    type Handler = (event: WebhookEvent, context: { readonly claim: Claim }) => unknown;
    const credit = (transaction: PostgresLike, reference: string) =>
      transaction.query("insert into ledger (payout, amount) values ($1, 1)", [reference]);
    const creditsOf = async (reference: string) =>
      (await client.query("select 1 from ledger where payout = $1", [reference])).rows.length;

    it("creates its schema any number of times, even at the same moment", async () => {
      const store = postgresStore(autocommit(client), { table: "made_often" });
      await Promise.all(Array.from({ length: 5 }, () => store.createSchema()));
      expect(store.schema).toContain('"made_often"');
    });

    it("lets odd references take effect once: text holds no NUL, and an index no long key", async () => {
      const { statusOf } = receiver({}, { store: postgresStore(autocommit(client), { table }) });
      for (const client_referenceId of oddReferences) {
        const event = eventOf("SUCCESS", { client_referenceId });
        expect([await statusOf(event), await statusOf(event)]).toEqual(["SUCCESS", "DUPLICATE"]);
      }
    });

    it("knows a delivery again by its nonce, however long and odd its event is", async () => {
      const auth = [custom(({ header }) => ({ nonce: header("x-n") ?? "" }))];
      const store = postgresStore(autocommit(client), { table });
      const { statusOf: statusFor } = receiver({ onUnknown() {} }, { store, auth });
      for (const [n, client_referenceId] of oddReferences.entries()) {
        const transactionId = `\u0000 \ud800 é & = % ${"😀".repeat(5_000)}`;
        const statusOf = (utr: string) =>
          statusFor(eventOf("REVERSED", { client_referenceId, transactionId, utr }), { "x-n": `odd-${n}` });
        expect([await statusOf("1"), await statusOf("1")]).toEqual(["SUCCESS", "DUPLICATE"]);
        expect(await statusOf("2")).toBe("FAILED");
      }
    });

    describe("retention", () => {
      const day = 86_400_000;
      /** Moves the table's clock forward by this number of days. */
      const pass = (days: number) =>
        client.query(
          `update "${table}" set leased_until = leased_until - $1 * interval '1 day', expires_at = expires_at - $1 * interval '1 day'`,
          [days],
        );

      it("keeps finished rows indefinitely by default, whatever is deleted", async () => {
        const store = postgresStore(autocommit(client), { table });
        await finish(store, "kept");
        await pass(10_000);
        await store.deleteExpired();
        expect(await finish(store, "kept")).toBe("done");
        expect(await store.find("kept")).toMatchObject({ state: "done" });
      });

      it("keeps rows that an earlier version let expire after seven days", async () => {
        const store = postgresStore(autocommit(client), { table });
        await finish(store, "old version");
        await client.query(`update "${table}" set expires_at = now() - interval '1 day' where key = $1`, [
          "old version",
        ]);
        expect(await store.deleteExpired()).toBe(0);
        expect(await finish(store, "old version")).toBe("done");
        await store.forget("old version");
      });

      it("forgets after the retention that is set, and deletes on demand", async () => {
        const store = postgresStore(autocommit(client), { table, retention: 30 * day });
        await finish(store, "a");
        await finish(store, "b");
        await pass(29);
        expect(await finish(store, "a")).toBe("done");
        expect(await store.deleteExpired()).toBe(0);
        await pass(2);
        expect(await store.find("a")).toBeUndefined();
        const again = await store.claim("a", { effect: "SUCCESS", lease: 1 });
        expect(again).toMatchObject({ kind: "claimed", takenOver: false });
        if (again.kind === "claimed") await store.complete(again.claim);
        expect(await store.deleteExpired()).toBe(1);
        expect(await finish(store, "a")).toBe("done");
      });

      it("leaves a claim that nobody took over to its holder, whatever is deleted", async () => {
        const store = postgresStore(autocommit(client), { table, retention: 30 * day });
        const slow = await take(store, "slow", 1);
        await pass(31);
        await store.deleteExpired();
        expect(await store.complete(slow)).toBe(true);
      });

      it.each([
        ["the default retention", {}],
        ["a retention of its own", { retention: 365 * day }],
      ])("with %s, deletes nonces after 90 days, and claims whose process died as long ago", async (_, options) => {
        const store = postgresStore(autocommit(client), { table, ...options });
        await client.query(`delete from "${table}"`);
        await finish(store, "payout:a");
        await finish(store, "nonce:a");
        await store.claim("payout:died", { effect: "SUCCESS", lease: 1 });
        await pass(89);
        expect(await store.deleteExpired()).toBe(0);
        expect(await finish(store, "nonce:a")).toBe("done");
        await store.claim("payout:at work", { effect: "SUCCESS", lease: 60_000 });
        await pass(2);
        expect(await store.find("nonce:a")).toBeUndefined();
        expect(await store.deleteExpired()).toBe(2);
        expect(await store.find("payout:died")).toBeUndefined();
        expect(await finish(store, "nonce:a")).toBe("claimed");
        expect(await store.find("payout:a")).toMatchObject({ state: "done" });
        expect(await store.find("payout:at work")).toMatchObject({ state: "claimed" });
      });
    });

    describe("transaction", () => {
      const store = () => postgresStore(openPool(), { table });
      /** A handler that writes a credit in a transaction of the store. */
      const crediting =
        (own: PostgresStore): Handler =>
        ({ client_referenceId: id }, { claim }) =>
          own.transaction(claim, (transaction) => credit(transaction, id));

      type Taken = PostgresLike & { release(close?: boolean): void };
      /** A receiver whose first transaction does this work; the others write a credit. */
      const using = (own: PostgresStore, work: (client: Taken, id: string) => Promise<unknown>) => {
        const SUCCESS = vi
          .fn(crediting(own))
          .mockImplementationOnce(({ client_referenceId: id }, { claim }) =>
            own.transaction(claim, (given) => work(given as Taken, id)),
          );
        return receiver({ SUCCESS }, { store: own });
      };

      it("commits the claim together with what its work wrote, and returns its result", async () => {
        const results: unknown[] = [];
        const SUCCESS: Handler = async ({ client_referenceId }, { claim }) => {
          const work = (transaction: PostgresLike) => credit(transaction, client_referenceId).then(() => "credited");
          results.push(await store().transaction(claim, work));
        };
        const { statusOf } = receiver({ SUCCESS }, { store: store() });
        const event = eventOf("SUCCESS", { client_referenceId: "own-1" });
        expect([await statusOf(event), await statusOf(event)]).toEqual(["SUCCESS", "DUPLICATE"]);
        expect([results, await creditsOf("own-1")]).toEqual([["credited"], 1]);
      });

      it("fails a delivery whose handler catches that its work is not a function", async () => {
        const SUCCESS: Handler = async (_event, { claim }) => {
          await store()
            .transaction(claim, undefined as never)
            .catch(() => {});
        };
        const { statusOf, told } = receiver({ SUCCESS }, { store: store() });
        expect(await statusOf(eventOf("SUCCESS", { client_referenceId: "own-no-work" }))).toBe("FAILED");
        expect(`${told[0]?.error}`).toMatch(/postgresStore\.transaction: `work` /);
      });

      it("rolls back what work wrote that fails, and the redelivery runs", async () => {
        const failure = new Error("the work failed");
        const { statusOf, told } = using(store(), (transaction, id) => credit(transaction, id).then(throws(failure)));
        const event = eventOf("SUCCESS", { client_referenceId: "own-2" });
        expect([await statusOf(event), await statusOf(event)]).toEqual(["FAILED", "SUCCESS"]);
        expect([told[0]?.error, await creditsOf("own-2")]).toEqual([failure, 1]);
      });

      /** Runs work in a transaction that fails at its end. */
      const failing = (own: PostgresStore, claim: Claim, reference: string) =>
        own.transaction(claim, async (transaction) => {
          await credit(transaction, reference);
          throw new Error("the work failed");
        });
      const sixMethods = ({ claim, complete, release, recordConflict, find, forget }: PostgresStore): WebhookStore => {
        return { claim, complete, release, recordConflict, find, forget };
      };
      type Handle = (own: PostgresStore, claim: Claim, reference: string) => unknown;

      it.each<[string, string, Handle, ((own: PostgresStore) => WebhookStore)?]>([
        ["own-6", "that the handler does not await", (own, claim, id) => void failing(own, claim, id).catch(() => {})],
        ["own-7", "that had failed before the handler returned", failing],
        ["own-10", "of a copy of the claim", (own, claim, id) => failing(own, { ...claim }, id)],
        ["own-11", "of another store on the table", (_, claim, id) => failing(store(), claim, id)],
        ["own-12", "of a store in a wrapper", failing, sixMethods],
        ["own-16", "that begins late", (own, claim, id) => turn().then(() => failing(own, claim, id))],
        [
          "own-13",
          "that another on the claim follows",
          async (own, claim, id) => {
            await failing(own, claim, id).catch(() => {});
            await own.transaction(claim, (transaction) => credit(transaction, `${id} again`)).catch(() => {});
          },
        ],
        [
          "own-14",
          "around another on the claim",
          (own, claim, id) =>
            own.transaction(claim, async (outer) => {
              await credit(outer, id);
              await own.transaction(claim, (inner) => credit(inner, `${id} again`));
            }),
        ],
      ])(
        "%s: one %s fails the delivery, also if the handler swallows that",
        async (reference, _case, handle, wrap = (own) => own) => {
          const own = store();
          const SUCCESS = vi
            .fn(crediting(own))
            .mockImplementationOnce(({ client_referenceId: id }, { claim }) =>
              Promise.allSettled([handle(own, claim, id)]),
            );
          const { statusOf, told } = receiver({ SUCCESS }, { store: wrap(own) });
          const event = eventOf("SUCCESS", { client_referenceId: reference });
          const credits = async () => [await creditsOf(reference), await creditsOf(`${reference} again`)];
          expect([await statusOf(event), await credits(), told.length]).toEqual(["FAILED", [0, 0], 1]);
          expect([await statusOf(event), await credits()]).toEqual(["SUCCESS", [1, 0]]);
          expect([await statusOf(event), await credits()]).toEqual(["DUPLICATE", [1, 0]]);
        },
      );

      it.each<[string, string, () => unknown]>([
        ["own-17", "nothing", () => {}],
        ["own-18", "a promise", async () => {}],
        ["own-19", "a value", () => "done"],
      ])("%s: a handler that begins none and returns %s is committed by its delivery", async (reference, _, handle) => {
        const claims: Claim[] = [];
        const own = store();
        const SUCCESS = (_event: unknown, { claim }: { readonly claim: Claim }) => {
          claims.push(claim);
          return handle();
        };
        const { statusOf } = receiver({ SUCCESS }, { store: own });
        const event = eventOf("SUCCESS", { client_referenceId: reference });
        expect([await statusOf(event), await statusOf(event), claims.length]).toEqual(["SUCCESS", "DUPLICATE", 1]);
        // The handler has ended: neither is refused as its second one.
        for (const claim of [...claims, ...claims]) {
          const late = own.transaction(claim, (transaction) => credit(transaction, reference));
          await expect(late).rejects.toMatchObject({ reason: "claimLost" });
        }
        expect(await creditsOf(reference)).toBe(0);
      });

      it("is that of the handler that began it, also if one whose lease has run out ends meanwhile", async () => {
        const own = store();
        const [began, first, second] = [gate(), gate(), gate()];
        const SUCCESS = vi.fn<Handler>(async ({ client_referenceId: id }, { claim }) => {
          await second.opened;
          await failing(own, claim, id).catch(() => {});
        });
        SUCCESS.mockImplementationOnce(() => {
          began.open();
          return first.opened.then(throws(new Error("too late")));
        });
        const { statusOf } = receiver({ SUCCESS }, { store: own });
        const event = eventOf("SUCCESS", { client_referenceId: "own-21" });
        const late = statusOf(event);
        await began.opened;
        await client.query(`update "${table}" set leased_until = now() where key = 'payout:own-21'`);
        const taking = statusOf(event);
        while (SUCCESS.mock.calls.length < 2) await turn();
        first.open();
        expect(await late).toBe("FAILED");
        second.open();
        expect([await taking, await creditsOf("own-21")]).toEqual(["FAILED", 0]);
      });

      it("runs in the redelivery of an event whose handler failed before it began one", async () => {
        const own = store();
        const SUCCESS = vi.fn(crediting(own)).mockImplementationOnce(throws(new Error("first time")));
        const { statusOf } = receiver({ SUCCESS }, { store: own });
        const event = eventOf("SUCCESS", { client_referenceId: "own-20" });
        expect([await statusOf(event), await creditsOf("own-20")]).toEqual(["FAILED", 0]);
        expect([await statusOf(event), await creditsOf("own-20")]).toEqual(["SUCCESS", 1]);
        const [[, { claim }] = expect.unreachable()] = SUCCESS.mock.calls;
        for (const _ of ["once", "again"]) {
          expect(await reasonOf(own.transaction(claim, async () => {}))).toBe("claimLost");
        }
      });

      it("is not asked for again once it is committed, so that a store that is away then fails nothing", async () => {
        const own = store();
        const away = () => Promise.reject(new Error("away"));
        const unsteady = { ...sixMethods(own), complete: away, find: away };
        const { statusOf, told } = receiver({ SUCCESS: crediting(own) }, { store: unsteady });
        const event = eventOf("SUCCESS", { client_referenceId: "own-15" });
        expect([await statusOf(event), await creditsOf("own-15"), told]).toEqual(["SUCCESS", 1, []]);
        expect(await statusOf(event)).toBe("DUPLICATE");
      });

      it("rolls back and rejects if the claim was lost, or a statement failed that the work swallowed", async () => {
        const first = await take(store(), "own-3", 1);
        await new Promise((resolve) => setTimeout(resolve, 10));
        const second = await take(store(), "own-3");
        const work = (transaction: PostgresLike) => credit(transaction, "own-3");
        await expect(store().transaction(first, work)).rejects.toMatchObject({ reason: "claimLost" });
        const swallow = async (transaction: PostgresLike) => {
          await work(transaction);
          await transaction.query("select 1 / 0").catch(() => {});
        };
        await expect(store().transaction(second, swallow)).rejects.toMatchObject({
          reason: "storeFailed",
          message: expect.stringContaining("its error was caught or not awaited, so nothing is committed"),
          cause: { code: "40000", cause: { code: "22012" } },
        });
        expect(await creditsOf("own-3")).toBe(0);
        await store().transaction(second, work);
        expect([await creditsOf("own-3"), await store().find("own-3")]).toMatchObject([1, { state: "done" }]);
      });

      it("rejects if Postgres rolled back at its end, for a statement that nobody awaited", async () => {
        const claim = await take(store(), "own-8");
        const pool = openPool();
        const connectLate = async () => {
          const client = await pool.connect();
          const query = client.query.bind(client);
          client.query = async (text, values) => {
            if (text !== "commit") return query(text, values);
            client.query = query;
            await query("select 1 / 0").catch(() => {});
            return query(text, values);
          };
          return client;
        };
        const query: PostgresPool["query"] = (text, values) => pool.query(text, values);
        const own = postgresStore({ totalCount: pool.totalCount, query, connect: connectLate }, { table });
        const work = (transaction: PostgresLike) => credit(transaction, "own-8");
        await expect(own.transaction(claim, work)).rejects.toMatchObject({
          reason: "storeFailed",
          message: expect.stringContaining("Await each query"),
        });
        expect([await creditsOf("own-8"), await own.find("own-8")]).toMatchObject([0, { state: "claimed" }]);
      });

      type Misuse = [what: string, misuse: (client: Taken) => unknown, message: RegExp];
      const queried = (statement: unknown): Misuse => [
        `${JSON.stringify(statement)} in a helper that catches that`,
        (client) => client.query(statement as string).catch(() => {}),
        /`[a-z ]+` in the work was refused\. The store begins and ends/,
      ];
      it.each([
        ...["begin", "START TRANSACTION", "commit and chain", "end", "abort", "rollback", "rollback work"].map(queried),
        queried("prepare transaction 'a'"),
        queried("; /* of * the ** helper */ -- and \n -- more\n\tCommit"),
        queried({ text: "rollback" }),
        ["release()", (client) => client.release(), /`release\(\)` in the work was refused/],
        ["end()", (client) => Reflect.get(client, "end")(), /`end\(\)` in the work was refused/],
        [
          "a commit with a callback, by the callback",
          (client) => new Promise((resolve) => Reflect.apply(client.query, client, ["commit", resolve])),
          /`commit` in the work was refused/,
        ],
      ] satisfies Misuse[])("refuses in the work: %s, and the redelivery runs", async (what, misuse, message) => {
        const id = `refused ${what}`;
        const { statusOf, told } = using(store(), async (client) => {
          await credit(client, id);
          await misuse(client);
        });
        const event = eventOf("SUCCESS", { client_referenceId: id });
        expect([await statusOf(event), await creditsOf(id)]).toEqual(["FAILED", 0]);
        expect(told[0]?.error).toBeInstanceOf(ConfigurationError);
        expect(`${told[0]?.error}`).toMatch(message);
        expect([await statusOf(event), await creditsOf(id)]).toEqual(["SUCCESS", 1]);
      });

      it("lets the work choose its isolation level, and go back to a savepoint", async () => {
        const { statusOf, told } = using(store(), async (transaction, id) => {
          await transaction.query("set transaction isolation level serializable");
          await transaction.query("savepoint part");
          await credit(transaction, id);
          await transaction.query("select 1 / 0").catch(() => {});
          await transaction.query("rollback to savepoint part");
          await transaction.query("Rollback Work To part");
          await transaction.query("release savepoint part");
          await credit(transaction, id);
        });
        const event = eventOf("SUCCESS", { client_referenceId: "own-22" });
        expect([await statusOf(event), await creditsOf("own-22"), told]).toEqual(["SUCCESS", 1, []]);
      });

      it("fails if the work returns while a query of it is running: the next one would run outside", async () => {
        const { statusOf, told } = using(store(), async (transaction, id) => {
          void credit(transaction, id);
        });
        const event = eventOf("SUCCESS", { client_referenceId: "own-23" });
        expect([await statusOf(event), await creditsOf("own-23")]).toEqual(["FAILED", 0]);
        expect(`${told[0]?.error}`).toContain("Await every query of the work.");
        expect([await statusOf(event), await creditsOf("own-23")]).toEqual(["SUCCESS", 1]);
      });

      it.each([
        ["has returned", async () => {}, "SUCCESS"],
        ["has thrown", () => Promise.reject(new Error("the work failed")), "FAILED"],
      ])("refuses a query after the work %s: its client belongs to others", async (_, work, status) => {
        const clients: PostgresLike[] = [];
        const { statusOf } = using(store(), async (transaction) => {
          clients.push(transaction);
          await work();
        });
        expect(await statusOf(eventOf("SUCCESS", { client_referenceId: `late ${status}` }))).toBe(status);
        const late = credit(clients[0] as PostgresLike, `late ${status}`);
        await expect(late).rejects.toThrow(/Await every query of the work\.$/);
        expect(await creditsOf(`late ${status}`)).toBe(0);
      });

      it("does not write an effect again whose commit was lost on its way back", async () => {
        const claim = await take(store(), "own-5");
        const work = (transaction: PostgresLike) => credit(transaction, "own-5");
        await store().transaction(claim, work);
        await expect(store().transaction(claim, work)).rejects.toMatchObject({ reason: "claimLost" });
        expect([await creditsOf("own-5"), await store().complete(claim)]).toEqual([1, true]);
      });

      it("refuses a store without a pool, and says what to call instead", async () => {
        const claim = { key: "own-4", effect: "SUCCESS", token: "1" };
        const query = autocommit(client);
        for (const pool of [query, { query, totalCount: 1 } as never]) {
          const begun = postgresStore(pool, { table }).transaction(claim, async () => {});
          await expect(begun).rejects.toThrow(/withTransaction\(client\)/);
        }
        for (const wrong of [undefined, {}, { key: "own-4" }, { token: "1" }, "claim"])
          expect(() => store().transaction(wrong as never, async () => {})).toThrow(
            /^postgresStore\.transaction: `claim`/,
          );
      });
    });

    describe("withTransaction", () => {
      const store = () => postgresStore(autocommit(client), { table });
      /** Begins a transaction of the application, which writes a credit. */
      const begin = async (id: string) => {
        const transaction = await connect();
        await transaction.query("begin");
        await credit(transaction, id);
        return transaction;
      };

      it("commits the claim together with the caller's write", async () => {
        const SUCCESS: Handler = async ({ client_referenceId: id }, { claim }) => {
          const transaction = await begin(id);
          await store().withTransaction(transaction).complete(claim);
          await transaction.query("commit");
        };
        const { statusOf } = receiver({ SUCCESS }, { store: store() });
        const event = eventOf("SUCCESS", { client_referenceId: "tx-1" });
        expect([await statusOf(event), await statusOf(event)]).toEqual(["SUCCESS", "DUPLICATE"]);
        expect(await creditsOf("tx-1")).toBe(1);
      });

      it.each([
        ["tx-2", "throws", true],
        ["tx-4", "does not say so", false],
      ])("rolls back with it, and the redelivery runs: %s, by a handler that %s", async (reference, _, throws) => {
        const own = store();
        let isFirst = true;
        const SUCCESS: Handler = async ({ client_referenceId: id }, { claim }) => {
          const transaction = await begin(id);
          await own.withTransaction(transaction).complete(claim);
          await transaction.query(isFirst ? "rollback" : "commit");
          if (throws && isFirst) throw new Error("rolled back");
        };
        const { statusOf, told } = receiver({ SUCCESS }, { store: own });
        const event = eventOf("SUCCESS", { client_referenceId: reference });
        expect([await statusOf(event), await creditsOf(reference)]).toEqual(["FAILED", 0]);
        expect(told).toMatchObject([{ error: throws ? { message: "rolled back" } : { reason: "storeFailed" } }]);
        isFirst = false;
        expect([await statusOf(event), await creditsOf(reference)]).toEqual(["SUCCESS", 1]);
      });

      it("rolls back what a handler commits that does not await complete(), if the claim was lost", async () => {
        const own = store();
        let isFirst = true;
        const SUCCESS: Handler = async ({ client_referenceId: id }, { claim }) => {
          const transaction = await begin(id);
          if (isFirst) {
            // As if another had taken the claim over: PGlite has one connection.
            await transaction.query(`update "${table}" set token = token + 1 where key = 'payout:tx-5'`);
          }
          void own.withTransaction(transaction).complete(claim);
          await transaction.query("commit");
        };
        const { statusOf, told } = receiver({ SUCCESS }, { store: own });
        const event = eventOf("SUCCESS", { client_referenceId: "tx-5" });
        expect([await statusOf(event), await creditsOf("tx-5")]).toEqual(["FAILED", 0]);
        expect(told).toMatchObject([{ error: { reason: "claimLost" } }]);
        expect(`${told[0]?.error}`).toContain("This transaction is rolled back");
        isFirst = false;
        expect([await statusOf(event), await creditsOf("tx-5")]).toEqual(["SUCCESS", 1]);
      });

      it("throws when the claim was lost, so that the write is rolled back", async () => {
        const claim = await take(store(), "tx-3", 1);
        await new Promise((resolve) => setTimeout(resolve, 10));
        await take(store(), "tx-3");
        const transaction = await begin("tx-3");
        await expect(store().withTransaction(transaction).complete(claim)).rejects.toThrow(/claim was lost/);
        expect(() =>
          store()
            .withTransaction(transaction)
            .complete(undefined as never),
        ).toThrow(/^postgresStore\.withTransaction: `claim`/);
        await transaction.query("rollback");
        expect(await creditsOf("tx-3")).toBe(0);
      });
    });
  });
}
