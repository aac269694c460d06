import { describe, expect, it } from "vitest";
import { type BookingJournal, memoryJournal } from "../../../src/flights/index.ts";
import { adopt } from "../../../src/flights/journal/adopt.ts";
import { row } from "./rows.ts";

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
});
