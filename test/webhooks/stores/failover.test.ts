import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { type StoreServer, startPostgres } from "../../../scripts/store-servers.ts";
import { postgresJournal } from "../../../src/flights/journal/postgres.ts";
import { type PostgresStore, postgresStore } from "../../../src/webhooks/stores/postgres.ts";
import { autocommit } from "../../support/autocommit.ts";
import { unknownRow } from "../../support/unknown-row.ts";
import { eventOf, receiver, take } from "../support.ts";

/** With `off`, commits stay in the primary's memory for seconds: a crash loses them. */
const lazy = ["synchronous_commit=off", "wal_writer_delay=10s"];

async function start(settings: readonly string[], standbyOf?: string): Promise<StoreServer> {
  const server = await startPostgres(settings, standbyOf);
  onTestFinished(() => server.stop());
  return server;
}

/** A connection that may be lost at any time. */
async function connect(server: StoreServer): Promise<pg.Client> {
  const client = new pg.Client(server.url);
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

/** Ends the server at once, without a checkpoint: what is neither on its disk nor on its standby is gone. */
const crash = (server: StoreServer) => server.halt("SIGQUIT");

const request = { effect: "SUCCESS", lease: 60_000 };

describe.skipIf(!process.env.SERVICEAPI_TEST_POSTGRES)(
  "a Postgres with `synchronous_commit = off` (left out without one: npm run test:stores)",
  { timeout: 300_000 },
  () => {
    it("loses nothing that a store or a journal has written when the primary crashes", async () => {
      const primary = await start(lazy);
      const row = { ...unknownRow, state: "sent" } as const;
      /** Each runs on a primary that crashes right after it. */
      const steps: readonly ((store: PostgresStore, client: pg.Client) => Promise<unknown>)[] = [
        async (store, client) => {
          await store.createSchema();
          await postgresJournal(autocommit(client)).createSchema();
          await client.query("checkpoint");
        },
        (store) => store.claim("payout:a", request),
        (store) => store.find("payout:a").then((entry) => expect(entry).toMatchObject({ state: "claimed" })),
        async (store, client) => {
          await client.query("update serviceapi_webhooks set leased_until = now()");
          expect(await store.complete(await take(store, "payout:a"))).toBe(true);
        },
        (store) => store.recordConflict("payout:a", "status=FAILED"),
        (_, client) => postgresJournal(autocommit(client)).claim(row, {}),
        (_, client) => postgresJournal(autocommit(client)).settle({ ...row, state: "unknown" }, "sent"),
        async (store, client) => {
          await client.query("begin");
          await client.query("create table credits (payout text)");
          await client.query("insert into credits values ('b')");
          await store
            .withTransaction(client)
            .complete(await take(postgresStore(autocommit(await connect(primary))), "payout:b"));
          await client.query("commit");
        },
      ];
      for (const step of steps) {
        const client = await connect(primary);
        await step(postgresStore(autocommit(client)), client);
        await crash(primary);
        await primary.resume();
      }
      const client = await connect(primary);
      const store = postgresStore(autocommit(client));
      const done = { state: "done", effect: "SUCCESS" };
      expect(await store.find("payout:a")).toEqual({ ...done, conflicts: ["status=FAILED"] });
      expect(await store.find("payout:b")).toEqual({ ...done, conflicts: [] });
      expect((await client.query("select payout from credits")).rows).toEqual([{ payout: "b" }]);
      expect(await postgresJournal(autocommit(client)).get(row.attemptId)).toEqual({ ...row, state: "unknown" });
      await store.forget("payout:a");
      await crash(primary);
      await primary.resume();
      expect(await postgresStore(autocommit(await connect(primary))).find("payout:a")).toBeUndefined();
    });

    it("loses nothing that was acknowledged when its synchronous standby takes over", async () => {
      const primary = await start([...lazy, "synchronous_standby_names=*"]);
      const client = await connect(primary);
      await postgresStore(autocommit(client)).createSchema();
      const standby = await start(lazy, primary.url);
      const isSync = "select 1 from pg_stat_replication where sync_state = 'sync'";
      while ((await client.query(isSync)).rows.length === 0) await sleep(50);
      const { statusOf, ran } = receiver({}, { store: postgresStore(autocommit(client)) });
      expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
      await crash(primary);
      const promoted = await connect(standby);
      await promoted.query("select pg_promote()");
      const after = receiver({}, { store: postgresStore(autocommit(promoted)) });
      expect([await after.statusOf(eventOf("SUCCESS")), ran.length, after.ran]).toEqual(["DUPLICATE", 1, []]);
    });

    it("has a larger token for each claim, also after an asynchronous standby took over that lacks the last ones", async () => {
      const primary = await start(lazy);
      const client = await connect(primary);
      const store = postgresStore(autocommit(client));
      await store.createSchema();
      const standby = await start(lazy, primary.url);
      await standby.halt("SIGINT");
      const lost = await take(store, "payout:a");
      await crash(primary);
      await standby.resume();
      const promoted = await connect(standby);
      await promoted.query("select pg_promote()");
      const next = await take(postgresStore(autocommit(promoted)), "payout:a");
      expect(BigInt(next.token) > BigInt(lost.token)).toBe(true);
      expect(await postgresStore(autocommit(promoted)).complete(lost)).toBe(false);
    });
  },
);
