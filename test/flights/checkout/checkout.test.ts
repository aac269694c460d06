import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type Emulator, refusal, type SearchName } from "../../../src/emulator/emulator.ts";
import { RequestValidationError } from "../../../src/errors/request.ts";
import {
  type CheckoutOptions,
  checkout,
  fees,
  memoryJournal,
  PassengerValidationError,
  resumeCheckout,
} from "../../../src/flights/index.ts";
import type { FareQuote, Passenger } from "../../../src/flights/types/index.ts";
import { ServiceApi } from "../../../src/service-api.ts";
import { only, sampleOffer, samplePassengers, sampleQuote } from "../offers.ts";
import { confirmed, day, fails, inr, inTurn, passengers, quotedTrip, quoteOf, withOffers } from "./support.ts";

/** A client of an emulator behind a real socket, and one trip in it. */
async function setUp(search?: SearchName, options: Partial<CheckoutOptions> = {}) {
  const emulator = createEmulator({ now: day });
  const server = await emulator.listen();
  onTestFinished(() => server.close());
  const api = new ServiceApi({ baseUrl: server.url, clientId: "demo", clientSecret: "demo-secret", maxRetries: 0 });
  const { trace_id, token } = emulator.seedSearch(search);
  const settings = { journal: memoryJournal(), now: () => emulator.clock.now(), ...options };
  const trip = checkout(api, { trace_id, token }, settings);
  return { emulator, api, trip, settings };
}

/** The same, with the quote of the trip. */
async function quoted(search?: SearchName, options?: Partial<CheckoutOptions>) {
  const set = await setUp(search, options);
  return { ...set, quote: await set.trip.quote() };
}

const named = (lname: string, changes: Partial<Passenger> = {}): readonly Passenger[] => [
  { ...only(passengers), lname, ...changes },
];

const sent = (emulator: Emulator, operation: string) =>
  emulator.requests.filter((request) => request.operation === operation);

describe("a checkout in the console", () => {
  it("prints its progress, without a token or a passenger", async () => {
    const { trip } = await setUp();
    expect(inspect(trip)).toBe("Checkout { not quoted yet; bookings: none }");
    await trip.quote();
    expect(inspect(trip)).toBe("Checkout { quoted; bookings: none }");
    await trip.book({ passengers });
    expect(inspect(trip, { depth: 10, showHidden: true })).toBe("Checkout { quoted; bookings: booked }");
  });
});

describe("a checkout, from a search token to a PNR", () => {
  it("quotes, returns the rules, checks, computes fees and books", async () => {
    const { trip, emulator, quote } = await quoted();
    expect(quote.data.result[0]?.fare.total_fare).toBe(7480);
    expect((await trip.rules()).data.result).toHaveLength(1);
    expect(trip.validate(passengers)).toEqual([]);
    expect(trip.validate([null])).toContainEqual(expect.objectContaining({ path: ["passengers", 0] }));
    expect(trip.fees({ type: "Cancellation", at: "2027-02-01 00:00:00" }).fee).toMatchObject({ total: inr("3500") });

    const booking = await trip.book({ passengers, maxTotal: inr("7480.00") });
    expect(booking).toMatchObject({
      pnr: emulator.bookings[0]?.pnr,
      bookingId: String(emulator.bookings[0]?.booking_id),
      warnings: [],
      changes: { changed: false, price: { difference: inr("0") }, flights: [], missingSeats: [], notCompared: [] },
      nextStep: {
        action: "issueTicket",
        message:
          "This is a reservation, not a ticket. Have the ticket issued before 2026-11-23 23:59:00 (Asia/Kolkata).",
      },
    });
    expect(booking.body.data.result.pnr).toBe(booking.pnr);
    expect(booking.clientReferenceId).toMatch(/^[0-9A-Z]{26}$/);
    expect(booking.deadline?.remaining(day).text).toBe("3 d 12 h");
    expect(booking.deadline?.remaining(Date.UTC(2027, 0, 1)).passed).toBe(true);
  });

  it("requires a quote first: everything refers to what the user was shown", async () => {
    const { trip } = await setUp();
    for (const early of [
      () => trip.validate(passengers),
      () => trip.fees({ type: "Cancellation", at: "2027-02-01 00:00:00" }),
    ]) {
      expect(early).toThrow(/Call quote\(\) first/);
    }
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "ConfigurationError" });
  });

  it("turns an empty quote into OfferUnavailableError", async () => {
    const { trip } = await setUp("empty-result");
    expect(await fails(trip.quote())).toMatchObject({
      name: "OfferUnavailableError",
      kind: "offer_unavailable",
      httpStatus: 200,
      operation: "flights.fareQuote",
      body: { data: { result: [] } },
    });
  });

  it("counts the session from the first request, whichever it is, to the millisecond", async () => {
    const { trip, emulator } = await setUp();
    await trip.rules();
    expect(trip.session).toMatchObject({ startedAt: day, expiresAt: day + 900_000 });
    await emulator.clock.advance(899_999);
    expect(trip.session.mayHaveExpired).toBe(false);
    await emulator.clock.advance(1);
    expect(trip.session.mayHaveExpired).toBe(true);
  });

  it("reports that the session has probably expired, and still refuses nothing", async () => {
    const { trip, emulator } = await setUp();
    expect(trip.session).toEqual({ startedAt: null, expiresAt: null, mayHaveExpired: false });
    await trip.quote();
    expect(trip.session).toEqual({ startedAt: day, expiresAt: day + 900_000, mayHaveExpired: false });
    await emulator.clock.advance(900_001);
    expect(trip.session.mayHaveExpired).toBe(true);
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "SessionExpiredError", outcome: "rejected" });
  });
});

it("a fresh quote is requested with the options of the one that was shown", async () => {
  const { trip, emulator } = await setUp();
  await trip.quote({ extraBody: { user: "agent-7" }, signal: new AbortController().signal });
  await trip.book({ passengers, maxTotal: trip.total ?? expect.unreachable() });
  expect(sent(emulator, "flights.fareQuote").map(({ body }) => Object(body).user)).toEqual(["agent-7", "agent-7"]);
});

describe("passengers are checked before anything is sent", () => {
  it("an error stops the booking and carries every issue", async () => {
    const { trip, emulator } = await quoted();
    const error = await fails(trip.book({ passengers: named("SAMPLE", { title: "Mrs" }) }));
    expect(error).toMatchObject({ name: "PassengerValidationError", outcome: "notSent", operation: "flights.book" });
    for (const type of [PassengerValidationError, RequestValidationError]) expect(type.isInstance(error)).toBe(true);
    expect(error.issues).toMatchObject([{ code: "title_gender_mismatch", suggestion: "Mr" }]);
    // They may be names.
    for (const shown of [inspect(error), JSON.stringify(error)]) expect(shown).not.toMatch(/suggestion|values/);
    expect(error.message).toBe(
      "The passengers cannot be booked as they are: passengers[0].title: The title does not match the gender (title_gender_mismatch). Nothing was sent.",
    );
    expect(sent(emulator, "flights.book")).toHaveLength(0);
    expect(trip.bookingAttempts).toEqual([]);
  });

  it("its message has three of many issues, and nothing of what was typed", async () => {
    const { trip } = await quoted();
    const odd = {
      fname: "FN4ME",
      lname: "LN4ME",
      dob: "2022-02-22",
      title: "Mrs",
      email: "typed@example.com",
    } as const;
    const error = await fails(trip.book({ passengers: named("LN4ME", odd) }));
    expect(error.message).toMatch(
      /^The passengers cannot be booked as they are: passengers\[0\]\.passenger_type: .* \(adult_too_young\); passengers\[0\].*; passengers\[0\].*; and 1 more in `issues`\. Nothing was sent\.$/,
    );
    for (const typed of Object.values(odd)) expect(error.message).not.toContain(typed);
  });

  it("acceptIssues and extraBody let a family abroad fly", async () => {
    const family = samplePassengers("international-family-ssr-gst");
    for (const [accept, extraBody] of [
      [["passport_required_at_book"], undefined],
      [undefined, { passengers: family.map(() => ({ passport_no: "X0000000" })) }],
    ] as const) {
      const { trip, emulator } = await quoted("international-roundtrip-family");
      expect(await fails(trip.book({ passengers: family }))).toMatchObject({ kind: "request_validation" });
      const booking = await trip.book({ passengers: family, acceptIssues: accept }, { extraBody });
      expect(booking.changes).toMatchObject({ changed: false, price: { extras: inr("6450"), difference: inr("0") } });
      expect(JSON.stringify(sent(emulator, "flights.book")[0]?.body).includes("X0000000")).toBe(
        extraBody !== undefined,
      );
    }
  });

  it("a quote with two results is one trip for ages, and is booked one result at a time", async () => {
    const { trip, emulator, quote } = await quoted("domestic-roundtrip-two-results");
    expect(await fails(trip.book({ passengers }))).toMatchObject({
      name: "RequestValidationError",
      operation: "flights.book",
      issues: [{ path: ["offerIndex"], code: "missing" }],
      message:
        "trip.book: `offerIndex` must choose one of 2 results (0 to 1), or bookAll() books them. Nothing was sent.",
    });
    const query = { type: "Cancellation", at: new Date(0), zone: "Asia/Kolkata" } as const;
    expect(trip.fees(query)).toEqual(fees(quote.data.result, query));
    expect(trip.fees(query).journeys).toHaveLength(2);
    expect(() => trip.validate(passengers, { offerIndex: 2 })).toThrow(
      expect.objectContaining({
        message: "trip.validate: `offerIndex` must be an integer between 0 and 1. Nothing was sent.",
        operation: undefined,
        issues: [expect.objectContaining({ path: ["offerIndex"], code: "out_of_range" })],
      }),
    );

    const out = await trip.book({ passengers, offerIndex: 0 });
    const back = await trip
      .book({ passengers: named("TIMEOUTNOTBOOKED"), offerIndex: 1 })
      .catch((error: unknown) => error);
    expect(back).toMatchObject({ name: "BookingOutcomeUnknownError" });
    expect(trip.bookingAttempts.map(({ result, state, token }) => [result, state, token])).toEqual([
      [0, "booked", quote.data.result[0]?.token],
      [1, "unknown", quote.data.result[1]?.token],
    ]);
    expect(emulator.bookings.map(({ pnr }) => pnr)).toEqual([out.pnr]);
  });
});

describe("the price is held before anything is booked", () => {
  it("a fresh quote above maxTotal is an error that carries it, and booking goes on with the new price", async () => {
    const { trip, emulator } = await quoted();
    emulator.on("flights.fareQuote", "success-higher-than-search");
    const error = await fails(trip.book({ passengers, maxTotal: inr("7600.00") }));
    expect(error).toMatchObject({
      name: "PriceAboveLimitError",
      kind: "price_above_limit",
      outcome: "notSent",
      total: inr("8250"),
      limit: inr("7600"),
      offerIndex: 0,
    });
    expect((error.quote as FareQuote).data.result[0]?.fare.total_fare).toBe(8250);
    expect(JSON.stringify(error)).not.toContain("FQ");
    expect(sent(emulator, "flights.book")).toHaveLength(0);
    expect(trip.bookingAttempts).toEqual([]);

    const booking = await trip.book({ passengers, maxTotal: inr("8250") });
    expect(booking.changes.price).toMatchObject({ quoted: inr("8250"), booked: inr("8250"), difference: inr("0") });
    const quotes = sent(emulator, "flights.fareQuote");
    expect(quotes).toHaveLength(3);
  });

  it("no fresh quote is requested if the last one is recent enough for the caller", async () => {
    const { trip, emulator, quote } = await quoted();
    await emulator.clock.advance(59_999);
    const more = { requoteIfOlderThan: 60_000 };
    expect(await fails(trip.book({ passengers, maxTotal: inr("7479.99"), ...more }))).toMatchObject({
      total: inr("7480"),
    });
    expect(sent(emulator, "flights.fareQuote")).toHaveLength(1);
    await emulator.clock.advance(1);
    await trip.book({ passengers, maxTotal: inr("7480"), ...more });
    expect(sent(emulator, "flights.fareQuote")).toHaveLength(2);
    const [{ body: first } = {}, ...others] = sent(emulator, "flights.book");
    expect(others).toEqual([]);
    expect(first).not.toMatchObject({ token: quote.data.result[0]?.token });
    expect(trip.bookingAttempts).toMatchObject([{ token: Object(first).token }]);
    expect(trip.shown?.body).toEqual(quote);
  });

  it("without maxTotal, a quote that had to be renewed may not cost more than the one that was shown", async () => {
    const { trip, emulator } = await quoted();
    emulator.on("flights.fareQuote", "success-higher-than-search");
    expect(await fails(trip.book({ passengers, requoteIfOlderThan: 0 }))).toMatchObject({
      total: inr("8250"),
      limit: inr("7480"),
    });
    expect(emulator.bookings).toHaveLength(0);
  });

  it("without either, the quote that was shown is booked as it is", async () => {
    const { trip, emulator, quote } = await quoted();
    await trip.book({ passengers });
    expect(sent(emulator, "flights.fareQuote")).toHaveLength(1);
    expect(emulator.bookings[0]?.token).toBe(quote.data.result[0]?.token);
  });

  it("other flights on a fresh quote are an error, not a surprise", async () => {
    const { trip, emulator } = await quoted();
    emulator.on("flights.fareQuote", "success-domestic-oneway-lcc");
    const error = await fails(trip.book({ passengers, maxTotal: inr("9000") }));
    expect(error).toMatchObject({
      name: "OfferChangedError",
      kind: "offer_changed",
      flights: [{ kind: "replaced", index: 0 }],
      operation: "flights.fareQuote",
      message: expect.stringContaining("shown. It has other flights or times. "),
    });
    expect(emulator.bookings).toHaveLength(0);
  });

  it.each([
    { amount: "7,600", currency: "INR" },
    { amount: "", currency: "INR" },
    { amount: "7600", currency: "" },
  ])("%j is not a limit: nothing is requested", async (maxTotal) => {
    const { trip, emulator } = await quoted();
    expect(await fails(trip.book({ passengers, maxTotal }))).toMatchObject({ name: "ConfigurationError" });
    expect(emulator.requests).toHaveLength(1);
  });

  it("cannot compare a missing price or one in another currency", async () => {
    const { trip, emulator } = await quoted();
    expect(await fails(trip.book({ passengers, maxTotal: { amount: "100", currency: "USD" } }))).toMatchObject({
      name: "PriceAboveLimitError",
      operation: "flights.fareQuote",
      total: null,
      message:
        "The offer costs INR 7480, which cannot be compared with the limit of USD 100: name a limit in INR. Nothing was booked.",
    });
    expect(await fails(trip.book({ passengers, maxTotal: inr("7479") }))).toMatchObject({
      message: expect.stringMatching(/^The offer costs INR 7480, above the limit of INR 7479\. Nothing was booked/),
    });
    expect(emulator.bookings).toHaveLength(0);
  });

  it("an unreadable price needs a limit of the caller, and a missing result is a changed offer", async () => {
    const { trip, emulator } = await quoted("domestic-roundtrip-two-results");
    emulator.on("flights.fareQuote", "success-domestic-oneway-full-service");
    expect(await fails(trip.book({ passengers, offerIndex: 1, requoteIfOlderThan: 0 }))).toMatchObject({
      name: "OfferChangedError",
      flights: [],
      message: expect.stringContaining("It has no offer with `offerIndex` 1."),
    });

    const { fare } = sampleOffer("domestic-oneway-full-service");
    const { trip: odd } = await quotedTrip({ quote: () => quoteOf({ fare: { ...fare, currency: null } }) });
    expect(await fails(odd.book({ passengers, requoteIfOlderThan: 0 }))).toMatchObject({
      message: expect.stringContaining("`maxTotal`"),
    });
    expect(await fails(odd.book({ passengers, maxTotal: inr("1") }))).toMatchObject({
      name: "PriceAboveLimitError",
      total: null,
      message: expect.stringMatching(
        /^The price of the offer cannot be read, or is less than its parts, and so not compared with the limit of INR 1\./,
      ),
    });
  });

  it("passengers are checked against all results, and what several refuse is one issue", async () => {
    const quote = sampleQuote("domestic-roundtrip-two-results");
    const [out, back] = quote.data.result;
    if (out === undefined || back === undefined) throw new Error("the sample has one result");
    const { trip } = await quotedTrip({ quote: () => withOffers(quote, out, { ...back, gst_mandatory: true }) });
    const codes = (offerIndex?: number) =>
      trip.validate([{ ...passengers[0], title: "Mr." }], { offerIndex }).map(({ code }) => code);
    expect(codes(1)).toEqual(expect.arrayContaining([...codes(0), "gst_missing"]));
    expect(codes().toSorted()).toEqual(codes(1).toSorted());
    expect(codes(0)).not.toContain("gst_missing");
  });

  it("passengers are checked again when the fresh quote asks for more", async () => {
    const { trip } = await quotedTrip({ quote: inTurn(quoteOf(), quoteOf({ gst_mandatory: true })) });
    const error = await fails(trip.book({ passengers, maxTotal: inr("7480") }));
    expect(error).toMatchObject({ name: "PassengerValidationError", issues: [{ code: "gst_missing" }] });
    expect(trip.bookingAttempts).toEqual([]);
  });

  it("an abort ends the fresh quote too, and nothing is booked", async () => {
    const { trip, emulator } = await quoted();
    emulator.on("flights.fareQuote", "no-response");
    const aborter = new AbortController();
    const failure = fails(trip.book({ passengers, maxTotal: inr("7480") }, { signal: aborter.signal }));
    await expect.poll(() => sent(emulator, "flights.fareQuote").length).toBe(2);
    aborter.abort();
    expect(await failure).toMatchObject({ name: "AbortError" });
    expect(trip.bookingAttempts).toEqual([]);
  });
});

describe("computes the changes between what was shown and what was booked", () => {
  it("a changed price", async () => {
    const { trip } = await quoted();
    const { changes, pnr } = await trip.book({ passengers: named("PRICECHANGE") });
    expect(pnr).not.toBe("");
    expect(changes).toMatchObject({
      changed: true,
      price: { quoted: inr("7480"), booked: inr("8250"), difference: inr("770"), flagged: true },
    });
  });

  it("a changed price that the flag hides", async () => {
    const { trip, emulator } = await quoted();
    emulator.on("flights.book", "success-silent-price-difference");
    const { changes } = await trip.book({ passengers });
    expect(changes).toMatchObject({ changed: true, price: { difference: inr("770"), flagged: false } });
  });

  it("changed times, flight by flight", async () => {
    const { trip } = await quoted();
    const { changes } = await trip.book({ passengers: named("TIMECHANGE") });
    expect(changes).toMatchObject({
      changed: true,
      price: { difference: inr("0") },
      flights: [{ kind: "time", index: 0, departureMinutes: 50, arrivalMinutes: 50 }],
    });
  });

  it("requested seats that were not booked", async () => {
    const { trip } = await quoted();
    const seat = [{ code: "12A", origin: "DEL", destination: "BOM" }];
    const { changes } = await trip.book({ passengers: named("NOSEAT", { seat }) });
    expect(changes).toMatchObject({
      changed: true,
      missingSeats: [{ passenger: 0, code: "12A", origin: "DEL", destination: "BOM" }],
    });
    const { trip: other } = await quoted();
    expect((await other.book({ passengers: named("SAMPLE", { seat }) })).changes).toMatchObject({
      changed: false,
      missingSeats: [],
    });
  });

  it("a flight that is not confirmed", async () => {
    const { trip } = await quoted();
    const { changes } = await trip.book({ passengers: named("WAITLIST") });
    expect(changes).toMatchObject({
      changed: true,
      flights: [{ kind: "notConfirmed", booked: { flight_status: "Waitlisted" } }],
    });
  });
});

describe("a booking whose response is lost is neither sent again nor forgotten", () => {
  it.each([
    ["dropped after it was booked", "TIMEOUTBOOKED", 1],
    ["dropped before it was booked", "TIMEOUTNOTBOOKED", 0],
    ["answered without a PNR", "NOPNR", 1],
  ])("%s", async (_case, lname, booked) => {
    const { trip, emulator, settings } = await quoted();
    const error = await fails(trip.book({ passengers: named(lname) }));
    expect(error).toMatchObject({ name: "BookingOutcomeUnknownError", outcome: "unknown", isRetryable: false });
    expect(error.message).toMatch(/Do not book again\. Look it up by client_referenceId [0-9A-Z]{26} or trace_id/);
    expect(emulator.bookings).toHaveLength(booked);
    expect(await settings.journal.pending()).toMatchObject([
      { clientReferenceId: error.clientReferenceId, state: "unknown" },
    ]);

    const again = await fails(trip.book({ passengers, maxTotal: inr("9000") }));
    expect(again).toMatchObject({
      name: "BookingAlreadySentError",
      kind: "booking_already_sent",
      outcome: "notSent",
      row: { state: "unknown" },
    });
    expect(again.message).toContain(error.clientReferenceId);
    expect(sent(emulator, "flights.book")).toHaveLength(1);
    expect(sent(emulator, "flights.fareQuote")).toHaveLength(1);
  });

  it.each(["in_progress", "partial", "html-502", "empty-200", "cut-json", "unavailable"] as const)(
    "%s",
    async (name) => {
      const { trip, emulator } = await quoted();
      emulator.on(
        "flights.book",
        name === "partial" ? refusal(206, { message: "Partial booking is successful." }) : name,
      );
      expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "BookingOutcomeUnknownError" });
      expect(trip.bookingAttempts).toMatchObject([{ state: "unknown", reason: "booking_outcome_unknown" }]);
      expect(sent(emulator, "flights.book")).toHaveLength(1);
    },
  );

  it("a duplicate may be booked already: it stays open", async () => {
    const { trip, emulator } = await quoted();
    emulator.on("flights.book", "duplicate");
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "DuplicateRequestError" });
    expect(trip.bookingAttempts).toMatchObject([{ state: "unknown", reason: "duplicate" }]);
  });

  it("a plain refusal is final, and another attempt is allowed", async () => {
    const { trip, emulator } = await quoted();
    emulator.on("flights.book", "insufficient_balance", { times: 1 });
    expect(await fails(trip.book({ passengers }))).toMatchObject({
      name: "InsufficientBalanceError",
      outcome: "rejected",
    });
    expect(trip.bookingAttempts).toMatchObject([{ state: "rejected", reason: "insufficient_balance" }]);
    expect((await trip.book({ passengers })).pnr).not.toBe("");
  });

  it("the look-up closes it: booked for good, or free to be booked", async () => {
    const { trip, emulator } = await quoted();
    await fails(trip.book({ passengers: named("TIMEOUTNOTBOOKED") }));
    await emulator.clock.advance(270_000);
    expect(await trip.reconcile("notBooked")).toMatchObject({ state: "rejected" });
    const booking = await trip.book({ passengers });
    expect(emulator.bookings.map(({ pnr }) => pnr)).toEqual([booking.pnr]);

    const { trip: other } = await quoted();
    const lost = await fails(other.book({ passengers: named("TIMEOUTBOOKED") }));
    expect(await other.reconcile({ pnr: "FOUND1", bookingId: 17 }, lost.clientReferenceId)).toMatchObject({
      state: "booked",
      pnr: "FOUND1",
      bookingId: "17",
    });
    expect(await fails(other.book({ passengers }))).toMatchObject({ row: { state: "booked" } });
  });

  it("reconcile asks which booking is meant", async () => {
    const { trip } = await quoted("domestic-roundtrip-two-results");
    expect(await fails(trip.reconcile("notBooked"))).toMatchObject({
      message: expect.stringContaining("no matching open booking"),
    });
    await fails(trip.book({ passengers: named("TIMEOUTBOOKED"), offerIndex: 0 }));
    await fails(trip.book({ passengers: named("TIMEOUTBOOKED"), offerIndex: 1 }));
    expect(await fails(trip.reconcile("notBooked"))).toMatchObject({
      message: expect.stringContaining("several open bookings"),
    });
    const [first] = trip.bookingAttempts;
    expect(await trip.reconcile({ pnr: "A" }, first?.clientReferenceId)).toMatchObject({ result: 0, state: "booked" });
    expect(await trip.reconcile({ pnr: "B" })).toMatchObject({ result: 1, state: "booked" });
  });

  it("allowDuplicate books anyway", async () => {
    const { trip, emulator } = await quoted();
    await fails(trip.book({ passengers: named("TIMEOUTNOTBOOKED") }));
    expect((await trip.book({ passengers, allowDuplicate: true })).pnr).not.toBe("");
    expect(sent(emulator, "flights.book")).toHaveLength(2);
  });

  it("two simultaneous bookings send one", async () => {
    const { trip, emulator } = await quoted();
    const results = await Promise.allSettled([trip.book({ passengers }), trip.book({ passengers })]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(sent(emulator, "flights.book")).toHaveLength(1);
  });

  it("a reference that is in use is not reused on any trip with the journal", async () => {
    const { trip, api, emulator, settings } = await quoted();
    await trip.book({ passengers, clientReferenceId: "order-17" });
    const other = checkout(api, emulator.seedSearch("domestic-oneway-lcc"), settings);
    await other.quote();
    expect(await fails(other.book({ passengers, clientReferenceId: "order-17" }))).toMatchObject({
      name: "BookingAlreadySentError",
    });
    expect(await settings.journal.find("order-17")).toMatchObject([{ state: "booked" }]);
    expect((await other.book({ passengers, clientReferenceId: "order-18" })).clientReferenceId).toBe("order-18");
  });

  it("a journal that cannot write stops the booking before it is sent", async () => {
    const journal = { ...memoryJournal(), claim: () => Promise.reject(new Error("disk full")) };
    const { trip, emulator } = await quoted(undefined, { journal });
    expect(await fails(trip.book({ passengers }))).toMatchObject({
      name: "JournalError",
      kind: "journal",
      outcome: "notSent",
      cause: { message: "disk full" },
    });
    expect(sent(emulator, "flights.book")).toHaveLength(0);
  });

  it("a journal that cannot write afterwards never costs the PNR, nor hides an error", async () => {
    const journal = { ...memoryJournal(), settle: () => Promise.reject(new Error("disk full")) };
    const { trip } = await quoted(undefined, { journal });
    const booking = await trip.book({ passengers });
    expect(booking.pnr).not.toBe("");
    expect(booking.warnings).toMatchObject([
      { path: ["journal", booking.clientReferenceId], message: expect.stringContaining("by hand") },
    ]);

    const { trip: other, emulator } = await quoted(undefined, {
      journal: { ...memoryJournal(), settle: journal.settle },
    });
    emulator.on("flights.book", refusal("invalid", { message: "Passenger details are not valid." }));
    expect(await fails(other.book({ passengers }))).toMatchObject({ name: "InvalidRequestError" });
  });
});

describe("a web shop: the quote page and the payment page are two requests", () => {
  it("carries the quote and the bookings over, and no passenger", async () => {
    const { trip, api, settings } = await quoted();
    const saved = JSON.stringify(trip);
    expect(saved).not.toMatch(/SAMPLE|demo-secret/);

    const payment = resumeCheckout(api, saved, settings);
    expect(payment.validate(passengers)).toEqual([]);
    const booking = await payment.book({ passengers });
    expect(booking.changes.changed).toBe(false);

    const twice = resumeCheckout(api, JSON.parse(JSON.stringify(payment)), settings);
    expect(await fails(twice.book({ passengers }))).toMatchObject({
      name: "BookingAlreadySentError",
      row: { pnr: booking.pnr },
    });
    expect(JSON.stringify(payment)).not.toContain("SAMPLE");
  });

  it("refuses what its own rows forbid, even if the journal does not have them", async () => {
    const { trip, api, settings, emulator } = await quoted();
    await fails(trip.book({ passengers: named("TIMEOUTNOTBOOKED") }));
    const resumed = resumeCheckout(api, JSON.stringify(trip), { ...settings, journal: memoryJournal() });
    expect(await fails(resumed.book({ passengers }))).toMatchObject({ name: "BookingAlreadySentError" });
    expect(sent(emulator, "flights.book")).toHaveLength(1);
  });

  it("one journal stops the second of two tabs", async () => {
    const { trip, api, settings, emulator } = await quoted();
    const [one, two] = [JSON.stringify(trip), JSON.stringify(trip)].map((saved) =>
      resumeCheckout(api, saved, settings),
    );
    await one?.book({ passengers });
    expect(two && (await fails(two.book({ passengers })))).toMatchObject({ name: "BookingAlreadySentError" });
    expect(sent(emulator, "flights.book")).toHaveLength(1);
  });

  it.each([
    "",
    "{",
    "null",
    null,
    5,
    {},
    { version: 1 },
    { version: 1, traceId: "t", token: "t", startedAt: null, shown: {}, attempts: [] },
  ])("%j is not a saved checkout", async (saved) => {
    const { api } = await setUp();
    expect(() => resumeCheckout(api, saved, { journal: memoryJournal() })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^resumeCheckout: this is not a saved checkout: pass what .* Nothing was sent\.$/,
        ),
        issues: [expect.objectContaining({ path: [], code: "not_saved" })],
      }),
    );
  });

  it("an unknown time zone fails immediately", async () => {
    const { api } = await setUp();
    expect(() =>
      checkout(api, { trace_id: "t", token: "t" }, { journal: memoryJournal(), deadlineZone: "Asia/Nowhere" }),
    ).toThrow(/`deadlineZone`/);
  });
});

describe("an odd response", () => {
  /** A client whose `book` gets this response. */
  async function bookedAs(body: unknown) {
    const { trip } = await quotedTrip({ book: () => body });
    return trip.book({ passengers });
  }

  it("is a booking if it proves one, and says what could not be compared", async () => {
    const booking = await bookedAs({ data: { result: { pnr: "ODD123" } } });
    expect(booking).toMatchObject({
      pnr: "ODD123",
      bookingId: "",
      deadline: null,
      nextStep: {
        message:
          "This is a reservation, not a ticket. Have the ticket issued. Not compared with the quote, check by hand: price, flights, refundable, passengers.",
      },
      changes: {
        changed: true,
        notCompared: ["price", "flights", "refundable", "passengers"],
        price: { booked: null, difference: null, flagged: false },
      },
    });
    expect(booking.warnings.length).toBeGreaterThan(0);
  });

  it("compares what can be compared", async () => {
    const { fare } = sampleOffer("domestic-oneway-full-service");
    const booking = await bookedAs(confirmed({ booking_id: 7, fare, last_ticket_date: "2026-11-21 10:00:00" }));
    expect(booking).toMatchObject({
      bookingId: "7",
      deadline: { text: "2026-11-21 10:00:00" },
      changes: { notCompared: ["flights", "refundable", "passengers"], price: { difference: inr("0"), extras: null } },
    });
  });
});
