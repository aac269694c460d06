import { describe, expect, it } from "vitest";
import {
  type BookingState,
  conflictsWith,
  isOverdue,
  isPending,
  type JournalRow,
  memoryJournal,
} from "../../../src/flights/index.ts";
import { journalSuite } from "../../../src/flights/journal/journal-suite.ts";
import { other, row } from "./rows.ts";

describe("memoryJournal", () => {
  for (const { name, run } of journalSuite(() => memoryJournal())) it(name, run);

  it("begins with the rows that it is passed", async () => {
    const journal = memoryJournal([row(), other({ state: "booked" })]);
    expect(await journal.pending()).toEqual([row()]);
    expect(await journal.claim(row({ attemptId: "attempt-9" }), {})).toEqual(row());
  });

  it.each([[5], [[null]], [[{}]], [[{ ...row(), state: "sEnt" }]], [[{ ...row(), at: Number.NaN }]]])(
    "%j are not rows",
    (rows: unknown) => {
      expect(() => memoryJournal(rows as JournalRow[])).toThrow(/^memoryJournal: /);
    },
  );

  it("does not claim what is not a row", async () => {
    const journal = memoryJournal();
    await expect(journal.claim({ ...row(), state: "open" } as unknown as JournalRow, {})).rejects.toThrow(/JournalRow/);
  });
});

describe("rows that conflict with a booking", () => {
  it.each<[BookingState, string | undefined]>([
    ["sent", "reference"],
    ["booked", "reference"],
    ["unknown", "reference"],
    ["rejected", undefined],
  ])("the same reference that is %s: %s", (state, expected) => {
    expect(conflictsWith(row({ state }), row())).toBe(expected);
    expect(conflictsWith(row({ state }), row(), { force: true })).toBe(expected);
  });

  it.each<[string, Partial<JournalRow>, string | undefined]>([
    ["nothing in common", {}, undefined],
    ["the same quote token", { token: "FQ1[DEMO]" }, "token"],
    ["the same offer under a fresh quote", { traceId: "trace-1", searchToken: "OB1[DEMO]" }, "offer"],
    ["another result of the same quote", { traceId: "trace-1", searchToken: "OB1[DEMO]", result: 1 }, undefined],
    ["another flight of the same search", { traceId: "trace-1" }, undefined],
    ["the same journey after another search", { fingerprint: "0a1b2c3d" }, "passengers"],
  ])("%s: %s", (_case, changes, expected) => {
    const earlier = other({ state: "unknown", ...changes });
    expect(conflictsWith(earlier, row())).toBe(expected);
    expect(conflictsWith(earlier, row(), { force: true })).toBeUndefined();
  });

  it("rows without a fingerprint are not about the same journey", () => {
    expect(conflictsWith(other({ fingerprint: "" }), row({ fingerprint: "" }))).toBeUndefined();
  });
});

describe("a pending row", () => {
  it("can be looked up once no response can arrive", () => {
    expect(isOverdue(row({ responseDueBy: 10 }), { now: () => 9 })).toBe(false);
    expect(isOverdue(row({ responseDueBy: 10 }), { now: () => 10 })).toBe(true);
    expect(isOverdue(row({ responseDueBy: 10, state: "unknown" }), { now: () => 9 })).toBe(false);
    expect(isOverdue(row({ responseDueBy: 10, state: "booked" }), { now: () => 11 })).toBe(false);
    expect(isOverdue(row())).toBe(true);
  });

  it("does not depend on an index, nor on a broken clock", () => {
    expect(() => [row()].filter(isOverdue as unknown as (row: JournalRow) => boolean)).toThrow(
      "isOverdue: the options must be an object.",
    );
    expect(() => isOverdue(row(), { now: () => Number.NaN })).toThrow(
      "isOverdue: `now` must return a finite number of milliseconds",
    );
  });

  it.each<[BookingState, boolean]>([
    ["sent", true],
    ["unknown", true],
    ["booked", false],
    ["rejected", false],
  ])("%s: %s", (state, expected) => {
    expect(isPending(row({ state }))).toBe(expected);
  });
});
