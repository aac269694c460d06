import { describe, expect, it } from "vitest";
import { checkout, type Money, memoryJournal, OfferChangedError } from "../../../src/flights/index.ts";
import type { FareQuote, FareQuoteResult } from "../../../src/flights/types/index.ts";
import { only } from "../offers.ts";
import { sample } from "../samples.ts";
import { clientOf, fails, inr, inTurn, passengers, quotedTrip, quoteOf, withOffers } from "./support.ts";

const maxTotal = inr("7480");
const original = quoteOf();
const shown = only(original.data.result);
const flight = only(shown.segments);

/** A trip with these quotes, the first of which was shown. */
const tripOf = (...quotes: FareQuote[]) =>
  quotedTrip({ quote: inTurn(...quotes), book: () => sample("book/success-full-service-held") });

/** A checkout whose second quote has changed. */
async function requoted(changes: object) {
  const { trip, bookings } = await tripOf(original, withOffers(original, { ...shown, ...changes }));
  const outcome: unknown = await trip.book({ passengers, maxTotal }).catch((error: unknown) => error);
  return { outcome, bookings };
}

const withFlight = (changes: object) => ({ segments: [{ ...flight, ...changes }] });

describe("a fresh quote has the terms of the one that was shown", () => {
  it.each<[string, Partial<FareQuoteResult>, object, string]>([
    [
      "less baggage",
      withFlight({ baggage: { checked_baggage: "0 KG", cabin_baggage: "7 KG" } }),
      { kind: "baggage", index: 0, before: "15 KG", after: "0 KG" },
      "The baggage allowance of flight",
    ],
    [
      "another fare class",
      withFlight({ fare_class: "Z" }),
      { kind: "fareClass", index: 0, after: "Z" },
      "The fare class of flight",
    ],
    [
      "no refund",
      { refundable: false },
      { kind: "refundable", before: "refundable", after: "non-refundable" },
      "The refund rule is non-refundable instead of refundable.",
    ],
    [
      "no word on a refund",
      { refundable: undefined as never },
      { kind: "refundable", before: "refundable", after: "" },
      "The refund rule is not given instead of refundable.",
    ],
  ])("%s is a changed offer, which says what differs", async (_case, changes, term, words) => {
    const { outcome, bookings } = await requoted(changes);
    expect(outcome).toBeInstanceOf(OfferChangedError);
    expect(outcome).toMatchObject({ kind: "offer_changed", flights: [], terms: [term] });
    expect(outcome).toMatchObject({ message: expect.stringContaining(words) });
    expect(outcome).not.toMatchObject({ message: expect.stringContaining("It has other flights") });
    expect(bookings()).toHaveLength(0);
  });

  it("names three of many changes", async () => {
    const changes = { refundable: false, airline_code: "YY", validating_airline: "YY", source: "Elsewhere" };
    const { outcome } = await requoted({ ...changes, is_lcc: !shown.is_lcc });
    const { message, terms } = outcome as OfferChangedError;
    expect(terms.length).toBeGreaterThan(3);
    expect(message.match(/instead of/g)).toHaveLength(3);
  });

  it.each([
    [{ from: "", to: "24" }, { from: "24", to: "" }, "– 24 HOURS", "24 – HOURS"],
    [{ from: "0", to: "" }, { from: "", to: "0" }, "0 – HOURS", "– 0 HOURS"],
  ])("sees that the window %j of a charge became %j", async (quoted, changed, before, after) => {
    const [rule] = shown.mini_fare_rules;
    const charged = (window: object) => quoteOf({ mini_fare_rules: [{ ...rule, unit: "HOURS", ...window }] });
    const { trip } = await tripOf(charged(quoted), charged(changed));
    await expect(trip.book({ passengers, maxTotal })).rejects.toMatchObject({
      kind: "offer_changed",
      terms: [{ kind: "charges", before: expect.stringContaining(before), after: expect.stringContaining(after) }],
    });
  });

  it("does not confuse two results that arrive in reverse order", async () => {
    const flex = { ...shown, fare_type: "Flex", free_meal: true };
    const senior = { ...shown, fare_type: "SeniorCitizenFare", free_meal: false };
    const { trip } = await tripOf(withOffers(original, flex, senior), withOffers(original, senior, flex));
    const outcome: unknown = await trip.book({ passengers, maxTotal, offerIndex: 0 }).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(OfferChangedError);
    expect(outcome).toMatchObject({
      message: expect.stringContaining("The fare type is SeniorCitizenFare instead of Flex."),
      terms: [
        { kind: "fareType", before: "Flex", after: "SeniorCitizenFare" },
        { kind: "meal", before: "included", after: "not included" },
      ],
    });
  });

  it.each<[string, Partial<FareQuoteResult>, object]>([
    ["airline", { airline_code: "YY" }, { kind: "airline", after: "YY" }],
    ["validating airline", { validating_airline: "YY" }, { kind: "validatingAirline", after: "YY" }],
    ["supplier", { source: "Elsewhere" }, { kind: "source", after: "Elsewhere" }],
    ["kind of airline", { is_lcc: !shown.is_lcc }, { kind: "carrierType", before: "full-service", after: "low-cost" }],
    [
      "rule for cancellation",
      { mini_fare_rules: [{ ...only(shown.mini_fare_rules.slice(0, 1)), charges: "INR 9999" }] },
      { kind: "charges", after: expect.stringContaining("INR 9999") },
    ],
  ])("another %s is a changed offer", async (_case, changes, term) => {
    const { outcome, bookings } = await requoted(changes);
    expect(outcome).toMatchObject({ kind: "offer_changed", terms: [term] });
    expect(bookings()).toHaveLength(0);
  });

  it.each(["flight_number", "airline_code", "origin", "destination"] as const)(
    "a flight that lost its %s is not the one that was shown, whatever else it says",
    async (name) => {
      const { origin } = flight;
      const later = { origin: { ...origin, departure_time: "2027-02-12 23:15:00" }, fare_class: "Q" };
      const end = name === "origin" || name === "destination" ? { ...flight[name], airport_code: {} } : null;
      const { outcome, bookings } = await requoted(withFlight({ ...later, [name]: end }));
      expect(outcome).toMatchObject({ kind: "offer_changed", flights: [{ kind: "replaced", index: 0 }] });
      expect(bookings()).toHaveLength(0);
    },
  );

  it.each<object>([
    { fare_type: undefined, free_meal: undefined, airline_code: "", source: null, validating_airline: 5, is_lcc: "?" },
    { fare_type: "regular fare", free_meal: String(shown.free_meal), refundable: "true" },
    { mini_fare_rules: [] },
    { mini_fare_rules: [[...shown.mini_fare_rules].reverse()] },
    withFlight({ baggage: { checked_baggage: "15kg", cabin_baggage: "7 kgs" } }),
    withFlight({ flight_status: "CONFIRMED" }),
    {},
  ])("%j is the same offer", async (changes) => {
    const { outcome, bookings } = await requoted(changes);
    expect(outcome).toMatchObject({ pnr: expect.stringMatching(/./) });
    expect(bookings()).toHaveLength(1);
  });
});

describe("the limit of a booking", () => {
  async function bookUpTo(maxTotal: unknown) {
    const { trip, bookings } = await quotedTrip();
    const error = await fails(trip.book({ passengers, maxTotal: maxTotal as Money }));
    expect(bookings()).toEqual([]);
    return error;
  }

  it.each([
    null,
    7480,
    "7480 INR",
    [],
    ["7480", "INR"],
    {},
    { amount: "7480" },
    { amount: Number.NaN, currency: "INR" },
    { amount: "-1", currency: "INR" },
  ])("refuses %j", async (limit) => {
    expect(await bookUpTo(limit)).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(
        /^trip\.book: `maxTotal` must be a decimal amount of at least 0 with its currency/,
      ),
    });
  });

  it("is exact", async () => {
    const error = await bookUpTo({ amount: "7479.00", currency: "inr" });
    expect(error).toMatchObject({ kind: "price_above_limit", limit: { amount: "7479", currency: "INR" } });
  });
});

describe("a quote without offers", () => {
  it.each([
    [
      { status_code: 200, message: "Sold out" },
      { statusCode: "200", serviceMessage: "Sold out" },
    ],
    [
      { status_code: "", message: "" },
      { statusCode: undefined, serviceMessage: undefined },
    ],
  ])("passes on its code and its message: %j", async (fields, expected) => {
    const empty = { ...withOffers(original), ...fields };
    const { api } = clientOf({ quote: () => empty as never });
    const error = await fails(checkout(api, { trace_id: "T", token: "S" }, { journal: memoryJournal() }).quote());
    expect(error.name).toBe("OfferUnavailableError");
    expect(error).toMatchObject(expected);
  });
});
