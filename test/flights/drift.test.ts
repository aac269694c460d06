import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareBooking,
  fareBreakdown,
  fees,
  itinerary,
  ticketDeadline,
  validatePassengers,
} from "../../src/flights/index.ts";
import type { Booking, FareQuoteResult } from "../../src/flights/types/index.ts";
import { sampleOffer, samplePassengers } from "./offers.ts";
import { sample } from "./samples.ts";

const passengers = samplePassengers("international-family-ssr-gst");
const offer = sampleOffer("international-roundtrip-family");

/** The offer as a service that changed a field would send it. */
const drifted = (fields: Record<string, unknown>) => ({ ...offer, ...fields }) as FareQuoteResult;

/** Any JSON, and objects that cannot even be written as text. */
const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom({ toString: 0, valueOf: 0 }, [{ toString: 0, valueOf: 0 }], { length: 3 }),
);

function readEverything(one: FareQuoteResult) {
  return {
    issues: validatePassengers(one, passengers, { now: 0 }),
    fee: fees(one, { type: "Cancellation", at: "2027-03-01 00:00:00" }).fee,
    legs: itinerary(one).legs,
    breakdown: fareBreakdown(one),
    deadline: ticketDeadline(one),
  };
}

describe("a drifted quote is read as far as possible", () => {
  it.each([
    ["segments", { legs: [], fee: { kind: "indeterminate", reason: "unknownJourney" } }],
    ["fare", { breakdown: { reading: "unknown" } }],
    ["fare_breakdown", { breakdown: { types: [] }, fee: { kind: "indeterminate", reason: "noRule" } }],
    ["mini_fare_rules", { fee: { kind: "indeterminate", reason: "noRule" } }],
    ["fname_format", { legs: { length: 2 } }],
    ["fare_type", { legs: { length: 2 } }],
    ["last_ticket_date", { deadline: null }],
  ])("%s is gone, null, or of another kind", (field, expected) => {
    for (const value of [undefined, null, {}, 5, "text", [null], [5]]) {
      if (field.endsWith("segments") && Array.isArray(value)) continue;
      expect(readEverything(drifted({ [field]: value }))).toMatchObject(expected);
    }
  });

  it("a flight without its departure leaves ages in doubt, and says so", () => {
    const [first, ...others] = offer.segments;
    const odd: unknown = { ...first, origin: null };
    const { issues, legs } = readEverything(drifted({ segments: [...others, odd] }));
    expect(issues.map(({ code }) => code)).toContain("departure_unknown");
    expect(legs.at(-1)).toMatchObject({ departure: null });
    expect(readEverything(drifted({ segments: [null] })).issues.map(({ code }) => code)).toContain(
      "segment_not_confirmed",
    );
  });

  it("a count that arrives as text still counts", () => {
    const fare_breakdown = offer.fare_breakdown.map((entry) => ({
      ...entry,
      passenger_count: String(entry.passenger_count),
    }));
    const { issues, fee } = readEverything(drifted({ fare_breakdown }));
    expect(issues.map(({ code }) => code)).not.toContain("count_differs_from_quote");
    expect(fee).toMatchObject({ total: { amount: "96000" } });
  });

  it("a breakdown with an unreadable row raises no issue", () => {
    const fare_breakdown = [...offer.fare_breakdown.slice(1), { passenger_type: "adult" }];
    const { issues } = readEverything(drifted({ fare_breakdown }));
    expect(issues.map(({ code }) => code)).not.toContain("count_differs_from_quote");
  });

  it("whatever the value of a field, nothing throws", () => {
    const keys = fc.constantFrom(...Object.keys(offer));
    fc.assert(
      fc.property(keys, anything, (key, value) => {
        readEverything(drifted({ [key]: value }));
      }),
      { numRuns: 500 },
    );
    const segmentKeys = fc.constantFrom(
      "origin",
      "destination",
      "duration",
      "flight_status",
      "trip_indicator",
      "baggage",
    );
    fc.assert(
      fc.property(segmentKeys, anything, (key, value) => {
        readEverything(drifted({ segments: offer.segments.map((segment) => ({ ...segment, [key]: value })) }));
      }),
      { numRuns: 300 },
    );
    const ruleKeys = fc.constantFrom("journey_points", "type", "from", "to", "unit", "charges");
    fc.assert(
      fc.property(ruleKeys, anything, (key, value) => {
        readEverything(drifted({ mini_fare_rules: offer.mini_fare_rules.map((rule) => ({ ...rule, [key]: value })) }));
      }),
      { numRuns: 300 },
    );
  });

  it("whatever comes back from a booking that exists, nothing throws", () => {
    const keys = fc.constantFrom("fare", "segments", "passengers", "seats_booked", "price_changed", "last_ticket_date");
    const booked = (sample("book/success-international-family") as Booking).data.result;
    fc.assert(
      fc.property(keys, anything, anything, (key, value, seat) => {
        const odd = passengers.map((passenger) => ({ ...passenger, seat })) as unknown as typeof passengers;
        compareBooking(offer, { ...booked, [key]: value }, odd);
        compareBooking(offer, value, passengers);
        ticketDeadline(Object(value));
      }),
      { numRuns: 500 },
    );
  });

  it("whatever is typed into a form, nothing throws", () => {
    const keys = fc.constantFrom(...Object.keys(passengers[0] ?? {}));
    fc.assert(
      fc.property(keys, anything, (key, value) => {
        validatePassengers(
          offer,
          passengers.map((passenger) => ({ ...passenger, [key]: value })),
        );
      }),
      { numRuns: 500 },
    );
  });
});
