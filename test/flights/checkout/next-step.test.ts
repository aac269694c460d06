import { describe, expect, it } from "vitest";
import type { Checkout } from "../../../src/flights/index.ts";
import type { Money } from "../../../src/flights/quote/money.ts";
import type { Booking, BookingResult } from "../../../src/flights/types/index.ts";
import { sample } from "../samples.ts";
import { passengers, quotedTrip } from "./support.ts";

const reservation =
  "This is a reservation, not a ticket. Have the ticket issued before 2026-11-23 23:59:00 (Asia/Kolkata).";

/** The next step after a booking whose response has these changes. */
async function bookingWith(changes: Partial<BookingResult>, limit: { readonly maxTotal?: Money } = {}) {
  const booking = sample("book/success-full-service-held") as Booking;
  const body = { ...booking, data: { ...booking.data, result: { ...booking.data.result, ...changes } } };
  const { trip } = await quotedTrip({ book: () => body });
  rows = () => trip.bookingAttempts;
  return await trip.book({ passengers, ...limit });
}

/** The rows of the last booking. */
let rows: () => Checkout["bookingAttempts"];

const nextStep = async (changes: Partial<BookingResult>) => (await bookingWith(changes)).nextStep.message;
const { fare, segments } = (sample("book/success-full-service-held") as Booking).data.result;
const inr = (amount: number) => ({ maxTotal: { amount: `${amount}`, currency: "INR" } });

describe("the next step after a booking", () => {
  it("is to have the ticket issued, and no more if nothing changed", async () => {
    expect(await nextStep({})).toBe(reservation);
    expect(rows()).toMatchObject([{ lastTicketDate: "2026-11-23 23:59:00" }]);
  });

  it.each([
    [{ time_changed: true }, "The airline reports that flight times have changed: ask for the new ones."],
    [{ non_refundable: true }, "The refund rule is non-refundable instead of refundable."],
  ])("mentions %j", async (changes, words) => {
    expect(await nextStep(changes)).toBe(`${reservation} ${words}`);
  });
});

describe("a booking says what the customer has to hear", () => {
  const at = (total_fare: number) => ({ fare: { ...fare, total_fare } });
  const asked = fare.total_fare;

  it.each<[string, Partial<BookingResult>, { readonly maxTotal?: Money }, boolean | null]>([
    ["at the limit", {}, inr(asked), false],
    ["above the quote, within the limit", at(asked + 20), inr(asked + 20), false],
    ["above the limit", at(asked + 20), inr(asked + 19), true],
    ["above the quote, without a limit", at(asked + 20), {}, true],
    ["as quoted, without a limit", {}, {}, false],
    ["in another currency", { fare: { ...fare, currency: "USD" } }, inr(asked), null],
  ])("`isAboveLimit`: %s", async (_case, changes, limit, isAboveLimit) => {
    expect(await bookingWith(changes, limit)).toMatchObject({ isAboveLimit });
    expect(rows().map((row) => row.isAboveLimit ?? null)).toEqual([isAboveLimit]);
  });

  it.each<[string, Partial<BookingResult>, boolean | null]>([
    ["all are confirmed", {}, true],
    ["all are wait-listed", { segments: segments.map((one) => ({ ...one, flight_status: "Waitlisted" })) }, false],
    ["one is", { segments: [...segments, ...segments.map((one) => ({ ...one, flight_status: "Waitlisted" }))] }, false],
    ["none can be read", { segments: [] }, null],
  ])("`isConfirmed`: %s", async (_case, changes, isConfirmed) => {
    const booking = await bookingWith(changes);
    expect(booking).toMatchObject({ isConfirmed });
    const ask = "Ask the service operator whether every flight is confirmed. This is a reservation";
    expect(booking.nextStep.message.includes(ask)).toBe(isConfirmed === false);
  });
});
