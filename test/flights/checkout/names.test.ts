import { describe, expect, it } from "vitest";
import type { ValidationIssue } from "../../../src/errors/base.ts";
import { type BookingJournal, type CheckoutParams, checkout, resumeCheckout } from "../../../src/flights/index.ts";
import { fileJournal } from "../../../src/flights/journal/file.ts";
import type { Booking, BookingResult } from "../../../src/flights/types/index.ts";
import { quoteToken } from "../../../src/flights/types/tokens.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { sample } from "../samples.ts";
import { bookingInFlight, clientOf, day, fails, passengers, quotedTrip, quoteOf } from "./support.ts";

function bodyOf(status: string, result: object) {
  return { status, status_code: status === "SUCCESS" ? "200" : "400", message: "", data: { trace_id: "T", result } };
}

const tripOf = (answer: unknown) => quotedTrip({ book: () => answer });

/** The codes of warnings that a checkout adds. */
const codesOf = (warnings: readonly { readonly code: string }[]) =>
  warnings.map(({ code }) => code).filter((code) => code === "several_pnrs");

describe("a response with several PNRs", () => {
  const legs = { pnr: "ABC123", legs: [{ pnr: "DEF456" }, { PNR: "abc123" }, { pnr: "NA" }] };

  it("keeps all of them, and warns", async () => {
    const { api, trip, journal } = await tripOf(bodyOf("SUCCESS", legs));
    const booking = await trip.book({ passengers, clientReferenceId: "order-17" });
    expect(booking).toMatchObject({ pnr: "ABC123", pnrs: ["ABC123", "DEF456"] });
    expect(booking.warnings.find(({ code }) => code === "several_pnrs")?.path).toEqual(["pnrs"]);
    expect(codesOf(booking.warnings)).toEqual(["several_pnrs"]);
    const row = { state: "booked", pnr: "ABC123", pnrs: ["ABC123", "DEF456"] };
    expect(await journal.find("order-17")).toMatchObject([row]);
    expect(resumeCheckout(api, JSON.stringify(trip), { journal }).bookingAttempts).toMatchObject([row]);
  });

  it("keeps several that share one field", async () => {
    const { trip } = await tripOf(bodyOf("SUCCESS", { pnr: "ABC123/DEF456" }));
    const booking = await trip.book({ passengers });
    expect(booking).toMatchObject({ pnr: "ABC123/DEF456", pnrs: ["ABC123", "DEF456"] });
    expect(codesOf(booking.warnings)).toEqual(["several_pnrs"]);
  });

  it.each(["NOPNRYET", "NOTFOUND", "NOTREADY", "notready"])("does not take %s for a PNR", async (pnr) => {
    const { trip, journal } = await tripOf(bodyOf("SUCCESS", { pnr }));
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "BookingOutcomeUnknownError" });
    expect(await journal.pending()).toMatchObject([{ state: "unknown" }]);
  });

  it("keeps all of them in a journal file", async () => {
    const path = temporaryFile("bookings.jsonl");
    const { trip } = await quotedTrip({ book: () => bodyOf("SUCCESS", legs) }, { journal: fileJournal(path) });
    await trip.book({ passengers, clientReferenceId: "order-17" });
    expect(await fileJournal(path).find("order-17")).toMatchObject([{ pnrs: ["ABC123", "DEF456"] }]);
  });

  it("names all of them in the error and the row if it is not a success", async () => {
    const { trip, journal } = await tripOf(bodyOf("FAILED", legs));
    const error = await fails(trip.book({ passengers }));
    expect(error).toMatchObject({ name: "BookingOutcomeUnknownError", pnr: "ABC123", pnrs: ["ABC123", "DEF456"] });
    expect(JSON.stringify(error)).not.toContain("DEF456");
    expect(await journal.pending()).toMatchObject([{ state: "unknown", pnr: "ABC123", pnrs: ["ABC123", "DEF456"] }]);
  });

  it.each([
    ["the same one twice", { pnr: "ABC123", legs: [{ pnr: "ABC123" }] }],
    ["that of an echoed request", { pnr: "ABC123", request: { pnr: "DEF456" } }],
  ])("is not one with %s", async (_case, result) => {
    const { trip, journal } = await tripOf(bodyOf("SUCCESS", result));
    const booking = await trip.book({ passengers, clientReferenceId: "order-17" });
    expect(booking).toMatchObject({ pnr: "ABC123", pnrs: ["ABC123"] });
    expect(codesOf(booking.warnings)).toEqual([]);
    expect((await journal.find("order-17"))[0]).not.toHaveProperty("pnrs");
  });
});

describe("a booking ID beyond 2^53", () => {
  const text =
    '{"status":"SUCCESS","status_code":"200","message":"Booking confirmed","data":{"trace_id":"T","result":{"booking_id":9007199254740993}}}';

  it("keeps its digits in the result and in the journal", async () => {
    const { trip, journal } = await tripOf(new Response(text));
    const booking = await trip.book({ passengers, clientReferenceId: "order-17" });
    expect(booking.bookingId).toBe("9007199254740993");
    expect(codesOf(booking.warnings)).toEqual([]);
    expect(await journal.find("order-17")).toMatchObject([{ state: "booked", bookingId: "9007199254740993" }]);
  });

  it("keeps them in an error", async () => {
    const { trip, journal } = await tripOf(new Response(text.replace("SUCCESS", "FAILED").replace("200", "400")));
    expect(await fails(trip.book({ passengers }))).toMatchObject({ bookingId: "9007199254740993" });
    expect(await journal.pending()).toMatchObject([{ state: "unknown", bookingId: "9007199254740993" }]);
  });

  it("closes no row as a number", async () => {
    const { trip, journal } = await tripOf(Response.error());
    await fails(trip.book({ passengers }));
    expect(await fails(trip.reconcile({ bookingId: 2 ** 53 }))).toMatchObject({ name: "ConfigurationError" });
    expect(await journal.pending()).toHaveLength(1);
    expect(await trip.reconcile({ bookingId: "9007199254740993" })).toMatchObject({ bookingId: "9007199254740993" });
  });
});

describe("a success without a PNR and a booking ID", () => {
  it.each(["", "NOPNR"])("is closed by what the service operator finds (%j)", async (pnr) => {
    const { trip, journal, bookings } = await tripOf(bodyOf("SUCCESS", { pnr, booking_id: 0 }));
    const error = await fails(trip.book({ passengers, clientReferenceId: "order-17" }));
    expect(error).toMatchObject({ name: "BookingOutcomeUnknownError", outcome: "unknown" });
    expect(error.message).toContain("Look it up by client_referenceId order-17 or trace_id T");
    expect(error.message).toContain("reconcile it with the `pnr` or `bookingId` that was found");
    expect(error.message).toContain('"notBooked" if the operator says that there is no booking');
    const nameless = await fails(trip.reconcile({ pnr }));
    expect(nameless.message).toContain("leave the row open");
    expect(await journal.pending()).toHaveLength(1);
    expect(await trip.reconcile({ pnr: "ABC123" }, "order-17")).toMatchObject({ state: "booked", pnr: "ABC123" });
    expect(await journal.pending()).toEqual([]);
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "BookingAlreadySentError" });
    expect(bookings()).toHaveLength(1);
  });

  it("is closed as not booked once no response can arrive, and may be booked again", async () => {
    const { trip, journal, bookings } = await tripOf(bodyOf("SUCCESS", { pnr: "" }));
    await fails(trip.book({ passengers }));
    const [row] = await journal.pending();
    expect(await fails(trip.reconcile("notBooked"))).toMatchObject({ name: "BookingInFlightError" });
    expect(await trip.reconcile("notBooked", undefined, { now: () => Number(row?.responseDueBy) })).toMatchObject({
      state: "rejected",
    });
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "BookingOutcomeUnknownError" });
    expect(bookings()).toHaveLength(2);
  });
});

describe("a name that is corrected after a booking whose outcome is not known", () => {
  const corrected = passengers.map((one) => ({ ...one, lname: "KUMAR" }));
  const open = (warnings: readonly ValidationIssue[]) => warnings.filter(({ code }) => code === "open_booking");

  /** Another trip with the journal of the first, and another quote of the same flights. */
  async function next(journal: BookingJournal, search: Partial<CheckoutParams>, now = () => day) {
    const { api, bookings } = clientOf({ quote: () => quoteOf({ token: quoteToken("Q2") }) });
    const other = checkout(api, { trace_id: "T", token: "S", ...search }, { journal, now });
    await other.quote();
    return { other, bookings };
  }

  async function again(search: Partial<CheckoutParams>) {
    const { trip, journal } = await tripOf(Response.error());
    await fails(trip.book({ passengers, clientReferenceId: "order-17" }));
    return { trip, ...(await next(journal, search)) };
  }

  it("is refused for the same trip, and for another offer of the flights in its search", async () => {
    for (const search of [{}, { token: "FLEX" }]) {
      const { trip, other, bookings } = await again(search);
      for (const one of [trip, other])
        expect(await fails(one.book({ passengers: corrected }))).toMatchObject({
          name: "BookingAlreadySentError",
          row: { clientReferenceId: "order-17", state: "unknown" },
        });
      expect(bookings()).toEqual([]);
      expect(open((await other.book({ passengers: corrected, allowDuplicate: true })).warnings)).toEqual([]);
    }
  });

  it("is refused at the same moment too: the claims meet in the journal", async () => {
    const { api, bookings, journal } = await quotedTrip();
    const trips = [checkout(api, { trace_id: "T", token: "S" }, { journal, now: () => day })];
    trips.push(checkout(api, { trace_id: "T", token: "FLEX" }, { journal, now: () => day }));
    for (const trip of trips) await trip.quote();
    const party = [passengers, corrected];
    const clicks = trips.map((trip, i) => trip.book({ passengers: party[i] ?? [] }).catch(({ name }) => name));
    const results = await Promise.all(clicks);
    expect(results.filter((one) => one === "BookingAlreadySentError")).toHaveLength(1);
    expect(bookings()).toHaveLength(1);
  });

  it("is a warning after another search, which may be that of another customer", async () => {
    const { other } = await again({ trace_id: "T2" });
    expect(open((await other.book({ passengers: corrected })).warnings)).toEqual([
      { path: ["journal", "order-17"], message: expect.stringContaining("look it up"), code: "open_booking" },
    ]);
  });

  const [offer] = quoteOf().data.result;
  const others = offer?.segments.map((one) => ({ ...one, flight_number: "999" }));
  it.each<[string, object, object, object]>([
    ["of other flights", {}, { segments: others }, {}],
    ["whose flights cannot be read", { segments: [] }, { segments: [] }, {}],
    ["that is to be made twice", {}, {}, { allowDuplicate: true }],
  ])("adds no warning, after another search, to a booking %s", async (_, before, after, request) => {
    const { trip, journal } = await quotedTrip({ book: () => Response.error(), quote: () => quoteOf(before) });
    await fails(trip.book({ passengers }));
    const { api } = clientOf({ quote: () => quoteOf({ token: quoteToken("Q2"), ...after }) });
    const other = checkout(api, { trace_id: "T2", token: "S2" }, { journal, now: () => day });
    await other.quote();
    expect(open((await other.book({ passengers: corrected, ...request })).warnings)).toEqual([]);
  });

  it("adds a warning about a booking that is on its way only when its response is overdue", async () => {
    for (const [late, warnings] of [
      [0, 0],
      [270_000, 1],
    ] as const) {
      const { journal } = await bookingInFlight();
      const { other } = await next(journal, { trace_id: "T2" }, () => day + late);
      expect(open((await other.book({ passengers: corrected })).warnings)).toHaveLength(warnings);
    }
  });
});

describe("compares the booked passengers with those who were sent", () => {
  it("an extraBody has the last word", async () => {
    const booking = sample("book/success-full-service-held") as Booking;
    const [person] = passengers;
    const [held] = booking.data.result.passengers;
    const result: BookingResult = {
      ...booking.data.result,
      passengers: held ? ([{ ...held, ...person, fname: "MARIA" }] as never) : [],
    };
    const extraBody = { passengers: [{ fname: "MARIA" }] };
    const response = { ...booking, data: { ...booking.data, result } };
    const made = await tripOf(response);
    expect((await made.trip.book({ passengers }, { extraBody })).changes.passengers).toEqual([]);
    expect(made.bookings()).toMatchObject([{ passengers: [{ fname: "MARIA" }] }]);
    const other = await tripOf(response);
    expect((await other.trip.book({ passengers })).changes.passengers).not.toEqual([]);
  });
});

describe("the row of a booking says which flights it has", () => {
  const { segments } = quoteOf().data.result[0] ?? expect.unreachable();
  const [flight = expect.unreachable()] = segments;
  const from = (departure_time: string) => ({ ...flight, origin: { ...flight.origin, departure_time } });
  const back = { ...flight.destination, departure_time: "2027-02-10 09:30:00" };
  const next = { ...flight, flight_number: "0302", origin: back, destination: flight.origin };

  it.each<[string, readonly object[], readonly string[]]>([
    ["one", segments, ["ZZ 101 DEL-BOM 2027-02-10 06:15"]],
    [
      "a connection, in the order of the quote",
      [flight, next],
      ["ZZ 101 DEL-BOM 2027-02-10 06:15", "ZZ 302 BOM-DEL 2027-02-10 09:30"],
    ],
    ["one with a long number, cut", [{ ...flight, flight_number: "1".repeat(99) }], [`ZZ ${"1".repeat(77)}`]],
    ["one without a time", [from("0001-01-01 00:00:00")], ["ZZ 101 DEL-BOM"]],
    ["one whose number cannot be read, of two", [flight, { ...next, flight_number: "" }], []],
    ["none", [], []],
  ])("%s", async (_, segments, flights) => {
    const quote = quoteOf({ segments });
    const { trip } = await quotedTrip({ quote: () => quote });
    await trip.book({ passengers });
    expect(trip.bookingAttempts).toMatchObject([{ flights }]);
  });
});
