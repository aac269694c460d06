import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  adviceFor,
  BookingIncompleteError,
  type BookingJournal,
  type Checkout,
  checkout,
  type JournalRow,
  type Money,
  memoryJournal,
  quoteToken,
  reconcile,
  resumeCheckout,
} from "../../../src/flights/index.ts";
import type { FareQuote } from "../../../src/flights/types/index.ts";
import { gate } from "../../support/gate.ts";
import { at, bookedAt, inbound, original, outbound, quoteWith } from "./round-trip.ts";
import { booked, clientOf, confirmed, day, fails, inr, inTurn, passengers, quotedTrip, refused } from "./support.ts";

const whole = inr(String(outbound.fare.total_fare + inbound.fare.total_fare));
const orderId = "order-17";
const asked = { passengers, maxTotal: whole };
const orderTrip: typeof quotedTrip = (service, given) => quotedTrip(service, { orderId, ...given });
const lost = () => new Response("", { status: 502 });
const gone = () => refused("The flight is no longer available");

/** A round trip of which the first way is booked and the second is not, and another process that resumes it. */
async function halfBooked(
  second: unknown,
  {
    first = booked("PNR001"),
    rest = [] as unknown[],
    journal = memoryJournal(),
    quote = () => original,
    limit = whole,
  } = {},
) {
  const responses = [first, second, ...rest];
  const set = await orderTrip({ quote: () => quote(), book: () => responses.shift() }, { journal });
  const saved = JSON.stringify(set.trip);
  const error = await fails(set.trip.bookAll({ ...asked, maxTotal: limit }));
  const resume = () => resumeCheckout(set.api, saved, { journal, now: () => day });
  return { ...set, error, resume, resumed: resume() };
}

describe("bookAll with an `orderId`", () => {
  it("books only the rest, in another process, after a part of the trip was booked", async () => {
    const { resumed, bookings, error } = await halfBooked(gone(), { rest: [booked("PNR002")] });
    expect(error.name).toBe("BookingIncompleteError");
    const made = await resumed.bookAll(asked);
    expect(made.map(({ pnr, clientReferenceId }) => [pnr, clientReferenceId])).toEqual([["PNR002", "order-17-2"]]);
    expect(resumed.bookingAttempts.map(({ result, state, pnr }) => [result, state, pnr])).toEqual([
      [0, "booked", "PNR001"],
      [1, "booked", "PNR002"],
    ]);
    expect(bookings().map(({ token }) => token)).toEqual([outbound.token, inbound.token, inbound.token]);
  });

  it("keeps in the row what is to be said of a booking, whose process may crash before it is", async () => {
    const segments = outbound.segments.map((one) => ({ ...one, flight_status: "Waitlisted" }));
    const first = confirmed({ pnr: "PNR001", fare: outbound.fare, segments }, "");
    const { resumed, error } = await halfBooked(gone(), { first, rest: [bookedAt("PNR002", inbound)] });
    if (!BookingIncompleteError.isInstance(error)) throw error;
    const { changes } = error.bookings[0] ?? {};
    await resumed.bookAll(asked);
    expect(resumed.bookingAttempts).toMatchObject([{ pnr: "PNR001", isConfirmed: false }, { pnr: "PNR002" }]);
    expect(resumed.bookingAttempts[0]?.summary).toBe(changes?.summary);
    expect(changes?.summary).toContain("is not confirmed");
  });

  it("sends nothing, not even a quote, for a trip that is booked: the PNRs are those of its booking attempts", async () => {
    const { trip, api, journal, sent } = await orderTrip({
      quote: () => original,
      book: ({ client_referenceId }) => booked(client_referenceId === "order-17-1" ? "PNR001" : "PNR002"),
    });
    const saved = JSON.stringify(trip);
    expect(await trip.bookAll(asked)).toHaveLength(2);
    const before = sent.length;
    const second = resumeCheckout(api, saved, { journal, now: () => day });
    expect(await second.bookAll(asked)).toEqual([]);
    expect(second.bookingAttempts.map(({ pnr }) => pnr)).toEqual(["PNR001", "PNR002"]);
    expect(sent).toHaveLength(before);
  });

  it("stops at a booking that may exist, and goes on once a look-up has closed it", async () => {
    const { resumed, resume, journal, bookings } = await halfBooked(lost(), { rest: [booked("PNR002")] });
    const error = await fails(resumed.bookAll(asked));
    expect(error).toMatchObject({
      ...{ name: "BookingIncompleteError", offerIndex: 1, outcome: "notSent", clientReferenceId: "order-17-2" },
      cause: { name: "BookingAlreadySentError", row: { state: "unknown", clientReferenceId: "order-17-2" } },
    });
    expect(error.message).toMatch(
      /^1 of 2 offers is booked \(order-17-1, XX 311 DEL-BOM 2027-03-05 06:15\), and stands\./,
    );
    expect(adviceFor(error)).toMatchObject({ next: "wait", booked: [{ pnr: "PNR001" }] });
    expect(bookings()).toHaveLength(2);
    const [row] = await journal.pending();
    if (row === undefined) throw new Error("nothing is pending");
    await reconcile(journal, row, "notBooked", { now: () => row.responseDueBy });
    expect((await resume().bookAll(asked)).map(({ pnr }) => pnr)).toEqual(["PNR002"]);
    expect(bookings()).toHaveLength(3);
  });

  it("closes the other way with the PNR that its own response named", async () => {
    const named = { ...confirmed({ pnr: "XYZ789" }, ""), status: "FAILED", status_code: "500" };
    const { trip } = await halfBooked(named);
    expect(trip.bookingAttempts.at(1)).toMatchObject({ state: "unknown", pnr: "XYZ789" });
    expect(await trip.reconcile({ pnr: "XYZ789" })).toMatchObject({ state: "booked", pnr: "XYZ789" });
  });

  it("closes the other way with a PNR that only an attempt had which is not booked", async () => {
    const { trip, api } = await halfBooked(lost());
    const [first, second] = trip.bookingAttempts;
    const rows = [{ ...first, state: "rejected", pnr: "XYZ789" }, second] as JournalRow[];
    const saved = { ...JSON.parse(JSON.stringify(trip)), attempts: rows };
    const resumed = resumeCheckout(api, saved, { journal: memoryJournal(rows), now: () => day });
    expect(await resumed.reconcile({ pnr: "XYZ789" })).toMatchObject({ state: "booked", pnr: "XYZ789" });
  });

  it.each([
    ["PNR001", { pnr: "pnr001" }],
    ["PNR001", { pnr: "XYZ789,PNR001" }],
    ["PNR001", { bookingId: " a812345" }],
    ["AB12C", { pnr: "ab12c" }],
  ])("closes the other way of %s with %j, which the first one has, only with `force`", async (pnr, found) => {
    const first = confirmed({ pnr, booking_id: "A812345" }, "");
    const { trip, journal } = await halfBooked(lost(), { first });
    const open = await journal.pending();
    expect(await fails(trip.reconcile(found))).toMatchObject({
      name: "ConfigurationError",
      message:
        "reconcile: Another booking, order-17-1, has this PNR or booking ID. Nothing was changed. Look both up. If one PNR holds both, call reconcile with `force`.",
    });
    expect(await journal.pending()).toEqual(open);
    expect(await trip.reconcile(found, "order-17-2", { force: true })).toMatchObject({ state: "booked" });
  });

  it.each<[string, string, string?]>([
    ["6E/ABC123", "6E/XYZ789"],
    ["RES-10234", "RES-10235"],
    ["ABC123", "XYZ789", "ABC123"],
  ])(
    "closes the other way with a PNR that only begins like that of the first: %s, %s",
    async (one, other, bookingId) => {
      const first = confirmed({ pnr: one, booking_id: 5001 }, "");
      const { trip } = await halfBooked(lost(), { first });
      expect(await trip.reconcile({ pnr: other, bookingId: bookingId ?? 5002 }, "order-17-2")).toMatchObject({
        state: "booked",
      });
    },
  );

  it("names the first of those that are left, with what is left for all of them, if the fresh quote fails", async () => {
    const other = inbound.segments.map((segment) => ({ ...segment, flight_number: "7777" }));
    const result = [outbound, inbound, { ...inbound, token: quoteToken("Q-3"), segments: other }];
    const quotes = [quoteWith(...result)];
    const { trip } = await orderTrip({
      quote: () => quotes[0] ?? (lost() as never),
      book: inTurn(booked("PNR001"), gone()),
    });
    const ask = { passengers };
    await fails(trip.bookAll(ask));
    quotes.length = 0;
    expect(await fails(trip.bookAll({ ...ask, requoteIfOlderThan: 0 }))).toMatchObject({
      ...{ name: "BookingIncompleteError", offerIndex: 1, clientReferenceId: "order-17-2" },
    });
  });

  it("books the rest one time for two clicks at once", async () => {
    const { resume, bookings } = await halfBooked(gone(), { rest: [booked("PNR002"), booked("PNR003")] });
    const trips = [resume(), resume()];
    const made = await Promise.all(trips.map((trip) => trip.bookAll(asked)));
    expect(made.map((list) => list.map(({ pnr }) => pnr)).sort()).toEqual([[], ["PNR002"]]);
    for (const { parts } of trips)
      expect(parts).toMatchObject([{ row: { pnr: "PNR001" } }, { row: { pnr: "PNR002" } }]);
    expect(bookings()).toHaveLength(3);
  });

  it.each<[string, string?]>([["without it"], ["of another order", "order-18"]])(
    "keeps nothing %s",
    async (_, other) => {
      const { api, journal, bookings } = await halfBooked(gone());
      const trip = checkout(api, { trace_id: "T", token: "S" }, { journal, orderId: other, now: () => day });
      await trip.quote();
      expect(await fails(trip.bookAll(asked))).toMatchObject({
        ...{ name: "BookingAlreadySentError", row: { state: "booked", clientReferenceId: "order-17-1" } },
      });
      expect(bookings()).toHaveLength(2);
    },
  );

  const turned = quoteWith(inbound, outbound);

  it("knows what is booked by its flights, whatever the order of the quote", async () => {
    let quote = original;
    const { api, resumed, bookings, journal } = await halfBooked(gone(), {
      quote: () => quote,
      rest: [booked("PNR002"), booked("PNR003")],
    });
    quote = turned;
    const made = await resumed.bookAll({ ...asked, agreedQuote: turned });
    expect(made.map(({ pnr, clientReferenceId }) => [pnr, clientReferenceId])).toEqual([["PNR002", "order-17-2"]]);
    expect(bookings().at(-1)).toMatchObject({ token: inbound.token });
    expect(await journal.find("order-17-1")).toMatchObject([{ state: "booked", pnr: "PNR001" }]);
    const kumar = passengers.map((one) => ({ ...one, lname: "KUMAR" }));
    const alone = resumeCheckout(api, { ...JSON.parse(JSON.stringify(resumed)), orderId: undefined }, { journal });
    for (const offerIndex of [0, 1])
      expect((await fails(alone.book({ passengers: kumar, offerIndex, agreedQuote: turned }))).name).toBe(
        "BookingAlreadySentError",
      );
    expect(bookings()).toHaveLength(3);
  });

  it("keeps what was booked in an earlier search, and books the rest in the new one", async () => {
    const { api, journal, bookings } = await halfBooked(gone(), { rest: [booked("PNR002")] });
    const trip = checkout(api, { trace_id: "T2", token: "S2" }, { journal, orderId, now: () => day });
    await trip.quote();
    expect((await trip.bookAll(asked)).map(({ pnr }) => pnr)).toEqual(["PNR002"]);
    expect(bookings()).toHaveLength(3);
  });

  it("keeps nothing whose flights or names cannot be read: nobody knows that they are the same", async () => {
    const bare = quoteWith({ ...outbound, segments: [] }, { ...inbound, segments: [] });
    const { resumed, bookings } = await halfBooked(gone(), { quote: () => bare });
    expect((await fails(resumed.bookAll(asked))).name).toBe("BookingAlreadySentError");
    expect(bookings()).toHaveLength(2);
  });

  it("keeps each booking for one offer, of two with the same flights", async () => {
    const twins = quoteWith(outbound, { ...outbound, token: quoteToken("Q-2") });
    const { trip } = await orderTrip({ quote: () => twins, book: inTurn(booked("PNR001"), gone(), booked("PNR002")) });
    const ask = { ...asked, allowDuplicate: true };
    expect(await fails(trip.bookAll(ask))).toMatchObject({ name: "BookingIncompleteError", offerIndex: 1 });
    expect((await trip.bookAll(ask)).map(({ pnr, clientReferenceId }) => [pnr, clientReferenceId])).toEqual([
      ["PNR002", "order-17-2"],
    ]);
  });

  it.each([
    [0, 0, "PNR002"],
    [5, 0, undefined],
    [5, 5, "PNR002"],
  ])("when the first was booked for %d more, the rest has that less of a limit of %d more", async (rise, room, pnr) => {
    const first = bookedAt("PNR001", at(outbound, outbound.fare.total_fare + rise));
    const { resumed, bookings } = await halfBooked(gone(), { first, rest: [booked("PNR002")], limit: inr("999999") });
    const maxTotal = inr(String(Number(whole.amount) + room));
    const call = resumed.bookAll({ ...asked, maxTotal });
    if (pnr !== undefined) expect(await call).toMatchObject([{ pnr }]);
    else
      expect(await fails(call)).toMatchObject({
        ...{ name: "BookingIncompleteError", outcome: "notSent", offerIndex: 1, clientReferenceId: "order-17-2" },
        ...{ bookings: [], left: inr(String(inbound.fare.total_fare - rise)), cause: { kind: "price_above_limit" } },
        message: expect.stringContaining(
          "1 of 2 offers is booked (order-17-1, XX 311 DEL-BOM 2027-03-05 06:15), and stands.",
        ),
      });
    expect(bookings()).toHaveLength(pnr === undefined ? 2 : 3);
  });

  it.each([
    ["does not know its price, which is as quoted", undefined],
    ["knows it, too", inr(`${outbound.fare.total_fare}.00`)],
  ])("goes on with what is left of the limit after a look-up of the first that %s", async (_, price) => {
    const { trip, bookings } = await orderTrip({ quote: () => original, book: inTurn(lost(), booked("PNR002")) });
    await fails(trip.bookAll(asked));
    expect(trip.total).toBeNull();
    expect(await trip.reconcile({ pnr: "PNR001", price })).toMatchObject({ price: inr(`${outbound.fare.total_fare}`) });
    expect(trip.total).toEqual(whole);
    expect(await trip.bookAll(asked)).toMatchObject([{ pnr: "PNR002" }]);
    expect(bookings()).toHaveLength(2);
  });

  it("leaves less of the limit after a look-up of the first that knows a higher price", async () => {
    const { trip, bookings } = await orderTrip({ quote: () => original, book: inTurn(lost(), booked("PNR002")) });
    await fails(trip.bookAll(asked));
    await trip.reconcile({ pnr: "PNR001", price: inr(`${outbound.fare.total_fare + 1}`) });
    expect(await fails(trip.bookAll(asked))).toMatchObject({
      ...{ name: "BookingIncompleteError", cause: { kind: "price_above_limit" } },
    });
    expect(bookings()).toHaveLength(1);
  });

  it("has nothing left of a limit that the first one exceeded, and no less", async () => {
    const { trip } = await halfBooked(lost());
    await trip.reconcile("notBooked", "order-17-2", { force: true });
    expect(await fails(trip.bookAll({ passengers, maxTotal: inr("1") }))).toMatchObject({ left: inr("0") });
  });

  it("is booked for a corrected name after a refusal of all: nothing of it is booked", async () => {
    const { trip } = await orderTrip({
      quote: () => original,
      book: inTurn(gone(), booked("PNR001"), booked("PNR002")),
    });
    await fails(trip.bookAll(asked));
    const corrected = passengers.map((one) => ({ ...one, lname: "SIMPLE" }));
    expect(await trip.bookAll({ ...asked, passengers: corrected })).toHaveLength(2);
  });

  it("knows what another process has sent of the order", async () => {
    const { trip, api, journal, bookings } = await orderTrip({
      quote: () => original,
      book: inTurn(lost(), booked("PNR002")),
    });
    const saved = JSON.parse(JSON.stringify(trip));
    await fails(trip.bookAll(asked));
    const other = resumeCheckout(api, saved, { journal, now: () => day });
    expect(await fails(other.bookAll(asked))).toMatchObject({ kind: "booking_already_sent" });
    expect([other.total, other.bookingAttempts.length]).toEqual([null, 1]);
    await trip.reconcile({ pnr: "PNR001" });
    expect(await other.bookAll(asked)).toMatchObject([{ pnr: "PNR002" }]);
    expect(other.total).toEqual(whole);
    expect(bookings()).toHaveLength(2);
  });

  it("names the offer of the rest that has changed, before any of it is sent", async () => {
    const segments = inbound.segments.map((segment) => ({ ...segment, flight_number: "7777" }));
    const third = { ...inbound, token: quoteToken("third"), segments };
    const quotes = { now: quoteWith(outbound, inbound, third) };
    const { trip, bookings } = await orderTrip({
      quote: () => quotes.now,
      book: inTurn(booked("PNR001"), gone()),
    });
    const request = { passengers };
    await fails(trip.bookAll(request));
    quotes.now = quoteWith(outbound, inbound, { ...third, refundable: !third.refundable });
    expect(await fails(trip.bookAll({ ...request, requoteIfOlderThan: 0 }))).toMatchObject({
      ...{ name: "BookingIncompleteError", offerIndex: 2, cause: { kind: "offer_changed", offerIndex: 2 } },
    });
    expect(bookings()).toHaveLength(2);
  });

  it("says what the whole trip costs if one of its offers alone is above the limit", async () => {
    const { trip, bookings } = await orderTrip({ quote: () => original });
    const maxTotal = inr("1");
    expect(await fails(trip.bookAll({ ...asked, maxTotal }))).toMatchObject({
      kind: "price_above_limit",
      total: whole,
    });
    expect(bookings()).toHaveLength(0);
  });

  it.each([inr("-1"), inr("much"), { amount: "1" } as never])("refuses %j as the price of a look-up", async (price) => {
    const { trip, journal } = await halfBooked(lost());
    expect((await fails(trip.reconcile({ pnr: "PNR002", price }))).message).toMatch(/`price` must be a decimal amount/);
    expect(await journal.pending()).toHaveLength(1);
  });

  it("says what stands if the rest is sold out", async () => {
    let isGone = false;
    const quote = () => (isGone ? quoteWith() : original);
    const { resumed } = await halfBooked(gone(), { quote });
    isGone = true;
    expect(await fails(resumed.bookAll(asked))).toMatchObject({
      ...{ name: "BookingIncompleteError", outcome: "notSent", offerIndex: 1, cause: { kind: "offer_unavailable" } },
      message: expect.stringContaining(
        "1 of 2 offers is booked (order-17-1, XX 311 DEL-BOM 2027-03-05 06:15), and stands. That with `offerIndex` 1 was not",
      ),
    });
  });

  it("warns if the rest is responded to with the booking that was kept", async () => {
    const { resumed } = await halfBooked(gone(), { rest: [booked("PNR001")] });
    const [made] = await resumed.bookAll(asked);
    expect(made?.warnings.map(({ code }) => code)).toContain("repeated_booking");
  });

  it("is stopped by a journal that cannot say what is booked", async () => {
    const inner = memoryJournal();
    let isDown = false;
    const find: BookingJournal["find"] = async (reference) => {
      if (isDown) throw new Error("down");
      return inner.find(reference);
    };
    const { resumed, bookings } = await halfBooked(gone(), { journal: { ...inner, find } });
    isDown = true;
    expect(await fails(resumed.bookAll(asked))).toMatchObject({
      name: "JournalError",
      clientReferenceId: "order-17-1",
    });
    expect(bookings()).toHaveLength(2);
  });

  const alone = quoteWith(inbound);

  /** The outward way is booked, and the quote has no more of it. */
  async function halfGone() {
    let quote = original;
    const set = await halfBooked(gone(), { quote: () => quote, rest: [booked("PNR002")] });
    quote = alone;
    const error = await fails(set.resumed.bookAll(asked));
    return { ...set, error };
  }

  it("books the rest of a quote that does not have the booked offer any more, under its own reference", async () => {
    const { resumed, error, bookings, journal } = await halfGone();
    expect(adviceFor(error)).toMatchObject({ next: "confirm", quote: { data: { result: [inbound] } } });
    expect(resumed.total).toEqual(whole);
    const made = await resumed.bookAll({ ...asked, agreedQuote: alone });
    expect(made.map(({ pnr, clientReferenceId }) => [pnr, clientReferenceId])).toEqual([["PNR002", "order-17-2"]]);
    expect(resumed.total).toEqual(whole);
    expect(bookings()).toHaveLength(3);
    expect(await journal.find("order-17-1")).toMatchObject([{ state: "booked", pnr: "PNR001" }]);
  });

  it("does not book it for less than it and the rest cost", async () => {
    const { resumed, bookings } = await halfGone();
    const maxTotal = inr(String(Number(whole.amount) - 1));
    expect(await fails(resumed.bookAll({ ...asked, agreedQuote: alone, maxTotal }))).toMatchObject({
      ...{ name: "BookingIncompleteError", outcome: "notSent", bookings: [] },
      message: expect.stringMatching(
        /^1 of 2 offers is booked \(order-17-1, XX 311 DEL-BOM 2027-03-05 06:15\), and stands\./,
      ),
    });
    expect(bookings()).toHaveLength(2);
  });

  it("takes what a twin cost from the limit one time, after the other one has left the quote", async () => {
    const other = { ...outbound, token: quoteToken("Q-2") };
    let result = [outbound, other, inbound];
    const quote = () => quoteWith(...result);
    const { trip } = await orderTrip({ quote, book: inTurn(booked("PNR001"), gone(), booked("PNR003")) });
    const ask = { passengers, allowDuplicate: true };
    await fails(trip.bookAll({ ...ask, maxTotal: inr("99999") }));
    result = [outbound, inbound];
    expect(await trip.bookAll({ ...ask, maxTotal: whole, agreedQuote: quote() })).toMatchObject([{ pnr: "PNR003" }]);
  });

  it.each([
    ["other passengers", { passengers: passengers.map((one) => ({ ...one, fname: "ARUN" })) }],
    ["a corrected name", { passengers: passengers.map((one) => ({ ...one, lname: "SIMPLE" })) }],
  ])("does not book the rest for %s: each way would be for somebody else", async (_, other) => {
    const { resumed, bookings } = await halfGone();
    for (const agreedQuote of [alone, original]) {
      const error = await fails(resumed.bookAll({ ...asked, agreedQuote, ...other }));
      expect(error).toMatchObject({ name: "BookingIncompleteError", outcome: "notSent", offerIndex: 0, bookings: [] });
      expect(error.cause).toMatchObject({ name: "RequestValidationError", operation: "flights.book" });
      expect(error.message).toMatch(
        /^1 of 2 offers is booked \(order-17-1, .* That with `offerIndex` 0 was not .* trip\.bookAll: `passengers` must be those of order-17-1/,
      );
      expect(adviceFor(error)).toMatchObject({
        ...{ next: "correct", booked: [{ pnr: "PNR001" }], issues: [] },
        text: expect.stringMatching(
          /The rest: Its passengers have to be those of the part that is booked: please enter/,
        ),
      });
    }
    expect(bookings()).toHaveLength(2);
  });

  it("has as its parts what is booked, and the offers that are not", async () => {
    const { trip, resume } = await halfBooked(lost(), { rest: [booked("PNR002")] });
    const [first, second] = [["XX 311 DEL-BOM 2027-03-05 06:15"], ["ZZ 102 BOM-DEL 2027-03-09 19:05"]];
    const price = inr(String(outbound.fare.total_fare));
    expect(resume().parts.map(({ state, flights, row }) => [state, flights, row])).toEqual([
      ["quoted", first, null],
      ["quoted", second, null],
    ]);
    const unknown = { flights: second, state: "unknown", price: null, row: { clientReferenceId: "order-17-2" } };
    expect(trip.parts).toMatchObject([{ flights: first, state: "booked", price, row: { pnr: "PNR001" } }, unknown]);
    await trip.reconcile("notBooked", "order-17-2", { force: true });
    expect(trip.parts).toMatchObject([{ state: "booked" }, { flights: second, state: "quoted", row: null }]);
    await trip.bookAll(asked);
    expect(trip.parts.map(({ state }) => state)).toEqual(["booked", "booked"]);
  });

  it("has a part as rejected until it is quoted again", async () => {
    let now = day;
    const { trip, api, journal } = await orderTrip(
      { quote: () => original, book: inTurn(booked("PNR001"), gone()) },
      { now: () => ++now },
    );
    await fails(trip.bookAll({ passengers, maxTotal: whole }));
    const second = {
      state: "rejected",
      price: inr(String(inbound.fare.total_fare)),
      row: { reason: "offer_unavailable" },
    };
    const saved = JSON.stringify(trip);
    for (const one of [trip, resumeCheckout(api, saved, { journal })])
      expect([one.parts, one.total]).toMatchObject([[{ state: "booked" }, second], whole]);
    await trip.quote();
    expect(trip.parts).toMatchObject([{ state: "booked" }, { state: "quoted", row: null }]);
  });

  it("learns from the journal what another process has booked, and what a look-up has closed", async () => {
    const { api, journal, trip, resume } = await halfBooked(lost());
    const [before, after] = [resume(), resumeCheckout(api, JSON.stringify(trip), { journal, now: () => day })];
    expect(before.parts).toMatchObject([{ state: "quoted" }, { state: "quoted" }]);
    expect(await before.refresh()).toMatchObject([{ state: "booked" }, { state: "unknown" }]);
    const [row = expect.unreachable()] = await journal.pending();
    await reconcile(journal, row, { pnr: "PNR002" });
    for (const one of [before, after])
      expect(await one.refresh()).toMatchObject([{ row: { pnr: "PNR001" } }, { row: { pnr: "PNR002" } }]);
    const { trip: single, journal: other } = await quotedTrip({ book: lost });
    await fails(single.book({ passengers }));
    const [open = expect.unreachable()] = await other.pending();
    await reconcile(other, open, { pnr: "PNR003" });
    expect(await single.refresh()).toMatchObject([{ state: "booked", row: { pnr: "PNR003" } }]);
  });

  it("goes on in a new search that has only the rest, under the next number, and counts what is booked", async () => {
    const { api, journal, bookings } = await halfBooked(gone(), { quote: () => original, rest: [booked("PNR002")] });
    const later = clientOf({ quote: () => alone, book: () => booked("PNR002") });
    const trip = checkout(later.api, { trace_id: "T2", token: "S2" }, { journal, orderId, now: () => day });
    await trip.quote();
    expect(trip.total).toEqual(whole);
    const maxTotal = inr(String(inbound.fare.total_fare));
    const error = await fails(trip.bookAll({ passengers, maxTotal }));
    expect(error).toMatchObject({ name: "BookingIncompleteError", cause: { kind: "price_above_limit" } });
    expect(await fails(trip.bookAll({ passengers }))).toMatchObject({ cause: { kind: "price_above_limit" } });
    const made = await trip.bookAll({ passengers, maxTotal: whole });
    expect(made.map(({ pnr, clientReferenceId }) => [pnr, clientReferenceId])).toEqual([["PNR002", "order-17-2"]]);
    expect([api === later.api, bookings().length, later.bookings().length]).toEqual([false, 2, 1]);
  });

  it("has no part that is booked alone: an order is booked by bookAll", async () => {
    const { trip, sent } = await orderTrip({ quote: () => original });
    const { name, message } = await fails(trip.book({ passengers, offerIndex: 1 }));
    expect([name, message]).toEqual(["ConfigurationError", expect.stringMatching(/^trip\.book: .*call bookAll\(\)/)]);
    expect(sent).toHaveLength(1);
  });

  it("says in the rows which flights are booked, also those of an earlier search", async () => {
    const { api, journal } = await halfBooked(gone(), { rest: [booked("PNR002")] });
    const trip = checkout(api, { trace_id: "T2", token: "S2" }, { journal, orderId, now: () => day });
    await trip.quote();
    expect(trip.total).toEqual(whole);
    await trip.bookAll(asked);
    expect(trip.bookingAttempts.map(({ pnr, flights }) => [pnr, flights])).toEqual([
      ["PNR001", ["XX 311 DEL-BOM 2027-03-05 06:15"]],
      ["PNR002", ["ZZ 102 BOM-DEL 2027-03-09 19:05"]],
    ]);
  });

  it("does not book a flight again that another search has in one offer with others, or with other times", async () => {
    const { api, journal, bookings } = await halfBooked(gone());
    const segments = JSON.parse(JSON.stringify([...outbound.segments, ...inbound.segments]).replace("06:15", "06:25"));
    const later = clientOf({ quote: () => quoteWith({ ...outbound, segments }) });
    const trip = checkout(later.api, { trace_id: "T2", token: "S2" }, { journal, orderId, now: () => day });
    await trip.quote();
    const error = await fails(trip.bookAll({ passengers, maxTotal: inr("99999") }));
    expect(error.message).toContain("must not be booked: that with index 0 has a flight of order-17-1");
    expect(adviceFor(error)).toMatchObject({ next: "search", booked: [{ pnr: "PNR001" }] });
    expect([api === later.api, bookings().length, later.bookings().length]).toEqual([false, 2, 0]);
  });

  it("does not book on another day a flight that is booked", async () => {
    const { journal } = await halfBooked(gone());
    const segments = JSON.parse(JSON.stringify(outbound.segments).replaceAll("2027-03-05", "2027-03-06"));
    const later = clientOf({ quote: () => quoteWith({ ...outbound, segments }, inbound) });
    const trip = checkout(later.api, { trace_id: "T2", token: "S2" }, { journal, orderId, now: () => day });
    await trip.quote();
    expect(await fails(trip.bookAll({ passengers }))).toMatchObject({
      ...{ kind: "booking_already_sent", conflict: "reference", row: { pnr: "PNR001" } },
      message: expect.stringContaining("Use another `orderId` for another booking."),
    });
    expect(later.bookings()).toEqual([]);
  });

  it("knows which of the same flights on two days is booked, whatever the order of the quote", async () => {
    const segments = JSON.parse(JSON.stringify(outbound.segments).replaceAll("2027-03-05", "2027-03-06"));
    const next = { ...outbound, token: quoteToken("Q-2"), segments };
    let quote = quoteWith(outbound, next);
    const { trip } = await orderTrip({ quote: () => quote, book: inTurn(booked("PNR001"), gone()) });
    await fails(trip.bookAll({ passengers }));
    quote = quoteWith(next, outbound);
    await trip.quote();
    expect(trip.parts.map(({ state, flights }) => [state, ...flights])).toEqual([
      ["booked", "XX 311 DEL-BOM 2027-03-05 06:15"],
      ["quoted", "XX 311 DEL-BOM 2027-03-06 06:15"],
    ]);
  });

  it("keeps what it has as booked if its journal is behind", async () => {
    const { trip, api, journal } = await halfBooked(gone());
    const find = async (reference: string) =>
      (await journal.find(reference)).map(({ pnr: _, ...row }): JournalRow => ({ ...row, state: "sent" }));
    const resumed = resumeCheckout(api, JSON.stringify(trip), { journal: { ...journal, find }, now: () => day });
    await resumed.quote();
    expect(resumed.bookingAttempts).toMatchObject([{ state: "booked", pnr: "PNR001" }, { state: "sent" }]);
  });

  it("counts for its total what was quoted, if a part was booked for less", async () => {
    const { basefare, total_fare } = outbound.fare;
    const fare = { ...outbound.fare, basefare: basefare - 3, total_fare: total_fare - 3 };
    const { trip } = await halfBooked(gone(), { first: bookedAt("PNR001", { fare }) });
    expect([trip.total, trip.parts[0]?.price]).toEqual([whole, inr(String(total_fare))]);
  });

  it("refuses a quote whose offers have a flight in common: they are alternatives", async () => {
    const both = { ...outbound, token: quoteToken("Q-3"), segments: [...outbound.segments, ...inbound.segments] };
    const { trip, bookings } = await orderTrip({ quote: () => quoteWith(outbound, both) });
    expect((await fails(trip.bookAll({ passengers }))).message).toContain("index 1 has a flight of order-17-1");
    expect(bookings()).toEqual([]);
  });

  const corrected = passengers.map((one) => ({ ...one, lname: "SIMPLE" }));

  it.each([
    ["goes on with the rest after another one has booked a part meanwhile", passengers],
    ["says what stands after one with a corrected name has, and goes on at the next click for those", corrected],
  ])("%s", async (_, people) => {
    const [out, answer] = [gate(), gate<FareQuote>()];
    const quotes = [...Array.from({ length: 3 }, () => () => original), () => out.open() ?? answer.opened];
    const { trip, api, journal, bookings } = await orderTrip({
      quote: () => (quotes.shift() ?? (() => original))(),
      book: inTurn(gone(), booked("PNR001"), gone(), booked("PNR002")),
    });
    await fails(trip.bookAll(asked));
    const other = resumeCheckout(api, JSON.stringify(trip), { journal, now: () => day });
    const slow = trip.bookAll(asked);
    slow.catch(() => {});
    await out.opened;
    await fails(other.bookAll({ ...asked, passengers: people }));
    answer.open(original);
    if (people === corrected) {
      const error = await fails(slow);
      expect(error).toMatchObject({ name: "BookingIncompleteError", booked: [{ pnr: "PNR001" }], bookings: [] });
      expect(adviceFor(error)?.next).toBe("correct");
      expect(trip.parts[0]).toMatchObject({ state: "booked", row: { pnr: "PNR001" } });
    }
    expect(await (people === corrected ? trip.bookAll({ ...asked, passengers: people }) : slow)).toMatchObject([
      { pnr: "PNR002" },
    ]);
    expect(trip.parts.map(({ state }) => state)).toEqual(["booked", "booked"]);
    expect(bookings()).toHaveLength(4);
  });

  it("has the price of what is booked, apart from that of the whole", async () => {
    const { trip } = await orderTrip({ quote: () => original });
    expect([trip.total, trip.bookedTotal]).toEqual([whole, null]);
    const half = await halfBooked(gone(), { rest: [booked("PNR002")] });
    expect([half.trip.total, half.trip.bookedTotal]).toEqual([whole, inr(String(outbound.fare.total_fare))]);
    await half.resumed.bookAll(asked);
    expect(half.resumed.bookedTotal).toEqual(whole);
  });

  it("takes what stops it for booked, although a look-up of the journal does not find that yet", async () => {
    const pnrs = ["PNR001", "PNR002"].map((pnr) => booked(pnr));
    const { trip, api, journal, bookings } = await orderTrip({ quote: () => original, book: () => pnrs.shift() });
    const saved = JSON.stringify(trip);
    await trip.bookAll(asked);
    const stale = { ...journal, find: async () => [] };
    const late = resumeCheckout(api, saved, { journal: stale, now: () => day });
    expect(await late.bookAll(asked)).toEqual([]);
    expect(late.parts).toMatchObject([{ row: { pnr: "PNR001" } }, { row: { pnr: "PNR002" } }]);
    expect(bookings()).toHaveLength(2);
  });

  it("keeps what it did while it read the journal", async () => {
    const journal = memoryJournal();
    const [under, answer] = [gate(), gate()];
    const find = async (reference: string) => {
      const rows = await journal.find(reference);
      if (isSlow && reference.endsWith("-2")) await (under.open() ?? answer.opened);
      return rows;
    };
    let isSlow = false;
    let time = day;
    let refreshed: Promise<unknown> = Promise.resolve();
    const { trip } = await orderTrip(
      {
        quote: () => original,
        book: async () => {
          isSlow = true;
          refreshed = trip.refresh();
          await under.opened;
          return gone();
        },
      },
      { journal: { ...journal, find }, now: () => ++time },
    );
    await fails(trip.bookAll(asked));
    answer.open();
    await refreshed;
    expect(trip.parts.map(({ state }) => state)).toEqual(["rejected", "quoted"]);
  });

  it("counts for `maxTotal` nothing of what it is to book a second time", async () => {
    const responses = [booked("PNR001"), booked("PNR002"), booked("PNR003"), booked("PNR004")];
    const { trip } = await orderTrip({ quote: () => original, book: () => responses.shift() }, { orderId: undefined });
    await trip.bookAll(asked);
    expect((await trip.bookAll({ ...asked, allowDuplicate: true })).map(({ pnr }) => pnr)).toEqual([
      "PNR003",
      "PNR004",
    ]);
  });

  it("learns from the journal, with a new quote, what was closed and corrected there", async () => {
    const { trip, api, journal } = await halfBooked(lost());
    const saved = JSON.stringify(trip);
    const [row = expect.unreachable()] = await journal.pending();
    await reconcile(journal, row, "notBooked", { now: () => row.responseDueBy });
    const [first = expect.unreachable()] = await journal.find("order-17-1");
    const corrected = { ...first, pnr: "PNR009" };
    const find = async (reference: string) => (reference === "order-17-1" ? [corrected] : journal.find(reference));
    const resumed = resumeCheckout(api, saved, { journal: { ...journal, find }, now: () => day });
    await resumed.quote();
    expect(resumed.bookingAttempts).toMatchObject([{ pnr: "PNR009" }, { state: "rejected" }]);
    expect(resumed.total).toEqual(whole);
  });

  it("has no total for a new search while a booking of its order may exist", async () => {
    const { api, journal } = await halfBooked(lost());
    const trip = checkout(api, { trace_id: "T2", token: "S2" }, { journal, orderId, now: () => day });
    await trip.quote();
    expect(trip.total).toBeNull();
    expect((await fails(trip.bookAll(asked))).cause).toMatchObject({ kind: "booking_already_sent" });
  });

  it("requests no quote if the journal cannot say what is booked for the order", async () => {
    const find = () => Promise.reject(new Error("down"));
    const { api, sent } = clientOf();
    const options = { journal: { ...memoryJournal(), find }, orderId, now: () => day };
    const trip = checkout(api, { trace_id: "T", token: "S" }, options);
    const { name, message } = await fails(trip.quote());
    expect([name, message]).toEqual([
      "JournalError",
      expect.stringMatching(/^The journal failed, so it is not known what is booked\. /),
    ]);
    expect([sent, trip.shown]).toEqual([[], null]);
  });

  it("is saved with the trip, and may be replaced when it is resumed", async () => {
    const { trip, api, journal } = await orderTrip({ quote: () => alone, book: () => booked("PNR001") });
    const saved = JSON.stringify(trip);
    const resume = (other: { readonly orderId?: string }) => resumeCheckout(api, saved, { journal, ...other });
    const referenceOf = async (resumed: Checkout) =>
      (await resumed.bookAll({ passengers, allowDuplicate: true }))[0]?.clientReferenceId;
    expect(await referenceOf(resume({}))).toBe("order-17-1");
    expect(await referenceOf(resume({ orderId: "order-18" }))).toBe("order-18-1");
    expect(() => resumeCheckout(api, { ...JSON.parse(saved), orderId: "" }, { journal })).toThrow("not a saved");
  });

  it("stops at a booking that may exist and has left the quote", async () => {
    let quote = original;
    const { resumed, bookings } = await halfBooked(lost(), { quote: () => quote });
    quote = quoteWith(outbound);
    await resumed.quote();
    const agreedQuote = resumed.shown?.body ?? original;
    const error = await fails(resumed.bookAll({ ...asked, agreedQuote }));
    expect(error).toMatchObject({
      ...{ name: "BookingIncompleteError", outcome: "notSent", offerIndex: -1 },
      cause: { name: "BookingAlreadySentError", row: { state: "unknown", clientReferenceId: "order-17-2" } },
      message: expect.stringContaining(
        "is booked (order-17-1, XX 311 DEL-BOM 2027-03-05 06:15), and stands. One that has left the quote was not booked now",
      ),
    });
    expect(adviceFor(error)).toMatchObject({ next: "wait", booked: [{ pnr: "PNR001" }] });
    expect(bookings()).toHaveLength(2);
  });

  it("has no total while a booking may exist", async () => {
    const { trip } = await halfBooked(lost());
    expect(trip.total).toBeNull();
    await trip.reconcile({ pnr: "PNR002", price: inr(String(inbound.fare.total_fare)) });
    expect(trip.total).toEqual(whole);
  });

  it("knows the booked offer that an airline has retimed within its day", async () => {
    let quote = original;
    const { resumed, bookings } = await halfBooked(gone(), { quote: () => quote, rest: [booked("PNR002")] });
    const segments = outbound.segments.map((segment) => {
      const departure_time = `${segment.origin.departure_time.slice(0, 11)}09:59:00`;
      return { ...segment, origin: { ...segment.origin, departure_time } };
    });
    quote = quoteWith({ ...outbound, segments }, inbound);
    await resumed.quote();
    expect(await resumed.bookAll({ ...asked, agreedQuote: quote })).toMatchObject([{ pnr: "PNR002" }]);
    expect(resumed.total).toEqual(whole);
    expect(bookings()).toHaveLength(3);
  });

  it("counts against `trip.total` what the trip has booked without an order, too", async () => {
    let quote = original;
    const { trip, bookings } = await quotedTrip({
      quote: () => quote,
      book: inTurn(booked("PNR001"), booked("PNR002")),
    });
    await trip.book({ passengers, offerIndex: 0 });
    quote = alone;
    const agreedQuote = await trip.quote();
    expect(trip.total).toEqual(whole);
    const { total: maxTotal = whole } = { total: trip.total ?? whole };
    quote = quoteWith(at(inbound, inbound.fare.total_fare + 1));
    expect(await fails(trip.bookAll({ passengers, agreedQuote, maxTotal }))).toMatchObject({
      kind: "price_above_limit",
      limit: inr(String(inbound.fare.total_fare)),
    });
    quote = alone;
    expect(await trip.bookAll({ passengers, agreedQuote, maxTotal })).toMatchObject([{ pnr: "PNR002" }]);
    expect(bookings()).toHaveLength(2);
  });

  it("takes what the trip has booked without an order from no price that was agreed to without it", async () => {
    let quote = original;
    const { trip } = await quotedTrip({ quote: () => quote, book: inTurn(booked("PNR001"), booked("PNR002")) });
    await trip.book({ passengers, offerIndex: 0 });
    quote = alone;
    await trip.quote();
    expect(await trip.bookAll({ passengers })).toMatchObject([{ pnr: "PNR002" }]);
  });

  it("names the reference of the first offer if the journal fails before, without an order too", async () => {
    const inner = memoryJournal();
    let [isDown, made] = [false, 0];
    const get: BookingJournal["get"] = async (id) => {
      if (isDown) throw new Error("down");
      return inner.get(id);
    };
    const { trip } = await quotedTrip(
      { quote: () => original, book: lost },
      { journal: { ...inner, get }, client: { createReference: () => `made-${++made}` } },
    );
    await fails(trip.book({ passengers, offerIndex: 0, clientReferenceId: "order-1" }));
    isDown = true;
    expect(await fails(trip.bookAll({ passengers }))).toMatchObject({
      name: "JournalError",
      clientReferenceId: expect.stringMatching(/^made-\d$/),
    });
  });

  it("stops at an open booking of the trip that has left the quote, without an order too", async () => {
    let quote = original;
    const { trip, bookings } = await quotedTrip({ quote: () => quote, book: lost });
    await fails(trip.book({ passengers, offerIndex: 0 }));
    quote = alone;
    const agreedQuote = await trip.quote();
    expect(await fails(trip.bookAll({ passengers, agreedQuote }))).toMatchObject({ kind: "booking_already_sent" });
    expect(bookings()).toHaveLength(1);
  });

  it("knows a booked offer beside which another could not be read, in a search where all can", async () => {
    const unread = { ...inbound, segments: [] };
    const first = quoteWith(outbound, unread);
    const { trip, journal } = await orderTrip({ quote: () => first, book: inTurn(booked("PNR001"), gone()) });
    const error = await fails(trip.bookAll({ ...asked, maxTotal: inr("99999") }));
    expect(error.name).toBe("BookingIncompleteError");
    const later = clientOf({ quote: () => original, book: () => booked("PNR002") });
    const again = checkout(later.api, { trace_id: "T2", token: "S2" }, { journal, orderId, now: () => day });
    await again.quote();
    expect(await again.bookAll(asked)).toMatchObject([{ pnr: "PNR002", clientReferenceId: "order-17-2" }]);
    expect([again.total, later.bookings().length]).toEqual([whole, 1]);
  });

  it("has as its total what is booked, though the last quote has more", async () => {
    const dearer = { ...at(inbound, inbound.fare.total_fare + 2_000), token: quoteToken("Q-3") };
    const quotes = [original];
    const more = quoteWith(outbound, inbound, dearer);
    const { trip } = await orderTrip({
      quote: () => quotes.shift() ?? more,
      book: inTurn(booked("PNR001"), booked("PNR002")),
    });
    await trip.bookAll(asked);
    expect(trip.total).toEqual(whole);
  });

  it("takes what the journal has closed since the trip was saved for closed, at the first click and after the last", async () => {
    const { trip, api, journal, bookings } = await halfBooked(lost(), { rest: [booked("PNR002")] });
    const saved = JSON.stringify(trip);
    const [row] = await journal.pending();
    if (row === undefined) throw new Error("nothing is pending");
    await reconcile(journal, row, "notBooked", { now: () => row.responseDueBy });
    const resume = () => resumeCheckout(api, saved, { journal, now: () => day });
    expect(await resume().bookAll(asked)).toMatchObject([{ pnr: "PNR002" }]);
    const again = resume();
    expect(await again.bookAll(asked)).toEqual([]);
    expect(again.total).toEqual(whole);
    expect(bookings()).toHaveLength(3);
  });

  it.each([
    ["a failure that passes", () => new Response("", { status: 429 })],
    ["a refusal", gone],
  ])("leaves the quote that was shown as it was, after %s", async (_, failure) => {
    const dearer = { ...at(inbound, inbound.fare.total_fare + 2_000), token: quoteToken("Q-3") };
    const quotes = [original];
    const more = quoteWith(outbound, inbound, dearer);
    const { trip } = await quotedTrip({ quote: () => quotes.shift() ?? more, book: failure });
    await fails(trip.bookAll(asked));
    expect([trip.shown?.body.data.result.length, trip.total]).toEqual([2, whole]);
    await fails(trip.book({ passengers, offerIndex: 0, maxTotal: whole }));
    expect([trip.shown?.body.data.result.length, trip.total]).toEqual([2, whole]);
  });

  it.each([
    ["fails", () => new Response("", { status: 429 })],
    ["succeeds", () => booked("PNR001")],
  ])("keeps a quote that was requested meanwhile, when a booking %s", async (_, ending) => {
    const book = () => trip.quote().then(ending);
    const { trip } = await quotedTrip({ quote: () => ({ ...original }), book });
    const before = trip.shown;
    await trip.book({ passengers, offerIndex: 0, maxTotal: whole }).catch(() => {});
    expect(trip.shown).not.toBe(before);
  });

  it("does not take a fresh quote, which the user has not seen, for the one that was shown", async () => {
    const risen = at(inbound, inbound.fare.total_fare + 2_000);
    const quotes = [original];
    const more = quoteWith(outbound, risen);
    const { trip, bookings } = await quotedTrip({ quote: () => quotes.shift() ?? more });
    await trip.book({ passengers, offerIndex: 0, maxTotal: whole });
    await trip.book({ passengers, offerIndex: 1 });
    expect(bookings()).toMatchObject([{}, { token: inbound.token }]);
  });

  it("has as its total what is booked, though flights cannot be read and each quote has other tokens", async () => {
    let count = 0;
    const quote = (): FareQuote => {
      const unread = { ...outbound, segments: [], token: quoteToken(`Q-${++count}`) };
      return quoteWith(unread, inbound);
    };
    const { trip } = await orderTrip({ quote, book: inTurn(booked("PNR001"), booked("PNR002")) });
    await trip.bookAll(asked);
    expect(trip.total).toEqual(whole);
  });

  it.each<[string, (trip: Checkout) => Promise<unknown>]>([
    ["book", (trip) => trip.book({ passengers, offerIndex: 0, maxTotal: whole })],
    ["bookAll, of which the rest is refused,", (trip) => trip.bookAll(asked)],
  ])(
    "counts what %s has booked once, though flights cannot be read and each quote has other tokens",
    async (_, make) => {
      let count = 0;
      const quote = (): FareQuote => {
        const unread = { ...outbound, segments: [], token: quoteToken(`Q-${++count}`) };
        return { ...original, data: { ...original.data, result: [unread, inbound] } };
      };
      const responses = [booked("PNR001"), gone()];
      const { trip, api, journal } = await quotedTrip({ quote, book: () => responses.shift() });
      await make(trip).catch(() => {});
      expect(trip.total).toEqual(whole);
      expect(resumeCheckout(api, JSON.stringify(trip), { journal }).total).toEqual(whole);
    },
  );

  it("has as its total what is booked, though a fresh quote has the same flight at another fare too", async () => {
    const days = (from: string, to: string, token: string) => ({
      ...JSON.parse(JSON.stringify(outbound).replaceAll(from, to)),
      token: quoteToken(token),
    });
    const day = outbound.segments[0]?.origin.departure_time.slice(0, 10) ?? "";
    const later = at(days(day, "2027-01-31", "Q-2"), outbound.fare.total_fare + 1_000);
    const quoteWith = (...result: (typeof outbound)[]) => ({ ...original, data: { ...original.data, result } });
    const quotes = [quoteWith(outbound, later), quoteWith(outbound, later, { ...later, token: quoteToken("Q-3") })];
    const { trip } = await quotedTrip({ quote: () => quotes.shift() ?? original });
    const { total } = trip;
    await trip.book({ passengers, offerIndex: 1, maxTotal: inr("99999") });
    expect(trip.total).toEqual(total);
  });

  it("says to search again if a quote has one flight twice", async () => {
    const twins = quoteWith(outbound, { ...outbound, token: quoteToken("Q-2") });
    const { trip, bookings } = await orderTrip({ quote: () => twins });
    expect(adviceFor(await fails(trip.bookAll(asked)))).toMatchObject({ next: "search", booked: [] });
    expect(bookings()).toEqual([]);
  });

  it("never books an offer twice, whatever the outcome of each call, in whichever process", async () => {
    const outcome = fc.constantFrom("booked", "refused", "lost", "lostAfter");
    await fc.assert(
      fc.asyncProperty(fc.array(outcome, { minLength: 2, maxLength: 8 }), fc.boolean(), async (outcomes, isSaved) => {
        const made = new Map<unknown, number>();
        const rest = [...outcomes];
        const book = ({ token }: Record<string, unknown>) => {
          const next = rest.shift() ?? "booked";
          if (next === "booked" || next === "lostAfter") made.set(token, (made.get(token) ?? 0) + 1);
          return next === "booked"
            ? booked(token === outbound.token ? "PNR001" : "PNR002")
            : next === "refused"
              ? gone()
              : lost();
        };
        const { trip, api, journal } = await orderTrip({ quote: () => original, book });
        const saved = JSON.stringify(trip);
        for (let call = 0; call < 8; call += 1) {
          const one = isSaved ? resumeCheckout(api, saved, { journal, now: () => day }) : trip;
          // Without a limit: a look-up does not say what a booking costs.
          await one.bookAll({ ...asked, maxTotal: inr("999999") }).catch(() => {});
          for (const row of call % 2 === 0 ? [] : await journal.pending()) {
            const isMade = made.has(row.token);
            await reconcile(journal, row, isMade ? { pnr: row.result === 0 ? "PNR001" : "PNR002" } : "notBooked", {
              now: () => row.responseDueBy,
            });
          }
        }
        expect([...made.values()].every((count) => count === 1)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

/** A service whose prices rise, which books for more than it quoted, refuses, and loses responses, for as long as it may. */
const market = (events: readonly Event[]) => {
  const left = [...events];
  let quoted = [outbound.fare.total_fare, inbound.fare.total_fare];
  const made = new Map<unknown, { readonly pnr: string; readonly price: number }>();
  const take = (...names: readonly Event[]) =>
    left.length > 0 && names.includes(left[0] as Event) ? left.shift() : undefined;
  const quote = (): FareQuote => {
    const event = take("dearer", "gone");
    if (event === "dearer") quoted = quoted.map((price) => price + 10);
    const offers = [outbound, inbound].map((offer, i) => at(offer, quoted[i] ?? 0));
    const isLeft = ({ token }: typeof outbound) => event !== "gone" || !made.has(token);
    const result = offers.some(isLeft) ? offers.filter(isLeft) : offers;
    return quoteWith(...result);
  };
  return { made, take, quote, priceOf: (i: number) => quoted[i] ?? 0 };
};

type Event = "dearer" | "gone" | "refused" | "bookedDearer" | "lost" | "lostAfter";

describe("a payment page that shows `trip.total`, and passes it once it was agreed to", () => {
  it("takes no more than was agreed to, and books each offer one time, whatever happens on the way", async () => {
    const event = fc.constantFrom<Event>("dearer", "gone", "refused", "bookedDearer", "lost", "lostAfter");
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 7 }), async (events) => {
        const { quote, priceOf, made, take } = market(events);
        let agreed: { readonly quote: FareQuote; readonly total: Money | null } | undefined;
        const paid = () => [...made.values()].reduce((sum, { price }) => sum + price, 0);
        const book = ({ token }: Record<string, unknown>) => {
          expect(made.has(token)).toBe(false);
          const i = token === outbound.token ? 0 : 1;
          const price = priceOf(i);
          expect(paid() + price).toBeLessThanOrEqual(Number(agreed?.total?.amount));
          const outcome = take("refused", "bookedDearer", "lost", "lostAfter");
          const booking = { pnr: `PNR00${i + 1}`, price: price + (outcome === "bookedDearer" ? 7 : 0) };
          if (outcome !== "refused" && outcome !== "lost") made.set(token, booking);
          if (outcome === "refused") return gone();
          return outcome?.startsWith("lost") ? lost() : bookedAt(booking.pnr, at(outbound, booking.price));
        };
        const { api, journal, trip: first } = await orderTrip({ quote, book });
        const show = ({ shown, total }: Checkout) => shown && { quote: shown.body, total };
        agreed = show(first) ?? undefined;
        let saved = JSON.stringify(first);
        let isBooked = false;
        for (let click = 0; click < 20 && !isBooked; click += 1) {
          const trip = resumeCheckout(api, saved, { journal, now: () => day });
          const { quote: agreedQuote = original, total: maxTotal } = agreed ?? {};
          if (!maxTotal) throw new Error("a price that is not known");
          try {
            const asked = { passengers, agreedQuote, maxTotal };
            await trip.bookAll(asked);
            isBooked = true;
            expect(trip.total).toEqual(inr(String(paid())));
          } catch (error) {
            const advice = adviceFor(error);
            if (advice === null) throw error;
            if (advice.next === "confirm") agreed = show(trip) ?? undefined;
            for (const row of advice.next === "wait" ? await journal.pending() : []) {
              const { pnr, price } = made.get(row.token) ?? {};
              const found = pnr === undefined ? "notBooked" : { pnr, price: inr(String(price)) };
              await trip.reconcile(found, row.clientReferenceId, { now: () => row.responseDueBy });
            }
          }
          saved = JSON.stringify(trip);
        }
        expect([isBooked, made.size]).toEqual([true, 2]);
      }),
      { numRuns: 120 },
    );
  });
});
