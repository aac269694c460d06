import { beforeAll, describe, expect, it, vi } from "vitest";
import { BookingAttempt } from "../../../src/flights/checkout/attempt.ts";
import { type Bounds, expectViolation, explore, isDeep, timeout } from "../../support/explorer/explore.ts";
import type { Planned, Planted } from "./explorer/process.ts";
import { BookingWorld } from "./explorer/world.ts";
import { passengers, quotedTrip } from "./support.ts";

const book = (process: number, more: Partial<Planned> = {}): Planned => ({ process, does: "book", ...more });
const closeRows = (process: number): Planned => ({ process, does: "closeRows" });
const order = { reference: "order-17" };

const plans = {
  "two tabs of one process": [book(0), book(0)],
  "a double click": [book(0), { process: 0, does: "bookAgain", on: 0 }],
  "two processes, with the number of one order": [book(0, order), book(1, order)],
  "two processes, after two searches": [book(0), book(1, { search: "U" })],
  "a trip that is resumed and booked again": [book(0), { process: 1, does: "resumeAndBook", on: 0 }],
  "a booking, and somebody who closes rows": [book(0), closeRows(1)],
  "a booking, and somebody who closes the trip": [book(0), { process: 1, does: "closeTrip", on: 0 }],
  "a booking, and two who close rows": [book(0), closeRows(1), closeRows(2)],
  "a booking, somebody who closes rows, and another booking": [book(0), closeRows(1), book(1)],
} satisfies Record<string, readonly Planned[]>;
const tabs = plans["two processes, with the number of one order"];
const people: readonly Planned[] = plans["a booking, and somebody who closes rows"];

const calm = { faults: 0, ticks: 0 };
const fault = { faults: 1, ticks: 0 };
const tick = { faults: 0, ticks: 1 };
const both = { faults: 1, ticks: 1 };

beforeAll(async () => {
  // The modules that are imported on the way are there from now on.
  const { trip } = await quotedTrip();
  await trip.book({ passengers });
});

describe("all that can happen to a booking, in each order: no second one, and none that is lost", () => {
  it.each<[keyof typeof plans, readonly Bounds[], readonly Bounds[], number]>([
    ["two tabs of one process", [calm], [fault, tick, both], 240],
    ["a double click", [calm], [fault, tick, both], 470],
    ["two processes, with the number of one order", [fault], [tick, both], 2_600],
    ["two processes, after two searches", [calm], [fault, tick, both], 240],
    ["a trip that is resumed and booked again", [calm], [fault, tick, both], 260],
    ["a booking, and somebody who closes rows", [fault, tick], [both], 5_600],
    ["a booking, and somebody who closes the trip", [fault], [tick, both], 1_800],
    ["a booking, and two who close rows", [calm], [fault], 2_040],
    ["a booking, somebody who closes rows, and another booking", [calm], [fault], 3_580],
  ])("%s", { timeout }, async (name, near, far, atLeast) => {
    let states = 0;
    for (const bounds of isDeep ? [...near, ...far] : near) {
      const found = await explore(
        new BookingWorld(plans[name], { areCredentialsSlow: plans[name] === people }),
        bounds,
      );
      if (isDeep) console.log(name, bounds, found.states, found.transitions, found.endings.size);
      states += found.states;
    }
    expect(states).toBeGreaterThan(atLeast);
  });
});

describe("it finds", () => {
  const steps = BookingAttempt.prototype;

  it.each<[string, Planted, readonly Planned[], typeof fault, string]>([
    [
      "a claim of two steps",
      {
        journal: ({ conflict, claim }) => ({
          claim: async (row, options) =>
            (await conflict(row, options)) ?? claim({ ...row, clientReferenceId: row.attemptId }, { force: true }),
        }),
      },
      tabs,
      fault,
      "a second booking",
    ],
    [
      "a claim that is granted before it is written",
      { journal: ({ claim }) => ({ claim: async (row, options) => void claim(row, options) }) },
      tabs,
      fault,
      "a second booking",
    ],
    [
      "a settlement from any state",
      {
        settle: (model, row, from) => model.settle(row, (model.get(row.attemptId)?.state ?? from) as typeof from),
      },
      people,
      tick,
      "a row that was booked is",
    ],
    [
      "a settlement that is lost",
      { journal: () => ({ settle: async () => true }) },
      people,
      fault,
      "booked, not recorded, and no warning says so",
    ],
    [
      "a list of open rows without the unknown ones",
      {
        journal: ({ pending }) => ({ pending: async () => (await pending()).filter(({ state }) => state === "sent") }),
      },
      people,
      fault,
      "in the end",
    ],
    [
      "an unknown outcome that becomes a refusal",
      {
        journal: ({ settle }) => ({
          settle: (row, from) => settle({ ...row, state: row.state === "unknown" ? "rejected" : row.state }, from),
        }),
      },
      people,
      fault,
      "is rejected",
    ],
  ])("a journal with %s", { timeout }, async (_case, planted, plan, bounds, violation) => {
    await expectViolation(violation, new BookingWorld(plan, planted), bounds);
  });

  const takesLostForRefused: Planted["fetch"] = (fetch) => (url, init) =>
    fetch(url, init).catch(() => {
      const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
      throw new TypeError("fetch failed", { cause });
    });
  const refusesNothing: Planted["journal"] = ({ settle }) => ({
    settle: (row, from) => settle({ ...row, state: row.state === "rejected" ? "unknown" : row.state }, from),
  });
  it.each<[string, Planted, string]>([
    ["is sent again", { fetch: (fetch) => (url, init) => fetch(url, init).catch(() => fetch(url, init)) }, "a second"],
    ["is taken for a refused one", { fetch: takesLostForRefused }, "is rejected"],
    ["is told as such", { fetch: takesLostForRefused, journal: refusesNothing }, "notSent, though booked"],
  ])("a lost connection that %s", { timeout }, async (_case, planted, violation) => {
    await expectViolation(violation, new BookingWorld(people, planted), fault);
  });

  it("a clock that is five minutes fast", { timeout }, async () => {
    const now = (time: number, process: number) => time + process * 300_000;
    await expectViolation("is rejected", new BookingWorld(people, { now }), fault);
  });

  it.each<[string, () => void, typeof fault, string]>([
    ["claims nothing", () => vi.spyOn(steps, "claim").mockResolvedValue(), fault, "missing"],
    ["does not record a booking", () => vi.spyOn(steps, "record").mockResolvedValue(), fault, "no warning"],
    ["sends however late it is", () => vi.spyOn(steps, "timeLeft").mockReturnValue(240_000), tick, "is rejected"],
  ])("a checkout that %s", { timeout }, async (_case, plant, bounds, violation) => {
    plant();
    await expectViolation(violation, new BookingWorld(people, { areCredentialsSlow: true }), bounds);
  });
});
