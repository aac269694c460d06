import { describe, expect, it } from "vitest";
import { itinerary } from "../../../src/flights/quote/itinerary.ts";
import { sampleOffer, sampleQuote } from "../offers.ts";

describe("§2.5 the itinerary: one leg a direction", () => {
  const family = sampleOffer("international-roundtrip-family");

  it("groups flights by direction and names both ends", () => {
    expect(itinerary(family).legs).toMatchObject([
      {
        direction: "outbound",
        origin: "DEL",
        destination: "LHR",
        departure: "2027-04-01 23:30:00",
        arrival: "2027-04-02 11:40:00",
        arrivalDayOffset: 1,
        minutes: 225 + 345 + 430,
        layovers: [{ airport: "DXB", changeTo: null, minutes: 345, overnight: false }],
      },
      {
        direction: "inbound",
        origin: "LHR",
        destination: "DEL",
        arrivalDayOffset: 1,
        minutes: 429 + 231 + 200,
        layovers: [{ airport: "DXB", minutes: 231, overnight: true }],
      },
    ]);
  });

  it("has a direct flight without stops", () => {
    expect(itinerary(sampleOffer("domestic-oneway-lcc")).legs).toMatchObject([
      { layovers: [], minutes: 75, arrivalDayOffset: 0 },
    ]);
  });

  it("has the legs of all offers of a trip, and none that goes on from one ticket to the next", () => {
    const offers = sampleQuote("domestic-roundtrip-two-results").data.result;
    const route = ({ origin, destination, segments }: ReturnType<typeof itinerary>["legs"][number]) =>
      `${origin}-${destination} ${segments.length}`;
    expect(itinerary(offers).legs.map(route)).toEqual(["DEL-BOM 1", "BOM-DEL 1"]);
    const onward = offers.map(({ segments }) => ({
      segments: segments.map((segment) => ({ ...segment, trip_indicator: "outbound" })),
    }));
    expect(itinerary(onward).legs.map(route)).toEqual(["DEL-BOM 1", "BOM-DEL 1"]);
  });

  it("has no legs without segments", () => {
    expect(itinerary({ segments: [] })).toEqual({ legs: [] });
  });

  it("names a change of airport and computes no time across it", () => {
    const segments = family.segments
      .slice(0, 2)
      .map((segment, i) => (i === 1 ? { ...segment, origin: { ...segment.origin, airport_code: "DWC" } } : segment));
    expect(itinerary({ segments }).legs).toMatchObject([
      { minutes: null, layovers: [{ airport: "DXB", changeTo: "DWC", minutes: null }] },
    ]);
  });

  it("reads one airport in two spellings as one", () => {
    const segments = family.segments
      .slice(0, 2)
      .map((segment, i) => (i === 1 ? { ...segment, origin: { ...segment.origin, airport_code: " dxb" } } : segment));
    expect(itinerary({ segments }).legs).toMatchObject([
      { minutes: 225 + 345 + 430, layovers: [{ airport: "DXB", changeTo: null, minutes: 345 }] },
    ]);
  });

  it("invents no missing time or duration", () => {
    const segments = family.segments.slice(0, 2).map((segment) => ({
      ...segment,
      duration: "",
      origin: { ...segment.origin, departure_time: "0001-01-01 00:00:00" },
    }));
    expect(itinerary({ segments }).legs).toMatchObject([
      { departure: null, arrivalDayOffset: null, minutes: null, layovers: [{ minutes: null, overnight: false }] },
    ]);
  });

  it("counts a leg over new year as a day later", () => {
    const [first] = sampleOffer("domestic-oneway-full-service").segments;
    if (first === undefined) throw new Error("no segment");
    const segment = {
      ...first,
      origin: { ...first.origin, departure_time: "2027-12-31 23:30:00" },
      destination: { ...first.destination, arrival_time: "2028-01-01 01:45:00" },
    };
    expect(itinerary({ segments: [segment] }).legs).toMatchObject([{ arrivalDayOffset: 1 }]);
  });

  it("reads one direction in two spellings as one leg", () => {
    const segments = family.segments.map((segment, i) => ({
      ...segment,
      trip_indicator: i % 2 === 0 ? segment.trip_indicator : ` ${segment.trip_indicator.toUpperCase()}`,
    }));
    expect(itinerary({ segments }).legs).toHaveLength(2);
  });

  it.each([null, undefined, []])("refuses %j as a trip", (trip) => {
    expect(() => itinerary(trip as never)).toThrow(
      /^itinerary: `trip` must be a fare quote result or a booking result/,
    );
  });
});
