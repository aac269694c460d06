import { describe, expect, it } from "vitest";
import { accountForBookings } from "../../scripts/soak/accounts/bookings.ts";
import { accountForCalls } from "../../scripts/soak/accounts/calls.ts";
import { accountForPayouts } from "../../scripts/soak/accounts/payouts.ts";
import { accountForFaults, accountForProcesses } from "../../scripts/soak/accounts/processes.ts";
import { isBroken, type Truth } from "../../scripts/soak/accounts/truth.ts";
import type { CallEnd, CallKind, Entry, Ledger } from "../../scripts/soak/ledger.ts";
import type { JournalRow } from "../../src/flights/index.ts";

const MB = 1_048_576;
const end = (reference: string, outcome: CallEnd["outcome"], more: Partial<CallEnd> = {}): Entry => {
  const name = outcome === "done" ? "ok" : "AnError";
  return { type: "outcome", reference, outcome, name, attempts: outcome === "notSent" ? 0 : 1, ...more };
};
const call = (kind: CallKind, reference: string): Entry => ({ type: "call", kind, reference });
const heap = (...sizes: readonly number[]): Entry[] => sizes.map((size) => ({ type: "heap", bytes: size * MB }));

const received = (reference: string, operation = "verification.findVpas") => ({ operation, reference });
const booking = (reference: string, pnr: string) => ({
  ...{ client_referenceId: reference, pnr },
  ...{ trace_id: "t", token: "t", booking_id: 1 },
});
const row = (clientReferenceId: string, state: JournalRow["state"], pnr?: string): JournalRow => ({
  ...{ clientReferenceId, state, ...(pnr !== undefined && { pnr }) },
  ...{ attemptId: clientReferenceId, traceId: "t", searchToken: "t", token: "t", result: 0, fingerprint: "" },
  ...{ sentAt: 0, responseDueBy: 0, at: 0 },
});
const effect = (store: "postgres" | "redis", payout: string, at = 1_000, process = "w1n2") => ({
  ...{ store, payout, at, process },
});

const steady: Ledger = {
  process: "w0n1",
  entries: [
    ...[call("verify", "v1"), end("v1", "done"), call("ask", "a1"), end("a1", "rejected")],
    ...[call("stream", "s1"), end("s1", "unknown"), call("verify", "v2"), end("v2", "notSent")],
    ...[call("book", "b1a"), end("b1a", "done", { pnr: "ONE" }), call("book", "b2a"), end("b2a", "unknown")],
    ...heap(30, 31, 30, 32, 31, 32),
  ],
};
const killed: Ledger = {
  process: "w1n2",
  entries: [call("verify", "v3"), { type: "commit", reference: "p2", at: 1_100 }],
};
const statuses = ["none", "FAILED", "SUCCESS", "DUPLICATE"];

/** A soak in which every promise was kept. */
const kept: Truth = {
  ledgers: [steady, killed],
  exits: [
    { process: "w1n2", at: 5_000, how: "killed" },
    { process: "w0n1", at: 9_000, how: "closed" },
  ],
  received: [
    ...["v1", "a1", "s1", "v3"].map((reference) => received(reference)),
    ...["b1a", "b2a"].map((reference) => received(reference, "flights.book")),
  ],
  bookings: [booking("b1a", "ONE"), booking("b2a", "TWO")],
  rows: {
    before: [row("b1a", "booked", "ONE"), row("b2a", "unknown")],
    after: [row("b1a", "booked", "ONE"), row("b2a", "booked", "TWO")],
  },
  payouts: [
    { reference: "p1", store: "postgres" },
    { reference: "p2", store: "redis" },
  ],
  deliveries: [
    { reference: "p1", statuses },
    { reference: "p2", statuses },
  ],
  effects: [effect("postgres", "p1"), effect("redis", "p2")],
  struck: [],
  suspensions: [],
};

/** The rows that are broken. */
const broken = (change: Partial<Truth> = {}): string[] => {
  const truth = { ...kept, ...change };
  const accounts = [accountForCalls, accountForBookings, accountForPayouts, accountForProcesses];
  return accounts.flatMap((accountFor) => accountFor(truth).filter(isBroken)).map(({ what }) => what);
};
const counted = (what: string, change: Partial<Truth>): number | undefined =>
  accountForPayouts({ ...kept, ...change }).find((account) => account.what === what)?.count;
const withEntries = (...entries: readonly Entry[]): readonly Ledger[] => [
  { ...steady, entries: [...steady.entries, ...entries] },
  killed,
];

describe("the accounts of the soak", () => {
  it("balance if every promise was kept", () => {
    expect(broken()).toEqual([]);
  });

  it.each<[what: string, change: Partial<Truth>]>([
    ["… without an outcome for any other reason", { ledgers: withEntries(call("verify", "v4")) }],
    [
      "… without an outcome for any other reason",
      { exits: [{ process: "w1n2", at: 1, how: "hung" }, ...kept.exits.slice(1)] },
    ],
    ["reported as not sent, but received by the service", { received: [...kept.received, received("v2")] }],
    [
      "reported as done or refused, but not received",
      { received: kept.received.filter(({ reference }) => reference !== "a1") },
    ],
    ["requests beyond the attempts that were reported", { received: [...kept.received, received("s1")] }],
    ["requests received that no worker began", { received: [...kept.received, received("nobody's")] }],
    [
      "… not known to any journal",
      { rows: { ...kept.rows, before: [row("b1a", "booked", "ONE"), row("b2a", "rejected")] } },
    ],
    [
      "… not recorded after the clean-up",
      { rows: { ...kept.rows, after: [row("b1a", "booked", "ONE"), row("b2a", "booked", "OTHER")] } },
    ],
    [
      "rows booked or open after the clean-up, without a booking",
      { rows: { ...kept.rows, after: [...kept.rows.after, row("b3a", "unknown")] } },
    ],
    [
      "references whose booking was sent at least twice",
      { received: [...kept.received, received("b1a", "flights.book")] },
    ],
    ["reported as refused or not sent, but booked", { ledgers: withEntries(end("b2a", "rejected")) }],
    ["reported as booked, but not under that PNR", { bookings: [booking("b1a", "OTHER"), booking("b2a", "TWO")] }],
    ["postgres: acknowledged without an effect", { effects: [effect("redis", "p2")] }],
    ["redis: no effect after the last redelivery", { effects: [effect("postgres", "p1")] }],
    ["postgres: effect at least twice", { effects: [...kept.effects, effect("postgres", "p1", 2_000)] }],
    ["redis: effect again, for any other reason", { effects: [...kept.effects, effect("redis", "p2", 6_000)] }],
    [
      "workers that crashed, by an unhandled rejection for example",
      { exits: [...kept.exits, { process: "w2n3", at: 1, how: "crashed" }] },
    ],
    [
      "workers kept alive by a timer or a socket after the close",
      { exits: [...kept.exits, { process: "w2n3", at: 1, how: "hung" }] },
    ],
    ["heap of one worker that grew beyond its journal", { ledgers: withEntries(...heap(40, 41, 42, 43)) }],
    ["calls begun", { ledgers: [] }],
    ["postgres: payouts", { payouts: kept.payouts.slice(1) }],
  ])("show %s", (what, change) => {
    expect(broken(change)).toContain(what);
  });

  it("show an order that was booked under two references", () => {
    const bookings = [...kept.bookings, booking("b1b", "THREE")];
    expect(broken({ bookings })).toContain("orders booked at least twice");
  });
});

describe("an effect that happened again with Redis", () => {
  const again = [...kept.effects, effect("redis", "p2", 6_000)];
  const uncommitted = [steady, { ...killed, entries: killed.entries.slice(0, 1) }];
  const fault = (redis: "outage" | "failover" | "eviction", from: number, to: number) => ({
    struck: [{ name: redis, redis, from, to }],
  });

  it.each<[reason: string, change: Partial<Truth>]>([
    ["process killed between effect and commit", { ledgers: uncommitted }],
    [
      "process suspended beyond the lease",
      { ledgers: uncommitted, exits: [], suspensions: [{ name: "w1n2", from: 500, to: 5_800 }] },
    ],
    ["Redis away at the commit, beyond the lease", { ledgers: uncommitted, exits: [], ...fault("outage", 900, 4_000) }],
    ["latest writes lost in a failover", fault("failover", 1_500, 3_000)],
    ["claim evicted", fault("eviction", 3_000, 4_000)],
    [
      "claim evicted",
      {
        ledgers: [steady, { ...killed, entries: [{ type: "commit", reference: "p2", at: 6_100 }] }],
        exits: [],
        ...fault("eviction", 100, 900),
      },
    ],
    [
      "handler lost its database and did not learn of its effect",
      { ledgers: [steady, { ...killed, entries: [{ type: "threw", reference: "p2", at: 1_100 }] }] },
    ],
  ])("is explained: %s", (reason, change) => {
    expect(counted(`redis: effect again, ${reason}`, { effects: again, ...change })).toBe(1);
  });

  it.each<[reason: string, change: Partial<Truth>]>([
    ["a kill after the commit", {}],
    ["an outage after the commit", fault("outage", 1_200, 3_000)],
    ["a failover long after the commit", fault("failover", 4_000, 5_000)],
    ["an eviction before the commit", fault("eviction", 100, 900)],
    ["the kill of another process", { ledgers: uncommitted, exits: [{ process: "w2n9", at: 2_000, how: "killed" }] }],
  ])("is not explained by %s", (_, change) => {
    expect(counted("redis: effect again, for any other reason", { effects: again, ...change })).toBe(1);
  });
});

it("the accounts list each fault, also one that did not strike", () => {
  const struck = [{ name: "one", redis: undefined, from: 0, to: 1 }];
  expect(accountForFaults({ ...kept, struck }, ["one", "two"]).map(({ count }) => count)).toEqual([1, 0]);
});
