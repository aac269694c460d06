import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import { compareBooking, TicketDeadline, ticketDeadline } from "../../../src/flights/index.ts";
import type { Booking, BookingResult } from "../../../src/flights/types/index.ts";
import { stopClock } from "../../support/clock.ts";
import { only, sampleOffer, samplePassengers } from "../offers.ts";
import { sample } from "../samples.ts";

const booked = (name: string) => (sample(`book/success-${name}`) as Booking).data.result;
const inr = (amount: string) => ({ amount, currency: "INR" });
const held = booked("full-service-held");
const oneWay = sampleOffer("domestic-oneway-full-service");
const family = sampleOffer("international-roundtrip-family");
const single = samplePassengers("oneway-adult");
const four = samplePassengers("international-family-ssr-gst");

/** Compares a booking of one adult, with these changes, with its quote. */
const compareHeld = (changes: object, quoted: object = {}) =>
  compareBooking({ ...oneWay, ...quoted }, { ...held, ...changes }, single);

describe("the sample bookings against their quotes", () => {
  const same = {
    changed: false,
    summary: "",
    flights: [],
    timeFlagged: false,
    terms: [],
    passengers: [],
    missingSeats: [],
    notCompared: [],
  };

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

  it.each([
    ["zero", { total_fare: 0 }],
    ["negative", { total_fare: -5 }],
    ["left out beside parts of zero", { total_fare: "", basefare: 0, tax_and_surcharges: 0 }],
    ["less than its parts", { basefare: 8_220 }],
  ])("a total that is %s does not count as a price", (_case, odd) => {
    const changes = compareHeld({ fare: { ...held.fare, ...odd } });
    expect(changes).toMatchObject({ changed: true, price: { booked: null, difference: null }, notCompared: ["price"] });
  });

  it.each([{ tax_and_surcharges: "" }, { basefare: "N/A" }, { tax_and_surcharges: undefined }])(
    "but one beside a part that cannot be read does: %j",
    (odd) => {
      const changes = compareHeld({ fare: { ...held.fare, ...odd } });
      expect(changes).toMatchObject({ changed: false, price: { difference: inr("0") }, notCompared: [] });
    },
  );

  it("all flags together: the price is flagged though only the extras differ, and every seat is missing", () => {
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

  it("counts minutes both ways, across midnight, and reports what it cannot compare", () => {
    const depart = (departure_time: string) =>
      with_((s) => s.map((one, i) => (i === 0 ? { ...one, origin: { ...one.origin, departure_time } } : one)));
    expect(depart("2027-04-02 00:15:00")).toMatchObject([{ kind: "time", departureMinutes: 45, arrivalMinutes: 0 }]);
    expect(depart("2027-04-01 23:00:00")).toMatchObject([{ departureMinutes: -30 }]);
    expect(depart("0001-01-01 00:00:00")).toMatchObject([{ departureMinutes: null }]);
  });

  const first = only(oneWay.segments);
  const at = (departure_time: unknown) => [{ ...first, origin: { ...first.origin, departure_time } }] as never;

  it.each([
    ["segments", { segments: null }, {}],
    ["segments", { segments: [] }, {}],
    ["airline", { segments: [{ ...first, airline_code: undefined }] as never }, {}],
    ["number", { segments: [{ ...first, flight_number: "" }] }, {}],
    ["booked segments", {}, { segments: [] }],
    ["booked airline", {}, { segments: held.segments.map((one) => ({ ...one, airline_code: " " })) }],
    ["booked duration", {}, { segments: held.segments.map(({ duration: _, ...one }) => one) }],
    ["booked flag", {}, { segments: held.segments.map((one) => ({ ...one, is_stopover: "false" })) }],
  ] as const)("that cannot be compared for lack of %s are not called other flights", (_, quoted, other) => {
    expect(compareHeld(other, quoted)).toMatchObject({
      changed: true,
      flights: [],
      notCompared: ["flights"],
      summary: "Not compared with the quote, check by hand: flights.",
    });
  });

  it.each([
    [null, held.segments],
    ["0001-01-01 00:00:00", held.segments],
    [first.origin.departure_time, at("0001-01-01 00:00:00")],
    [first.origin.departure_time, at("10 Feb 2027 06:15")],
  ])("have a time that cannot be compared: %j", (departure, segments) => {
    const changes = compareHeld({ segments }, { segments: at(departure) });
    expect(changes).toMatchObject({ flights: [{ kind: "time", departureMinutes: null }], notCompared: ["flights"] });
    expect(changes.summary).toMatch(/^A time of flight ZZ 101 cannot be compared\. Not compared .*: flights\.$/);
  });

  it("are not confirmed, although another of them, or they themselves, have no name", () => {
    const cancelled = { ...first, flight_status: "Cancelled" };
    const nameless = { ...first, flight_number: "" };
    for (const segments of [
      [cancelled, nameless],
      [{ ...nameless, flight_status: "Cancelled" }, first],
    ]) {
      const changes = compareHeld({ segments }, { segments: [first, first] });
      expect(changes).toMatchObject({ flights: [{ kind: "notConfirmed", index: 0 }], notCompared: ["flights"] });
      expect(changes.summary).toMatch(/not confirmed/);
    }
  });

  it("have times that neither side says", () => {
    const segments = at("");
    expect(compareHeld({ segments }, { segments })).toMatchObject({
      flights: [],
      notCompared: ["flights"],
    });
  });

  it.each([
    ["2027-02-10 06:15:30", []],
    ["2027-02-10 06:16:00", [{ departureMinutes: 1 }]],
    ["2027-02-10 06:14:59", [{ departureMinutes: -1 }]],
  ])("leave at %s, in whole minutes", (departure, flights) => {
    const { summary, ...changes } = compareHeld({ segments: at(departure) });
    expect(changes.flights).toMatchObject(flights);
    expect(summary).toMatch(flights.length === 0 ? /^$/ : /^Flight ZZ 101 leaves 1 minute (?:later|earlier)\.$/);
  });

  it("a status that was already quoted is not a change", () => {
    const segments = oneWay.segments.map((one) => ({ ...one, flight_status: "Waitlisted" }));
    expect(compareHeld({ segments }, { segments }).flights).toEqual([]);
  });
});

describe("seats and extras", () => {
  it("finds one missing seat by code and leg, in any case", () => {
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

  it("finds the seat that is missing on the second of two flights of one route", () => {
    const seat = { code: "12A", origin: "DEL", destination: "BOM" };
    const [person] = held.passengers;
    const missing = (...seats: readonly object[]) =>
      compareBooking(oneWay, { ...held, seats_booked: true, passengers: [{ ...person, seat: seats }] }, [
        { ...only(single), seat: [seat, seat] },
      ]).missingSeats;
    expect(missing(seat, seat)).toEqual([]);
    expect(missing(seat)).toEqual([{ passenger: 0, ...seat }]);
  });

  it("trusts the flag that no seat is booked over a list that has them", () => {
    const result = { ...booked("international-family"), seats_booked: false };
    expect(compareBooking(family, result, four).missingSeats).toHaveLength(4);
  });

  it("trusts the flag that the price changed over amounts that are the same", () => {
    expect(compareHeld({ price_changed: true })).toMatchObject({
      changed: true,
      price: { flagged: true, difference: inr("0") },
    });
  });

  it("does not take off extras that the total does not contain", () => {
    const fare = { ...held.fare, total_meal_charges: 350 };
    expect(compareHeld({ fare }).price).toMatchObject({
      extras: inr("350"),
      difference: inr("0"),
    });
  });

  it.each([
    ["a total that is a sum of floats", 4087.7599999999998],
    ["an exact one", 4087.76],
  ])("takes off extras that %s contains", (_case, total_fare) => {
    const shown = { ...oneWay.fare, total_fare: 3487.76 };
    const fare = { currency: "INR", basefare: 3007.49, tax_and_surcharges: 480.27, total_fare };
    const charges = { total_seat_charges: 350.1, total_meal_charges: 249.9 };
    const { price } = compareHeld({ fare: { ...fare, ...charges } }, { fare: shown });
    expect(price).toMatchObject({ extras: inr("600"), difference: inr("0") });
  });

  it.each([undefined, null, "text", {}, { fare: null, segments: {}, passengers: 5 }])(
    "%j compares with nothing and never throws",
    (result) => {
      expect(compareBooking(oneWay, result, four)).toMatchObject({
        changed: true,
        notCompared: ["price", "flights", "refundable", "passengers"],
        missingSeats: { length: 4 },
      });
    },
  );
});

describe("changes that the service reports", () => {
  it.each([true, "true", "TRUE", 1, "1", "Y"])(
    "trusts time_changed: %j over times that are the same",
    (time_changed) => {
      expect(compareHeld({ time_changed })).toMatchObject({
        changed: true,
        timeFlagged: true,
        flights: [],
        summary: "The airline reports that flight times have changed: ask for the new ones.",
      });
    },
  );

  it.each([false, "false", 0, null, {}])("and ignores time_changed: %j", (time_changed) => {
    expect(compareHeld({ time_changed })).toMatchObject({ changed: false, timeFlagged: false });
  });

  it("reads the other flags the same way", () => {
    expect(compareHeld({ price_changed: "true" })).toMatchObject({
      changed: true,
      price: { flagged: true },
      summary: "The airline reports that the price has changed.",
    });
    expect(
      compareBooking(family, { ...booked("international-family"), seats_booked: 0 }, four).missingSeats,
    ).toHaveLength(4);
  });
});

describe("the terms of the fare", () => {
  const withSegment = (changes: object) =>
    compareHeld({ segments: held.segments.map((one) => ({ ...one, ...changes })) });

  it.each([
    [{ fare_class: "Z" }, { kind: "fareClass", index: 0, after: "Z" }],
    [{ fare_class: "" }, { kind: "fareClass", index: 0, after: "" }],
    [
      { baggage: { checked_baggage: "0 KG", cabin_baggage: "7 KG" } },
      { kind: "baggage", index: 0, before: "15 KG", after: "0 KG" },
    ],
    [
      { baggage: { checked_baggage: "1.5 KG", cabin_baggage: "7 KG" } },
      { kind: "baggage", index: 0, before: "15 KG", after: "1.5 KG" },
    ],
    [
      { baggage: { checked_baggage: "15 KG", cabin_baggage: "" } },
      { kind: "baggage", index: 0, before: "7 KG", after: "" },
    ],
  ])("%j", (changes, term) => {
    expect(withSegment(changes)).toMatchObject({
      changed: true,
      terms: [term],
      summary: expect.stringMatching(/^The .* instead of /),
    });
  });

  it.each([
    { baggage: { checked_baggage: "15kg", cabin_baggage: "7 Kgs" } },
    { baggage: { checked_baggage: "15 Kilograms", cabin_baggage: "7 kilo" } },
    { baggage: { checked_baggage: "15 Kilos", cabin_baggage: "7 kilogrammes" } },
    { fare_class: ` ${only(held.segments).fare_class.toLowerCase()} ` },
    { flight_class: null },
    { flight_status: "CONFIRMED" },
    { airline_code: only(held.segments).airline_code.toLowerCase() },
  ])("%j is not a change", (changes) => {
    expect(withSegment(changes)).toMatchObject({ changed: false, terms: [], flights: [] });
  });

  it("another cabin, if both are named", () => {
    const quoted = oneWay.segments.map((one) => ({ ...one, flight_class: "Business" }));
    const segments = held.segments.map((one) => ({ ...one, flight_class: "economy" }));
    expect(compareHeld({ segments }, { segments: quoted }).terms).toEqual([
      { kind: "cabin", index: 0, before: "Business", after: "economy" },
    ]);
  });

  it("a refund that is gone, and one that is not known", () => {
    expect(compareHeld({ non_refundable: true })).toMatchObject({
      changed: true,
      terms: [{ kind: "refundable", before: "refundable", after: "non-refundable" }],
      summary: "The refund rule is non-refundable instead of refundable.",
    });
    expect(compareHeld({ non_refundable: null })).toMatchObject({
      changed: true,
      notCompared: ["refundable"],
      summary: "Not compared with the quote, check by hand: refundable.",
    });
  });
});

describe("the passengers", () => {
  const result = booked("international-family");
  const compare = (passengers: unknown) => compareBooking(family, { ...result, passengers }, four);
  const [first, second, ...others] = result.passengers;

  it("in another order are the same, and so is a name without its accents", () => {
    const spelt = { ...first, fname: ` ${first?.fname.toLowerCase()}`, dob: `${first?.dob} 00:00:00` };
    expect(compare([...others, second, spelt])).toMatchObject({ changed: false, passengers: [] });
  });

  it("who are missing, or were never sent, or are somebody else, by place and without a name", () => {
    expect(compare([first, ...others]).passengers).toEqual([{ kind: "missing", passenger: 1 }]);
    expect(compare([...result.passengers, { ...first, fname: "OTHER" }]).passengers).toEqual([
      { kind: "added", booked: 4 },
    ]);
    const changes = compare([{ ...first, dob: "1999-09-09", gender: "M", title: "Mr" }, second, ...others]);
    expect(changes).toMatchObject({ changed: true, passengers: [{ kind: "changed", passenger: 0, booked: 0 }] });
    expect(changes.passengers[0]?.fields).toContain("dob");
    expect(changes.summary).toMatch(/^Passenger 1 is booked with another dob/);
    expect(JSON.stringify([changes.summary, changes.passengers])).not.toMatch(new RegExp(`1999|${first?.lname}`));
  });

  it("distinguishes names that differ only in their vowel signs", () => {
    const sent = only(single);
    const result = { passengers: [{ ...sent, fname: "रमा" }] };
    const { passengers } = compareBooking(oneWay, result, [{ ...sent, fname: "राम" }]);
    expect(passengers).toMatchObject([{ kind: "missing" }, { kind: "added" }]);
  });

  it.each([undefined, null, "text", [null], [{}]])("%j cannot be compared", (passengers) => {
    expect(compare(passengers)).toMatchObject({ changed: true, notCompared: ["passengers"] });
  });

  it("are not compared if there are more than any booking has", () => {
    const many = (length: number) => Array.from({ length }, () => first);
    expect(compare(many(99)).notCompared).toEqual([]);
    expect(compare(many(100)).notCompared).toEqual(["passengers"]);
  });
});

describe("§3.4 the ticket deadline", () => {
  it("is read in Indian time by default", () => {
    expect(ticketDeadline(held)).toMatchObject({
      text: "2026-11-23 23:59:00",
      zone: "Asia/Kolkata",
      instant: Date.UTC(2026, 10, 23, 18, 29),
    });
    expect(ticketDeadline(held, "UTC")?.instant).toBe(Date.UTC(2026, 10, 23, 23, 59));
    expect(ticketDeadline(booked("without-pnr"))).toBeNull();
    expect(ticketDeadline({})).toBeNull();
  });

  it("refuses an invalid result, time zone or point in time", () => {
    for (const result of [null, undefined, "text"]) {
      expect(() => ticketDeadline(result as never)).toThrow(ConfigurationError);
    }
    expect(() => ticketDeadline({}, "Asia/Nowhere")).toThrow(ConfigurationError);
    for (const now of [Number.NaN, new Date(Number.NaN), "now", null]) {
      expect(() => new TicketDeadline("", "UTC", 0).remaining(now as never)).toThrow(ConfigurationError);
    }
  });

  it.each([
    [0, true, "over"],
    [-5, true, "over"],
    [30_000, false, "less than a minute"],
    [35 * 60_000, false, "35 min"],
    [90 * 60_000, false, "1 h 30 min"],
    [28 * 3_600_000, false, "1 d 4 h"],
  ])("%i ms left", (duration, passed, text) => {
    const deadline = new TicketDeadline("2026-11-23 23:59:00", "UTC", 1_000_000_000);
    expect(deadline.remaining(1_000_000_000 - duration)).toEqual({ duration, passed, text });
    expect(deadline.remaining(new Date(1_000_000_000 - duration)).text).toBe(text);
  });

  it("counts from the present by default", () => {
    stopClock("Date");
    expect(new TicketDeadline("", "UTC", Date.now() + 3_600_000).remaining()).toMatchObject({ duration: 3_600_000 });
  });
});
