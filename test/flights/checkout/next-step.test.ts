import { describe, expect, it } from "vitest";
import { checkout } from "../../../src/flights/index.ts";
import type { Booking, BookingResult } from "../../../src/flights/types/index.ts";
import { ServiceApi } from "../../../src/service-api.ts";
import { samplePassengers, sampleQuote } from "../offers.ts";
import { sample } from "../samples.ts";

const reservation =
  "This is a reservation, not a ticket. Have the ticket issued before 2026-11-23 23:59:00 (Asia/Kolkata).";

/** The next step after a booking whose response has these changes. */
async function nextStep(changes: Partial<BookingResult>) {
  const quote = sampleQuote("domestic-oneway-full-service");
  const booking = sample("book/success-full-service-held") as Booking;
  const body = { ...booking, data: { ...booking.data, result: { ...booking.data.result, ...changes } } };
  const fetch = async (input: string | URL | Request) =>
    Response.json(String(input instanceof Request ? input.url : input).endsWith("book") ? body : quote);
  const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "a", clientSecret: "b", fetch });
  const trip = checkout(api, { trace_id: quote.data.trace_id, token: "t" }, { now: () => Date.UTC(2026, 10, 20) });
  await trip.quote();
  return (await trip.book({ passengers: samplePassengers("oneway-adult") })).nextStep.message;
}

describe("the next step after a booking", () => {
  it("is to have the ticket issued, and no more if nothing changed", async () => {
    expect(await nextStep({})).toBe(reservation);
  });

  it.each([
    [{ time_changed: true }, "The airline reports that flight times have changed: ask for the new ones."],
    [{ non_refundable: true }, "The refund rule is non-refundable instead of refundable."],
  ])("mentions %j", async (changes, words) => {
    expect(await nextStep(changes)).toBe(`${reservation} ${words}`);
  });
});
