import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { conversationFromUiMessages, relayTurn, toUiMessages } from "../../src/ai/entry.ts";
import {
  adviceFor,
  checkout,
  conflictsWith,
  findBookings,
  isOverdue,
  isPending,
  memoryJournal,
  reconcile,
  reconcileOverdue,
  resumeCheckout,
} from "../../src/flights/index.ts";
import { fileJournal } from "../../src/flights/journal/file.ts";
import { postgresJournal } from "../../src/flights/journal/postgres.ts";
import { ServiceApi } from "../../src/index.ts";
import { postgresStore } from "../../src/webhooks/stores/postgres.ts";
import { redisStore } from "../../src/webhooks/stores/redis.ts";
import { lineOf } from "../flights/journal/rows.ts";
import { unknownRow } from "../support/unknown-row.ts";
import { anyJson, anyText, anything, drifted, refusesTyped } from "./inputs.ts";
import { property } from "./property.ts";

const api = new ServiceApi({ baseUrl: "https://service.example", clientId: "id", clientSecret: "secret" });
const state = {
  version: 1 as const,
  turns: [
    { user: { text: "Hello", images: ["https://a.example/a.png"] }, text: "Hi", context_token: "svc_1", msg_id: "m" },
  ],
};

/** A value that an application has kept, whole or changed, parsed or as the string. */
function kept(saved: unknown): fc.Arbitrary<unknown> {
  const values = fc.oneof(fc.constant(saved), drifted(saved), anything);
  return fc.oneof(
    values,
    values.map((value) => JSON.stringify(value)),
    anyText,
  );
}

describe("a saved conversation", () => {
  property("is continued or refused", kept(state), async (saved) => {
    await refusesTyped(() => {
      const conversation = api.ai.conversation(saved as never);
      const again = JSON.stringify(conversation);
      expect(JSON.stringify(api.ai.conversation(again))).toBe(again);
      conversation.branch();
    });
  });

  const leased = kept({ ...state, lease: { since: 0, until: 4e12, holder: "01" } });
  property("is not asked before it is taken", fc.tuple(leased, anything), async ([saved, turns]) => {
    const turn = { text: "Hello", turns: turns as never, load: () => saved, save: () => false };
    await refusesTyped(async () => {
      const response = await relayTurn(api.ai, turn);
      expect([400, 404, 409]).toContain(response.status);
      expect(await response.text()).not.toBe("");
    });
  });

  const messages = toUiMessages(state);
  const anyMessages = kept([...messages, messages[0]]);
  property("of UI messages is continued or refused", fc.tuple(anyMessages, kept(state)), async ([given, saved]) => {
    await refusesTyped(() => {
      const { state, text } = conversationFromUiMessages(given as never);
      expect(
        conversationFromUiMessages([
          ...toUiMessages(state),
          { id: "1", role: "user", parts: [{ type: "text", text: `${text}.` }] },
        ]).state,
      ).toEqual(state);
    });
    await refusesTyped(() => toUiMessages(saved as never));
  });
});

describe("a saved checkout", () => {
  const saved = {
    ...JSON.parse(JSON.stringify(checkout(api, { trace_id: "T", token: "S" }, { journal: memoryJournal() }))),
    attempts: [unknownRow],
  };
  const params = fc.oneof(fc.constant({ trace_id: "T", token: "S" }), drifted({ trace_id: "T", token: "S" }), anything);
  property("is resumed or refused", fc.tuple(kept(saved), params), async ([given, params]) => {
    await refusesTyped(() => {
      const trip = resumeCheckout(api, given, { journal: memoryJournal() });
      const again = JSON.stringify(trip);
      expect(JSON.stringify(resumeCheckout(api, again, { journal: memoryJournal() }))).toBe(again);
    });
    await refusesTyped(() => checkout(api, params as never, { journal: memoryJournal() }));
    expect(adviceFor(given)).toBe(null);
  });
});

describe("a row of a journal", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "serviceapi-fuzz-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const anyRow = fc.oneof(fc.constant(unknownRow), kept(unknownRow));
  const otherRow = fc.oneof(fc.constant({ ...unknownRow, attemptId: "attempt-2" }), kept(unknownRow));
  const lookup = fc.oneof(fc.constantFrom("notBooked", { pnr: "ABC123" }), drifted({ pnr: "ABC123" }), anything);
  property("is read or refused", fc.tuple(anyRow, otherRow, lookup), async ([a, b, found]) => {
    await refusesTyped(() => memoryJournal([a, b] as never));
    await refusesTyped(() => memoryJournal(a as never));
    await refusesTyped(() => conflictsWith(a as never, b as never));
    await refusesTyped(() => isPending(a as never));
    await refusesTyped(() => isOverdue(a as never));
    await refusesTyped(() => reconcile(memoryJournal([unknownRow]), a as never, found as never));
    await refusesTyped(() => findBookings({ find: async () => [a, b] as never }, found as never));
    const journal = { ...memoryJournal([unknownRow]), pending: async () => [a, unknownRow] as never };
    await refusesTyped(() => reconcileOverdue(journal, async () => found as never));
  });

  const lines = fc.array(
    fc.oneof(
      fc.constant(lineOf(unknownRow)),
      kept(unknownRow).map((value) => String(JSON.stringify(value))),
      anyText,
    ),
    { maxLength: 6 },
  );
  property(
    "in a file is read, skipped as torn, or refused",
    fc.tuple(lines, fc.constantFrom("", "\n")),
    async ([texts, end]) => {
      const path = join(folder, "bookings.jsonl");
      await writeFile(path, [lineOf(unknownRow), ...texts].join("\n") + end);
      await refusesTyped(async () => {
        for (const pending of await fileJournal(path).pending()) expect(isPending(pending)).toBe(true);
      });
    },
    20,
  );

  const entry = { state: "done", effect: "SUCCESS", conflicts: "[]", committed: true };
  const replies = [
    { rows: [{ row: unknownRow }] },
    { rows: [{ token: "7", taken_over: false }] },
    { rows: [entry] },
    ["claimed", "7", 0],
    ["done", "SUCCESS", "FAILED"],
  ];
  property(
    "in Postgres, and a claim in Postgres or Redis, is read or refused",
    fc.oneof(anyJson, ...replies.flatMap((reply) => [fc.constant(reply), kept(reply)])),
    async (reply) => {
      const query = async () => reply as never;
      await refusesTyped(() => postgresJournal(query).pending());
      const stores = {
        postgres: postgresStore(query),
        redis: redisStore({ eval: query, defineCommand: () => {} }),
      };
      for (const [name, store] of Object.entries(stores)) {
        await refusesTyped(() => store.claim("a", { effect: "SUCCESS", lease: 1_000 }), `claim in ${name}`);
        await refusesTyped(() => store.find("a"), `find in ${name}`);
      }
    },
  );

  const claim = { key: "payout:a", effect: "SUCCESS", token: "7" };
  const writes: Readonly<Record<string, (reply: () => Promise<never>) => unknown>> = {
    "journal.find": (query) => postgresJournal(query).find("order-1"),
    "journal.get": (query) => postgresJournal(query).get("attempt-1"),
    "journal.conflict": (query) => postgresJournal(query).conflict(unknownRow, {}),
    "journal.claim": (query) => postgresJournal(query).claim(unknownRow, {}),
    "journal.settle": (query) => postgresJournal(query).settle(unknownRow, "sent"),
    "postgres.complete": (query) => postgresStore(query).complete(claim),
    "postgres.release": (query) => postgresStore(query).release(claim),
    "postgres.recordConflict": (query) => postgresStore(query).recordConflict(claim.key, "FAILED"),
    "postgres.forget": (query) => postgresStore(query).forget(claim.key),
    "postgres.deleteExpired": (query) => postgresStore(query).deleteExpired(),
    "redis.complete": (query) => redisStore({ eval: query, defineCommand: () => {} }).complete(claim),
    "redis.release": (query) => redisStore({ eval: query, defineCommand: () => {} }).release(claim),
    "redis.recordConflict": (query) =>
      redisStore({ eval: query, defineCommand: () => {} }).recordConflict(claim.key, "FAILED"),
    "redis.forget": (query) => redisStore({ eval: query, defineCommand: () => {} }).forget(claim.key),
  };
  const anyReply = fc.oneof(
    anyJson,
    ...[...replies, { rows: [] }, 1].flatMap((reply) => [fc.constant(reply), kept(reply)]),
  );
  property(
    "is written or refused, whatever replies Postgres and Redis send one after another",
    fc.array(anyReply, { minLength: 1, maxLength: 3 }),
    async (given) => {
      for (const [name, write] of Object.entries(writes)) {
        let asked = 0;
        await refusesTyped(() => write(async () => given[asked++ % given.length] as never), name);
      }
    },
  );
});
