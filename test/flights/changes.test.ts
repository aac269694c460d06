import { describe, expect, it } from "vitest";
import { compareBooking, Deadline, ticketDeadline } from "../../src/flights/index.ts";
import type { Booking, BookingResult } from "../../src/flights/types.ts";
import { sampleOffer, samplePassengers } from "./offers.ts";
import { sample } from "./samples.ts";

const booked = (name: string) => (sample(`book/success-${name}`) as Booking).data.result;
const inr = (amount: string) => ({ amount, currency: "INR" });
const oneWay = sampleOffer("domestic-oneway-full-service");
const family = sampleOffer("international-roundtrip-family");
const single = samplePassengers("oneway-adult");
const four = samplePassengers("international-family-ssr-gst");

describe("policy 31: the sample bookings against their quotes", () => {
  const same = { changed: false, flights: [], missingSeats: [], notCompared: [] };

  it.each([
    ["full-service-held", oneWay, single, same],
    [
      "international-family",
      family,
      four,
      { ...same, price: { difference: inr("0"), extras: inr("6450"), booked: inr("196421.25") } },
    ],
    [
      "lcc",
      sampleOffer("gst-and-hold-mandatory"),
      samplePassengers("lcc-gst-seat"),
      { ...same, price: { extras: inr("2000") } },
    ],
    ["price-changed", oneWay, single, { changed: true, price: { difference: inr("770"), flagged: true }, flights: [] }],
    ["silent-price-difference", oneWay, single, { changed: true, price: { difference: inr("800"), flagged: false } }],
    [
      "time-changed",
      oneWay,
      single,
      { changed: true, flights: [{ kind: "time", departureMinutes: 50, arrivalMinutes: 50 }] },
    ],
    ["segment-not-confirmed", oneWay, single, { changed: true, flights: [{ kind: "notConfirmed", index: 0 }] }],
  ])("%s", (name, offer, passengers, expected) => {
    expect(compareBooking(offer, booked(name), passengers)).toMatchObject(expected);
  });

  it("every flag at once: the price is flagged though only the extras differ, and every seat is missing", () => {
    const changes = compareBooking(family, booked("all-flags-changed-seats-failed"), four);
    expect(changes).toMatchObject({ changed: true, price: { flagged: true, difference: inr("0") }, flights: [] });
    expect(changes.missingSeats.map(({ passenger, code }) => `${passenger} ${code}`)).toEqual([
      "0 12A",
      "0 14C",
      "1 12B",
      "2 12C",
    ]);
  });
});

describe("flights", () => {
  const with_ = (change: (segments: BookingResult["segments"]) => BookingResult["segments"]) =>
    compareBooking(
      family,
      { ...booked("international-family"), segments: change(booked("international-family").segments) },
      [],
    ).flights;

  it("names one that is missing, added or replaced", () => {
    expect(with_((s) => s.slice(0, 3))).toMatchObject([
      { kind: "missing", index: 3, quoted: { flight_number: "502" } },
    ]);
    expect(with_((s) => [...s, ...s.slice(0, 1)])).toMatchObject([
      { kind: "added", index: 4, booked: { flight_number: "501" } },
    ]);
    expect(with_((s) => s.map((one, i) => (i === 1 ? { ...one, flight_number: "7" } : one)))).toMatchObject([
      { kind: "replaced", index: 1, quoted: { flight_number: "007" }, booked: { flight_number: "7" } },
    ]);
  });

  it("counts minutes both ways, over midnight, and knows what it does not know", () => {
    const depart = (departure_time: string) =>
      with_((s) => s.map((one, i) => (i === 0 ? { ...one, origin: { ...one.origin, departure_time } } : one)));
    expect(depart("2027-04-02 00:15:00")).toMatchObject([{ kind: "time", departureMinutes: 45, arrivalMinutes: 0 }]);
    expect(depart("2027-04-01 23:00:00")).toMatchObject([{ departureMinutes: -30 }]);
    expect(depart("0001-01-01 00:00:00")).toMatchObject([{ departureMinutes: null }]);
  });

  it("a status that was quoted already is no change", () => {
    const segments = oneWay.segments.map((one) => ({ ...one, flight_status: "Waitlisted" }));
    expect(
      compareBooking({ ...oneWay, segments }, { ...booked("full-service-held"), segments }, single).flights,
    ).toEqual([]);
  });
});

describe("seats and extras", () => {
  it("finds one seat that is missing, by code and leg, in any case", () => {
    const result = booked("international-family");
    const passengers = result.passengers.map((one) => ({
      ...one,
      seat: one.seat.filter((seat) => seat.code !== "14C"),
    }));
    expect(compareBooking(family, { ...result, passengers }, four).missingSeats).toEqual([
      { passenger: 0, code: "14C", origin: "DXB", destination: "LHR" },
    ]);
    const lower = four.map((one) => ({
      ...one,
      seat: one.seat?.map((seat) => ({ ...seat, code: seat.code.toLowerCase() })),
    }));
    expect(compareBooking(family, result, lower).missingSeats).toEqual([]);
  });

  it("believes the flag that no seat is booked over a list that has them", () => {
    const result = { ...booked("international-family"), seats_booked: false };
    expect(compareBooking(family, result, four).missingSeats).toHaveLength(4);
  });

  it("believes the flag that the price changed over amounts that are the same", () => {
    const changes = compareBooking(oneWay, { ...booked("full-service-held"), price_changed: true }, single);
    expect(changes).toMatchObject({ changed: true, price: { flagged: true, difference: inr("0") } });
  });

  it("does not take off extras that the total does not contain", () => {
    const result = booked("full-service-held");
    const fare = { ...result.fare, total_meal_charges: 350 };
    expect(compareBooking(oneWay, { ...result, fare }, single).price).toMatchObject({
      extras: inr("350"),
      difference: inr("0"),
    });
  });

  it.each([undefined, null, "text", {}, { fare: null, segments: {}, passengers: 5 }])(
    "%j compares with nothing and never throws",
    (result) => {
      expect(compareBooking(oneWay, result, four)).toMatchObject({
        changed: true,
        notCompared: ["price", "flights"],
        missingSeats: { length: 4 },
      });
    },
  );
});

describe("§3.4 the ticket deadline", () => {
  it("is read in India unless told otherwise", () => {
    expect(ticketDeadline(booked("full-service-held"))).toMatchObject({
      text: "2026-11-23 23:59:00",
      zone: "Asia/Kolkata",
      instant: Date.UTC(2026, 10, 23, 18, 29),
    });
    expect(ticketDeadline(booked("full-service-held"), "UTC")?.instant).toBe(Date.UTC(2026, 10, 23, 23, 59));
    expect(ticketDeadline(booked("without-pnr"))).toBeNull();
    expect(ticketDeadline({})).toBeNull();
  });

  it.each([
    [0, true, "over"],
    [-5, true, "over"],
    [30_000, false, "less than a minute"],
    [35 * 60_000, false, "35 min"],
    [90 * 60_000, false, "1 h 30 min"],
    [28 * 3_600_000, false, "1 d 4 h"],
  ])("%i ms left", (milliseconds, passed, text) => {
    const deadline = new Deadline("2026-11-23 23:59:00", "UTC", 1_000_000_000);
    expect(deadline.remaining(1_000_000_000 - milliseconds)).toEqual({ milliseconds, passed, text });
    expect(deadline.remaining(new Date(1_000_000_000 - milliseconds)).text).toBe(text);
  });

  it("counts from the present by itself", () => {
    expect(new Deadline("", "UTC", Date.now() + 3_600_000 + 30_000).remaining().text).toBe("1 h 0 min");
  });
});
