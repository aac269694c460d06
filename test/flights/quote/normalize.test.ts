import { describe, expect, it } from "vitest";
import { normalizeBreakdown, normalizeOffer, normalizeSegments } from "../../../src/flights/quote/normalize.ts";
import { sampleOffer } from "../offers.ts";

const offer = sampleOffer("domestic-oneway-full-service");
const odd = [undefined, null, "", 5, true, {}, "segments"] as const;

describe("a quote that has drifted", () => {
  it("is unchanged if it has not", () => {
    expect(normalizeOffer(offer)).toEqual({ ...offer, quotedCounts: { adult: 1 } });
  });

  it.each(odd)("has no flights and no known passengers in place of %j", (value) => {
    const drifted = { ...offer, segments: value, fare_breakdown: value } as never;
    expect(normalizeOffer(drifted)).toMatchObject({ segments: [], quotedCounts: null });
  });

  it.each([undefined, null, 5, [], {}])("has both ends of a segment that is %j", (value) => {
    expect(normalizeSegments([value])).toMatchObject([
      { flight_number: "", flight_class: null, is_stopover: false, origin: { departure_time: "" } },
    ]);
  });

  it("keeps undocumented fields, and reads a number as a string", () => {
    const [segment] = offer.segments;
    const [read] = normalizeSegments([{ ...segment, aircraft: "320", flight_number: 101, flight_class: 7 }]);
    expect(read).toEqual({ ...segment, aircraft: "320", flight_number: "101", flight_class: "7" });
    expect(normalizeSegments([{ ...segment, flight_class: "" }])).toEqual([{ ...segment, flight_class: "" }]);
  });

  it("has no breakdown if one of its rows cannot be read, and reads a count as a number", () => {
    const row = { currency: "INR", passenger_type: "adult", passenger_count: "2", basefare: "7000.50" };
    expect(normalizeBreakdown([row])).toEqual([{ ...row, passenger_count: 2 }]);
    for (const count of [undefined, null, "", " ", -1, 1.5, "two", "99999999999999999999", [1]]) {
      expect(normalizeBreakdown([row, { ...row, passenger_count: count }])).toEqual([]);
    }
    expect(normalizeBreakdown([row, { ...row, passenger_type: 1 }])).toEqual([]);
  });
});
