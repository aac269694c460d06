import { expect, it } from "vitest";
import type { BookingJournal } from "../../../src/flights/index.ts";
import { row } from "./rows.ts";

/** Tests that a caller without types cannot free the offer of a booked row. */
export function testBookedRow(makeJournal: () => BookingJournal | Promise<BookingJournal>): void {
  it("keeps a booked row booked, and lets its PNR be corrected", async () => {
    const journal = await makeJournal();
    const id = crypto.randomUUID();
    const sent = row({ attemptId: id, clientReferenceId: id, token: id, traceId: id, fingerprint: "" });
    const from = "booked" as never;
    await journal.claim(sent, {});
    await journal.settle({ ...sent, state: "booked", pnr: "ABC123" }, "sent");
    expect(await journal.settle({ ...sent, state: "rejected" }, from)).toBe(false);
    expect(await journal.get(id)).toMatchObject({ state: "booked", pnr: "ABC123" });
    expect(await journal.settle({ ...sent, state: "booked", pnr: "DEF456" }, from)).toBe(true);
    expect(await journal.get(id)).toMatchObject({ state: "booked", pnr: "DEF456" });
  });
}
