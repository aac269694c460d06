import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import {
  type BookingState,
  conflictsWith,
  isOverdue,
  isPending,
  type JournalRow,
  memoryJournal,
} from "../../../src/flights/index.ts";
import { journalSuite } from "../../../src/flights/journal/journal-suite.ts";
import { testBookedRow } from "./booked-row.ts";
import { compareWithModel, expectModel } from "./conformance.ts";
import { other, row } from "./rows.ts";

describe("memoryJournal", () => {
  for (const { name, run } of journalSuite(() => memoryJournal())) it(name, run);
  testBookedRow(() => memoryJournal());

  it("is the model in which bookings are explored, after all sequences of three operations", () =>
    expectModel(memoryJournal(), 3));

  it("would not be it if its settlements did not compare", async () => {
    const journal = memoryJournal();
    const settle: typeof journal.settle = async (one) =>
      journal.settle(one, (await journal.get(one.attemptId))?.state as "sent");
    const { differences } = await compareWithModel({ ...journal, settle }, 3);
    expect(differences[0]).toContain(": result 2 is true, and not false");
  });

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

  const invalid: Readonly<Record<keyof JournalRow, readonly unknown[]>> = {
    attemptId: ["", 5],
    clientReferenceId: [5],
    traceId: [5],
    searchToken: [5],
    token: [5],
    result: [-1, 0.5, "0"],
    fingerprint: [5],
    state: ["open", ["sent"]],
    at: ["1", Number.NaN],
    sentAt: ["1", Number.POSITIVE_INFINITY, 1e300],
    responseDueBy: ["1", undefined],
    forced: ["true"],
    reason: [5],
    pnr: [5],
    pnrs: ["ABC123", [5], ["ABC123", 5]],
    flights: ["6E 302 DEL-BOM", [5]],
    offers: ["0a1b2c3d", [5]],
    order: [5],
    bookingId: [5],
    summary: [5],
    isConfirmed: ["true"],
    isAboveLimit: ["true"],
    lastTicketDate: [5],
    price: ["7480", { amount: "7480" }, { amount: "much", currency: "INR" }],
  };
  it.each(Object.entries(invalid).flatMap(([name, values]) => values.map((value) => ({ [name]: value }))))(
    "refuses a row with %j",
    async (changes) => {
      expect(() => memoryJournal([{ ...row(), ...changes } as JournalRow])).toThrow(/is not a JournalRow/);
      await expect(memoryJournal().settle({ ...row(), ...changes } as JournalRow, "sent")).rejects.toThrow(
        /^memoryJournal: .*is not a JournalRow/,
      );
    },
  );

  it("reads the earliest and the latest time that a Date can have", async () => {
    const edges = row({ at: 8.64e15, sentAt: -8.64e15 });
    expect(await memoryJournal([edges]).get("attempt-1")).toEqual(edges);
  });

  it("finds the rows of one reference, oldest first", async () => {
    const first = row({ attemptId: "attempt-0", state: "rejected", sentAt: 0 });
    expect(await memoryJournal([row(), other(), first]).find("order-1")).toEqual([first, row()]);
  });

  it("keeps each field of a row, and nothing else", async () => {
    const full: JournalRow = {
      ...row({ state: "booked", result: 0 }),
      forced: false,
      reason: "timeout",
      pnr: "ABC123",
      pnrs: ["ABC123", "DEF456"],
      bookingId: "4711",
      flights: ["ZZ 101 DEL-BOM 2027-02-12 06:15"],
      isAboveLimit: false,
    };
    const journal = memoryJournal([{ ...full, passengers: [] } as JournalRow]);
    expect(await journal.get(full.attemptId)).toEqual(full);
  });

  it.each([[5], [undefined], [null]])("has no row of the key %j", async (key) => {
    const journal = memoryJournal();
    await expect(journal.get(key as never)).rejects.toThrow(/^memoryJournal: `attemptId` must be a string/);
    await expect(journal.find(key as never)).rejects.toThrow(/^memoryJournal: `clientReferenceId` must be a string/);
  });

  it("does not claim what is not a row", async () => {
    const journal = memoryJournal();
    await expect(journal.claim({ ...row(), state: "open" } as unknown as JournalRow, {})).rejects.toThrow(
      /^memoryJournal: .*JournalRow/,
    );
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

  const ofSearch = { traceId: "trace-1", searchToken: "OB1[DEMO]" };
  it.each<[string, Partial<JournalRow>, string | undefined]>([
    ["nothing in common", {}, undefined],
    ["the same quote token", { token: "FQ1[DEMO]" }, "token"],
    ["the same flights of the same search result", { ...ofSearch, result: 1, fingerprint: "0a1b2c3d.1" }, "offer"],
    ["other flights of the same search result", ofSearch, "offer"],
    ["the same result, whose flights cannot be read", { ...ofSearch, fingerprint: "" }, "offer"],
    ["another result, whose flights cannot be read", { ...ofSearch, result: 1, fingerprint: "" }, "offer"],
    ["a result that was beside another one", { ...ofSearch, offers: ["1", "2"] }, "offer"],
    ["the flights of a row of the same search, for others", { traceId: "trace-1", fingerprint: "0a1b2c3d.9" }, "offer"],
    ["another flight of the same search", { traceId: "trace-1" }, undefined],
    ["the same search token in another search", { searchToken: "OB1[DEMO]" }, undefined],
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

describe("anything but a row", () => {
  it.each([[null], [5], [{}], [{ state: 5 }]])("%j is refused, by name", (value) => {
    const odd = value as never;
    expect(() => conflictsWith(odd, row())).toThrow("conflictsWith: the row is not a JournalRow.");
    expect(() => conflictsWith(row(), odd)).toThrow(/^conflictsWith: /);
    expect(() => isPending(odd)).toThrow(ConfigurationError);
    expect(() => isPending(odd)).toThrow(/^isPending: /);
    expect(() => isOverdue(odd)).toThrow(/^isOverdue: /);
  });

  it("such as one without the time of its response is not overdue or in time", () => {
    expect(() => isOverdue({ ...row(), responseDueBy: undefined } as never)).toThrow(/^isOverdue: the row is not/);
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
