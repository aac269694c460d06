import { describe, expect, it } from "vitest";
import { checkout, type Money, memoryJournal, OfferChangedError } from "../../../src/flights/index.ts";
import type { FareQuoteResult } from "../../../src/flights/types/index.ts";
import { ServiceApi } from "../../../src/service-api.ts";
import { only, samplePassengers, sampleQuote } from "../offers.ts";
import { sample } from "../samples.ts";
import { clientOf, fails, quoteOf } from "./support.ts";

const passengers = samplePassengers("oneway-adult");
const maxTotal = { amount: "7480", currency: "INR" };
const start = Date.UTC(2026, 10, 20, 6);
const original = sampleQuote("domestic-oneway-full-service");
const shown = only(original.data.result);
const flight = only(shown.segments);

/** A checkout whose second quote has changed. */
async function requoted(changes: object) {
  const fresh = { ...original, data: { ...original.data, result: [{ ...shown, ...changes }] } };
  const quotes: unknown[] = [original, fresh];
  let booked = 0;
  const fetch = async (input: string | URL | Request) => {
    const isBooking = String(input instanceof Request ? input.url : input).endsWith("book");
    if (isBooking) booked++;
    return Response.json(isBooking ? sample("book/success-full-service-held") : quotes.shift());
  };
  const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "a", clientSecret: "b", fetch });
  const trip = checkout(
    api,
    { trace_id: original.data.trace_id, token: "t" },
    { journal: memoryJournal(), now: () => start },
  );
  await trip.quote();
  const outcome: unknown = await trip.book({ passengers, maxTotal }).catch((error: unknown) => error);
  return { outcome, booked: () => booked };
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
    const { outcome, booked } = await requoted(changes);
    expect(outcome).toBeInstanceOf(OfferChangedError);
    expect(outcome).toMatchObject({ kind: "offer_changed", flights: [], terms: [term] });
    expect(outcome).toMatchObject({ message: expect.stringContaining(words) });
    expect(outcome).not.toMatchObject({ message: expect.stringContaining("It has other flights") });
    expect(booked()).toBe(0);
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
    const quoteOf = (window: object) => {
      const [rule] = shown.mini_fare_rules;
      const result = [{ ...shown, mini_fare_rules: [{ ...rule, unit: "HOURS", ...window }] }];
      return { ...original, data: { ...original.data, result } };
    };
    const quotes = [quoteOf(quoted), quoteOf(changed)];
    const fetch = async () => Response.json(quotes.shift());
    const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "a", clientSecret: "b", fetch });
    const trip = checkout(
      api,
      { trace_id: original.data.trace_id, token: "t" },
      { journal: memoryJournal(), now: () => start },
    );
    await trip.quote();
    await expect(trip.book({ passengers, maxTotal })).rejects.toMatchObject({
      kind: "offer_changed",
      terms: [{ kind: "charges", before: expect.stringContaining(before), after: expect.stringContaining(after) }],
    });
  });

  it("does not confuse two results that arrive in reverse order", async () => {
    const flex = { ...shown, fare_type: "Flex", free_meal: true };
    const senior = { ...shown, fare_type: "SeniorCitizenFare", free_meal: false };
    const quoteOf = (...result: FareQuoteResult[]) => ({ ...original, data: { ...original.data, result } });
    const fresh = quoteOf(senior, flex);
    const quotes = [quoteOf(flex, senior), fresh];
    const fetch = async () => Response.json(quotes.shift());
    const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "a", clientSecret: "b", fetch });
    const trip = checkout(
      api,
      { trace_id: original.data.trace_id, token: "t" },
      { journal: memoryJournal(), now: () => start },
    );
    await trip.quote();
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
    const { outcome, booked } = await requoted(changes);
    expect(outcome).toMatchObject({ kind: "offer_changed", terms: [term] });
    expect(booked()).toBe(0);
  });

  it.each(["flight_number", "airline_code", "origin", "destination"] as const)(
    "a flight that lost its %s is not the one that was shown, whatever else it says",
    async (name) => {
      const { origin } = flight;
      const later = { origin: { ...origin, departure_time: "2027-02-12 23:15:00" }, fare_class: "Q" };
      const end = name === "origin" || name === "destination" ? { ...flight[name], airport_code: {} } : null;
      const { outcome, booked } = await requoted(withFlight({ ...later, [name]: end }));
      expect(outcome).toMatchObject({ kind: "offer_changed", flights: [{ kind: "replaced", index: 0 }] });
      expect(booked()).toBe(0);
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
    const { outcome, booked } = await requoted(changes);
    expect(outcome).toMatchObject({ pnr: expect.stringMatching(/./) });
    expect(booked()).toBe(1);
  });
});

describe("the limit of a booking", () => {
  async function bookUpTo(maxTotal: unknown) {
    const { api, bookings } = clientOf();
    const trip = checkout(api, { trace_id: "T", token: "S" }, { journal: memoryJournal() });
    await trip.quote();
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
    const quote = quoteOf();
    const empty = { ...quote, ...fields, data: { ...quote.data, result: [] } };
    const { api } = clientOf({ quote: () => empty as never });
    const error = await fails(checkout(api, { trace_id: "T", token: "S" }, { journal: memoryJournal() }).quote());
    expect(error.name).toBe("OfferUnavailableError");
    expect(error).toMatchObject(expected);
  });
});
