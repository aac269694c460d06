import { describe, expect, it } from "vitest";
import { type BookingJournal, type JournalRow, memoryJournal } from "../../../src/flights/index.ts";
import { adopt } from "../../../src/flights/journal/reconcile.ts";
import { other, row } from "./rows.ts";

describe("a row that only a saved trip knows", () => {
  it("is written as it is saved, even by a journal that retries a claim and finds its own row", async () => {
    const kept = memoryJournal();
    const claim: BookingJournal["claim"] = async (claimed, options) => {
      await kept.claim(claimed, options); // its reply is lost
      return kept.claim(claimed, options);
    };
    const saved = row({ state: "unknown", reason: "connection" });
    expect(await adopt({ ...kept, claim }, saved)).toEqual(saved);
    expect(await kept.pending()).toEqual([saved]);
  });

  /** A journal with rows, and the methods that were called. */
  function watched(rows: readonly JournalRow[] = []) {
    const kept = memoryJournal(rows);
    const calls: string[] = [];
    const claim: BookingJournal["claim"] = (...args) => {
      calls.push("claim");
      return kept.claim(...args);
    };
    const settle: BookingJournal["settle"] = (...args) => {
      calls.push("settle");
      return kept.settle(...args);
    };
    return { journal: { ...kept, claim, settle }, calls, kept };
  }

  it("is left alone if the journal has it, or if it is closed", async () => {
    const known = watched([row({ state: "booked", pnr: "ABC123" })]);
    expect(await adopt(known.journal, row())).toMatchObject({ state: "booked" });
    const unknown = watched();
    expect(await adopt(unknown.journal, row({ state: "booked" }))).toBeUndefined();
    expect([...known.calls, ...unknown.calls]).toEqual([]);
  });

  it("is written as `sent` in one step, and as `unknown` in two", async () => {
    const sent = watched();
    expect(await adopt(sent.journal, row())).toEqual(row());
    expect(sent.calls).toEqual(["claim"]);
    const unknown = watched();
    expect(await adopt(unknown.journal, row({ state: "unknown" }))).toMatchObject({ state: "unknown" });
    expect(unknown.calls).toEqual(["claim", "settle"]);
  });

  it("is written beside another of the same quote, but not of the same reference", async () => {
    const sameQuote = watched([other({ token: row().token, state: "booked" })]);
    expect(await adopt(sameQuote.journal, row())).toEqual(row());
    const taken = watched([other({ clientReferenceId: row().clientReferenceId })]);
    expect(await adopt(taken.journal, row({ state: "unknown" }))).toBeUndefined();
    expect(taken.calls).toEqual(["claim"]);
    expect(await taken.kept.pending()).toHaveLength(1);
  });
});
