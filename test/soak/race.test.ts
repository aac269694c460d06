import { describe, expect, it } from "vitest";
import { isBroken } from "../../scripts/accounts.ts";
import { accountForRace, type Findings } from "../../scripts/race/accounts.ts";
import { accountForOrders, type FoundOrders } from "../../scripts/race/bookings/race.ts";
import { endOf } from "../../scripts/race/processes.ts";

/** A race in which every promise was kept. */
const kept: Findings = {
  store: "redis",
  references: ["r1", "r2"],
  counts: {
    ...{ "handler runs": 9, "handlers that threw": 1, "handlers that stalled": 1, "processes killed": 1 },
    ...{ "acknowledged SUCCESS": 2, "acknowledged DUPLICATE": 4, "acknowledged FAILED": 1 },
  },
  effects: new Map([
    ["r1", 1],
    ["r2", 2],
  ]),
  open: [{ reference: "r2", pid: 7 }],
  killed: new Set([7]),
  later: { settled: 0, unguarded: 2 },
};
const broken = (change: Partial<Findings> = {}) =>
  accountForRace({ ...kept, ...change })
    .filter(isBroken)
    .map(({ what }) => what);
const counting = (counts: Findings["counts"]): Partial<Findings> => ({ counts: { ...kept.counts, ...counts } });

describe("the accounts of the race", () => {
  it("balance if every promise was kept", () => {
    expect(broken()).toEqual([]);
  });

  it.each<[what: string, change: Partial<Findings>]>([
    ["processes that crashed", counting({ "processes crashed": 1 })],
    ["processes killed", counting({ "processes killed": 0 })],
    ["… that threw", counting({ "handlers that threw": 0 })],
    ["… that stalled past the deadline", counting({ "handlers that stalled": 0 })],
    ["acknowledged too late", counting({ "acknowledged too late": 1 })],
    ["acknowledged before the commit", counting({ "acknowledged before the commit": 1 })],
    ["references lost", { effects: new Map([["r1", 1]]) }],
    ["effects twice for any other reason", { open: [] }],
    ["effects twice for any other reason", { open: [{ reference: "r1", pid: 7 }] }],
    ["effects twice for any other reason", { killed: new Set([8]) }],
    ["effects twice, where the process was killed between effect and commit", { store: "postgres" }],
    ["effects again after 100 days, with `settled`", { later: { settled: 1, unguarded: 2 } }],
    ["… without it", { store: "postgres" }],
  ])("show %s", (what, change) => {
    expect(broken(change)).toContain(what);
  });
});

describe("the end of a process in the race", () => {
  it("is a kill only by SIGKILL, and a crash otherwise", () => {
    expect(endOf(null, "SIGKILL", false)).toBe("killed");
    expect(endOf(1, null, false)).toBe("crashed");
    expect(endOf(0, null, false)).toBe("crashed");
    expect(endOf(null, "SIGSEGV", false)).toBe("crashed");
  });

  it("is a crash while it stops if it fails then", () => {
    expect(endOf(0, null, true)).toBe("stopped");
    expect(endOf(1, null, true)).toBe("crashed");
  });
});

describe("the race of the bookings", () => {
  const kept: FoundOrders = {
    orders: ["o1", "o2"],
    counts: { "processes killed": 3, "client: booked": 9, "client: TimeoutError": 2 },
    bookings: new Map([
      ["o1", ["r1"]],
      ["o2", ["r2"]],
    ]),
    ...{ lost: [], unrecorded: [] },
  };
  const broken = (change: Partial<FoundOrders> = {}) =>
    accountForOrders({ ...kept, ...change })
      .filter(isBroken)
      .map(({ what }) => what);

  it("is not broken if every promise was kept", () => {
    expect(broken()).toEqual([]);
  });

  it.each<[what: string, change: Partial<FoundOrders>]>([
    ["processes crashed", { counts: { ...kept.counts, "processes crashed": 1 } }],
    ["orders booked twice", { bookings: new Map([...kept.bookings, ["o1", ["r1", "r3"]]]) }],
    ["orders never booked", { bookings: new Map([["o1", ["r1"]]]) }],
    ["bookings lost", { lost: ["r1"] }],
    ["bookings not recorded after the clean-up", { unrecorded: ["r1"] }],
  ])("is broken by %s", (what, change) => {
    expect(broken(change)).toEqual([what]);
  });

  it.each(["processes killed", "client: booked"])("shows nothing without %s", (what) => {
    expect(broken({ counts: { ...kept.counts, [what]: 0 } })).toEqual([what]);
  });
});
