import { describe, expect, it } from "vitest";
import { isBroken } from "../../scripts/soak/accounts/account.ts";
import { accountForBookings } from "../../scripts/soak/accounts/bookings.ts";
import { accountForCalls } from "../../scripts/soak/accounts/calls.ts";
import { accountForPayouts } from "../../scripts/soak/accounts/payouts.ts";
import { accountForFaults, accountForHeaps, accountForProcesses } from "../../scripts/soak/accounts/processes.ts";
import { acknowledgedBy, type Hit, type Strike, type Truth } from "../../scripts/soak/accounts/truth.ts";
import { endOf } from "../../scripts/soak/fleet.ts";
import type { CallEnd, CallKind, Effect, Entry, Ledger, StoreName } from "../../scripts/soak/ledger.ts";
import type { JournalRow } from "../../src/flights/index.ts";

const MB = 1_048_576;
const end = (reference: string, outcome: CallEnd["outcome"], more: Partial<CallEnd> = {}): Entry => {
  const name = outcome === "done" ? "ok" : "AnError";
  return { type: "outcome", reference, outcome, name, attempts: outcome === "notSent" ? 0 : 1, ...more };
};
const call = (kind: CallKind, reference: string): Entry => ({ type: "call", kind, reference });
/** Samples of a heap, of which the journal's rows take as many bytes as its file has. */
const heap = (sizes: readonly number[], journal: readonly number[] = []): Entry[] =>
  sizes.map((size, i) => ({ type: "heap", bytes: size * MB, fileSize: (journal[i] ?? 0) * MB }));
const steps = (size: number, step: number) => Array.from({ length: 60 }, (_, i) => size + i * step);
/** Calls after which a heap is warm. */
const warm = (process: string): Entry[] =>
  Array.from({ length: 500 }, (_, i) => [call("ask", `${process}x${i}`), end(`${process}x${i}`, "unknown")]).flat();

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
/** An effect under a claim that was made at a time. */
const effect = (store: StoreName, payout: string, claimedAt = 1_000, phase: Effect["phase"] = "during"): Effect => ({
  ...{ store, payout, process: "w1n2", status: "SUCCESS", claim: `${claimedAt}000`, phase },
});
const committed = (from: number, to: number, claimedAt = 1_000, isComplete = true): Entry => ({
  ...{ type: "commit", reference: "p2", claim: `${claimedAt}000`, from, to, isComplete },
});
const committing = (reference: string, from: number): Entry => ({
  ...{ type: "committing", reference, claim: "1000000", from },
});
const threw = (store: StoreName): Entry => ({ type: "refused", store });
const stalled = (store: StoreName): Entry => ({ type: "stalled", store });
const strike = (hit: Partial<Strike>): Partial<Truth> => ({
  strikes: [{ ...{ name: "a fault", from: 0, to: 0, isOutage: false, hits: 1 }, ...hit }],
});

const steady: Ledger = {
  process: "w0n1",
  entries: [
    ...[call("verify", "v1"), end("v1", "done"), call("ask", "a1"), end("a1", "rejected")],
    ...[call("stream", "s1"), end("s1", "unknown"), call("verify", "v2"), end("v2", "notSent")],
    ...[call("book", "b1a"), end("b1a", "done", { pnr: "ONE" }), call("book", "b2a"), end("b2a", "unknown")],
    ...[threw("postgres"), threw("redis"), threw("memory"), stalled("postgres"), stalled("redis"), stalled("memory")],
    committing("p1", 1_000),
    committing("p3", 1_000),
    ...warm("w0n1"),
    ...heap(steps(30, 0.2), steps(0, 0.2)),
    { type: "journal", bytes: 4 * MB, fileSize: 4 * MB },
  ],
};
const killed: Ledger = {
  process: "w1n2",
  entries: [call("verify", "v3"), committing("p2", 1_100), committed(1_100, 1_110)],
};
const statuses = ["none", "FAILED", "SUCCESS", "DUPLICATE"] as const;

/** A soak in which every promise was kept. */
const kept: Truth = {
  plan: { stores: ["postgres", "redis", "memory"], clocksAgree: true },
  orders: ["b1", "b2"],
  cleaned: 1,
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
    { reference: "p1", store: "postgres", status: "SUCCESS" },
    { reference: "p2", store: "redis", status: "SUCCESS" },
    { reference: "p3", store: "memory", status: "SUCCESS" },
  ],
  deliveries: [
    { reference: "p1", statuses },
    { reference: "p2", statuses },
    { reference: "p3", statuses },
  ],
  acknowledgements: [
    { reference: "p1", isFirst: true, at: 1_100 },
    { reference: "p2", isFirst: true, at: 1_110 },
    { reference: "p2", isFirst: false, at: 1_100 },
    { reference: "p3", isFirst: true, at: 1_100 },
  ],
  effects: [effect("postgres", "p1"), effect("redis", "p2"), effect("memory", "p3")],
  strikes: [],
};

/** The rows that are broken. */
const broken = (change: Partial<Truth> = {}): string[] => {
  const truth = { ...kept, ...change };
  const heaps = (given: Truth) => accountForHeaps(given, 10);
  const accounts = [accountForCalls, accountForBookings, accountForPayouts, accountForProcesses, heaps];
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
    [
      "requests beyond the attempts that were reported",
      { received: [...kept.received, ...Array.from({ length: 49 }, () => received("v1"))] },
    ],
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
    ["orders never booked", { orders: [...kept.orders, "b3"] }],
    ["rows closed while bookings were made", { cleaned: 0 }],
    ["reported as refused or not sent, but booked", { ledgers: withEntries(end("b2a", "rejected")) }],
    ["reported as booked, but not under that PNR", { bookings: [booking("b1a", "OTHER"), booking("b2a", "TWO")] }],
    ["postgres: acknowledged without an effect", { effects: [effect("redis", "p2")] }],
    ["redis: no effect after the last redelivery", { effects: [effect("postgres", "p1")] }],
    ["memory: no effect after the last redelivery", { effects: [effect("postgres", "p1")] }],
    ["postgres: effect at least twice", { effects: [...kept.effects, effect("postgres", "p1", 2_000)] }],
    ["memory: effect at least twice", { effects: [...kept.effects, effect("memory", "p3", 2_000)] }],
    ...(["postgres", "redis", "memory"] as const).map((store) => {
      const again = effect(store, `p${["postgres", "redis", "memory"].indexOf(store) + 1}`, 9_000, "settled");
      return [
        `${store}: effect again after 100 days, with \`settled\``,
        { effects: [...kept.effects, again] },
      ] satisfies [string, Partial<Truth>];
    }),
    ["postgres: … without it", { effects: [...kept.effects, effect("postgres", "p1", 9_000, "unsettled")] }],
    ["redis: acknowledged before the commit", { acknowledgements: [{ reference: "p2", isFirst: true, at: 1_109 }] }],
    ["redis: acknowledged before the commit", { acknowledgements: [{ reference: "p2", isFirst: false, at: 1_099 }] }],
    ["postgres: acknowledged before the commit", { acknowledgements: [{ reference: "p1", isFirst: true, at: 999 }] }],
    [
      "redis: acknowledged before the commit",
      {
        ledgers: [
          steady,
          { ...killed, entries: [...killed.entries.slice(0, 2), committed(1_100, 1_110, 1_000, false)] },
        ],
      },
    ],
    ["redis: effect again, for any other reason", { effects: [...kept.effects, effect("redis", "p2", 7_000)] }],
    [
      "redis: responses that the service does not accept",
      { deliveries: [...kept.deliveries, { reference: "p2", statuses: ["invalid"] }] },
    ],
    [
      "postgres: effect of another status than that of the payout",
      { payouts: kept.payouts.map((payout) => ({ ...payout, status: "FAILED" })) },
    ],
    [
      "redis: handlers that threw before their effect",
      {
        ledgers: kept.ledgers.map((one) => ({ ...one, entries: one.entries.filter(({ type }) => type !== "refused") })),
      },
    ],
    [
      "redis: handlers that stalled past the deadline",
      {
        ledgers: kept.ledgers.map((one) => ({ ...one, entries: one.entries.filter(({ type }) => type !== "stalled") })),
      },
    ],
    ["redis: payouts whose claim was not evicted", strike({ evicted: [{ reference: "p2", from: 8_000, to: 8_020 }] })],
    [
      "workers that crashed, by an unhandled rejection for example",
      { exits: [...kept.exits, { process: "w2n3", at: 1, how: "crashed" }] },
    ],
    [
      "workers kept alive by a timer or a socket after the close",
      { exits: [...kept.exits, { process: "w2n3", at: 1, how: "hung" }] },
    ],
    [
      "… whose heap grew by more than the journal",
      { ledgers: [...kept.ledgers, { process: "w1n1", entries: [...warm("w1n1"), ...heap(steps(30, 0.2))] }] },
    ],
    ["calls begun", { ledgers: [] }],
    ["postgres: payouts", { payouts: kept.payouts.slice(1) }],
    ["workers killed", { exits: kept.exits.slice(1) }],
    ["bookings made by the service", { bookings: [] }],
  ])("show %s", (what, change) => {
    expect(broken(change)).toContain(what);
  });

  it("allow repeats after 100 days if the store has forgotten, and the order is not settled", () => {
    const forgotten = [effect("redis", "p2", 9_000, "unsettled"), effect("memory", "p3", 9_000, "unsettled")];
    expect(broken({ effects: [...kept.effects, ...forgotten] })).toEqual([]);
  });

  it("allow open bookings that block an order if clocks jump", () => {
    const change = { orders: [...kept.orders, "b3"], cleaned: 0 };
    expect(broken({ ...change, plan: { ...kept.plan, clocksAgree: false } })).toEqual([]);
  });

  it("show an order that was booked under two references", () => {
    const bookings = [...kept.bookings, booking("b1b", "THREE")];
    expect(broken({ bookings })).toContain("orders booked at least twice");
  });
});

describe("an effect that happened again with Redis", () => {
  /** The lease of the first claim, made at 1,000, runs out at 6,000. */
  const again = [...kept.effects, effect("redis", "p2", 7_000)];
  const ending = (...entries: readonly Entry[]) => [steady, { ...killed, entries }];
  const killedAt = (at: number, process = "w1n2"): Partial<Truth> => ({ exits: [{ process, at, how: "killed" }] });
  const uncommitted: Partial<Truth> = { ledgers: ending(), exits: [] };
  const evicted = (at: number, reference = "p2"): Partial<Truth> =>
    strike({ evicted: [{ reference, from: at, to: at + 20 }] });
  const suspended = (from: number, to: number, process = "w1n2"): Partial<Truth> => ({
    ...uncommitted,
    ...strike({ suspended: { process, from, to } }),
  });
  const lost = (from: number, to: number): Partial<Truth> => strike({ isOutage: true, from, to, lost: { from, to } });
  const outage = (from: number, to: number): Partial<Truth> => strike({ isOutage: true, from, to });
  const other = "for any other reason";

  it.each<[reason: string, when: string, change: Partial<Truth>]>([
    ["this claim evicted in between", "after its commit", evicted(6_000)],
    ["this claim evicted in between", "before its commit", { ...uncommitted, ...evicted(1_050) }],
    [other, "another claim was evicted", evicted(6_000, "p3")],
    [other, "evicted before the commit", evicted(1_050)],
    [other, "evicted before the claim", { ...uncommitted, ...evicted(900) }],
    [other, "evicted after the second effect", evicted(9_000)],
    ["claim or commit lost in a failover", "the commit", lost(1_105, 1_400)],
    ["claim or commit lost in a failover", "the claim", { ...uncommitted, ...lost(900, 1_050) }],
    [other, "a failover that lost what came after the commit", lost(1_200, 1_600)],
    [other, "a failover that lost what came before the claim", lost(500, 900)],
    ["process killed between claim and commit", "within the lease", { ...uncommitted, ...killedAt(1_080) }],
    [other, "killed after the commit", killedAt(1_200)],
    [other, "killed before the claim", { ...uncommitted, ...killedAt(900) }],
    [other, "killed after the lease", { ...uncommitted, ...killedAt(6_500) }],
    [other, "another process was killed", { ...uncommitted, ...killedAt(1_080, "w2n9") }],
    [
      other,
      "the next claim was made before the lease had run out",
      { ...uncommitted, ...killedAt(1_080), effects: [...kept.effects, effect("redis", "p2", 5_000)] },
    ],
    ["process suspended until the lease had run out", "for 6 s", suspended(1_050, 7_050)],
    [other, "suspended for less", suspended(1_050, 5_000)],
    [other, "suspended later", suspended(6_500, 12_500)],
    [other, "another process was suspended", suspended(1_050, 7_050, "w2n9")],
    [
      "Redis away between claim and commit, and the lease ran out",
      "until after the lease",
      { ...uncommitted, ...outage(1_050, 6_200) },
    ],
    [other, "Redis was away after the commit", outage(1_200, 3_000)],
    [other, "Redis was away before the claim", { ...uncommitted, ...outage(100, 900) }],
    [other, "Redis was away after the lease", { ...uncommitted, ...outage(6_100, 6_800) }],
  ])("is counted as %s: %s", (reason, _, change) => {
    expect(counted(`redis: effect again, ${reason}`, { effects: again, ...change })).toBe(1);
  });

  it("is committed by a later claim of the same process", () => {
    const ledgers = ending(committed(1_500, 1_510, 1_400));
    const truth = { effects: again, ledgers, ...killedAt(1_080) };
    expect(counted("redis: effect again, for any other reason", truth)).toBe(1);
  });

  it("is judged in the order of the claims", () => {
    const effects = [...again].reverse();
    const truth = { ...uncommitted, effects, ...killedAt(1_080) };
    expect(counted("redis: effect again, process killed between claim and commit", truth)).toBe(1);
  });
});

describe("the heap of a worker", () => {
  const leak = heap([...steps(30, 0), ...steps(32, 0)]);
  const grown = (heaps: readonly Entry[], before: readonly Entry[] = []) =>
    broken({ ledgers: [steady, killed, { process: "w1n1", entries: [...before, ...warm("w1n1"), ...heaps] }] });

  it("may grow with the journal, and be noisy", () => {
    expect(grown(heap(steps(30, 1), steps(0, 1)))).toEqual([]);
    expect(grown(heap(steps(30, 0).map((size, i) => size + (i % 3))))).toEqual([]);
  });

  it("may not grow otherwise", () => {
    expect(grown(leak)).toEqual(["… whose heap grew by more than the journal"]);
  });

  it("is not judged while it warms up, nor by a few samples", () => {
    expect(grown(heap(steps(30, 0)), heap(steps(10, 0.3)))).toEqual([]);
    expect(grown(leak.slice(40, 80))).toEqual([]);
  });

  it("is missed in a soak that is long enough for it", () => {
    const few = { ...kept, ledgers: [{ ...steady, entries: [...warm("w0n1"), ...leak.slice(0, 40)] }] };
    const missed = (minutes: number) => accountForHeaps(few, minutes).filter(isBroken).length;
    expect([missed(1), missed(10)]).toEqual([0, 1]);
  });
});

describe("a fault", () => {
  const hit = (name: string, hits: number, more: Partial<Hit> = {}): Strike => ({
    ...{ name, hits, from: 0, to: 1, isOutage: false, ...more },
  });

  it("is counted by its hits", () => {
    const strikes = [hit("one", 2), hit("two", 1), hit("one", 3)];
    expect(accountForFaults({ ...kept, strikes }, ["one", "two", "two"]).map(({ count }) => count)).toEqual([5, 1]);
  });

  it.each([
    ["never struck", [hit("one", 1)]],
    ["struck and hit nothing", [hit("one", 1), hit("two", 0), hit("two", 0)]],
  ])("is broken if it %s", (_, strikes) => {
    const accounts = accountForFaults({ ...kept, strikes }, ["one", "two"]);
    expect(accounts.filter(isBroken).map(({ what }) => what)).toEqual(["fault: two"]);
  });
});

describe("the end of a worker", () => {
  it("is a crash unless it ended as it was made to", () => {
    expect(endOf("killed", null, "SIGKILL")).toBe("killed");
    expect(endOf("killed", 1, null)).toBe("crashed");
    expect(endOf("killed", null, "SIGSEGV")).toBe("crashed");
    expect(endOf("closed", 0, null)).toBe("closed");
    expect(endOf("closed", 1, null)).toBe("crashed");
    expect(endOf("closed", null, "SIGKILL")).toBe("crashed");
    expect(endOf("hung", null, "SIGKILL")).toBe("hung");
    expect(endOf("crashed", null, "SIGKILL")).toBe("crashed");
  });
});

describe("an acknowledgement", () => {
  it("counts as the service takes it", () => {
    expect(acknowledgedBy({ httpStatus: 200, status: "SUCCESS", problem: undefined })).toBe("SUCCESS");
    expect(acknowledgedBy({ httpStatus: 200, status: "FAILED", problem: "acknowledged FAILED" })).toBe("FAILED");
    const none = { httpStatus: undefined, status: undefined };
    expect(acknowledgedBy({ ...none, problem: "no connection" })).toBe("none");
    expect(acknowledgedBy({ ...none, problem: "no response in time" })).toBe("late");
  });

  it("does not count as SUCCESS if the service refuses it", () => {
    for (const problem of ["acknowledged is not 1", "HTTP status is not 200", "body is not JSON"] as const) {
      expect(acknowledgedBy({ httpStatus: 200, status: "SUCCESS", problem })).toBe("invalid");
    }
  });
});
