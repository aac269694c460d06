import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import { BookingIncompleteError, checkout, memoryJournal, resumeCheckout } from "../../../src/flights/index.ts";
import type { FareQuote } from "../../../src/flights/types/index.ts";
import { quoteToken } from "../../../src/flights/types/tokens.ts";
import { at, bookedAt, inbound, original, outbound, quoteWith } from "./round-trip.ts";
import {
  booked,
  clientOf,
  confirmed,
  day,
  fails,
  inr,
  inTurn,
  passengers,
  quotedTrip,
  refused,
  type Service,
} from "./support.ts";

const price = (offer: typeof outbound) => offer.fare.total_fare;
const whole = price(outbound) + price(inbound);

/** A trip that was quoted, of a service that responds to the bookings with these in turn. */
async function setUp(responses: readonly unknown[], quote: Service["quote"] = () => original, orderId?: string) {
  const set = await quotedTrip({ quote, book: inTurn(...responses) }, { orderId });
  const states = () => set.trip.bookingAttempts.map(({ result, state, pnr }) => [result, state, pnr]);
  return { ...set, states };
}

describe("all offers of a quote", () => {
  it("have a warning if one is responded to with the booking of another", async () => {
    const { trip } = await setUp([booked("PNR001"), booked("PNR001")]);
    const [first, second] = await trip.bookAll({ passengers, maxTotal: inr(String(whole)) });
    const codes = [first, second].map((one) => one?.warnings.map(({ code }) => code));
    expect([codes[0]?.includes("repeated_booking"), codes[1]?.includes("repeated_booking")]).toEqual([false, true]);
  });

  it.each<[string, object, object]>([
    ["one PNR with two booking IDs", { pnr: "PNR001", booking_id: "1" }, { pnr: "PNR001", booking_id: "2" }],
    ["two PNRs without booking IDs", { pnr: "PNR001" }, { pnr: "PNR002" }],
    ["two PNRs under one booking ID", { pnr: "PNR001", booking_id: "1" }, { pnr: "PNR002", booking_id: "1" }],
  ])("have no such warning for %s", async (_, ...results) => {
    const { trip } = await setUp(results.map((result) => confirmed(result, "")));
    for (const { warnings } of await trip.bookAll({ passengers, maxTotal: inr(String(whole)) }))
      expect(warnings.map(({ code }) => code)).not.toContain("repeated_booking");
  });

  it("are priced together and booked in their order, each with its own reference, token and row", async () => {
    const { trip, bookings, states } = await setUp([booked("PNR001"), booked("PNR002")], undefined, "order-17");
    expect(trip.total).toEqual(inr(String(whole)));
    const made = await trip.bookAll({
      passengers,
      maxTotal: inr(String(whole)),
    });
    expect(made.map(({ pnr, clientReferenceId }) => [pnr, clientReferenceId])).toEqual([
      ["PNR001", "order-17-1"],
      ["PNR002", "order-17-2"],
    ]);
    expect(bookings()).toMatchObject([
      { token: outbound.token, client_referenceId: "order-17-1" },
      { token: inbound.token, client_referenceId: "order-17-2" },
    ]);
    expect(states()).toEqual([
      [0, "booked", "PNR001"],
      [1, "booked", "PNR002"],
    ]);
  });

  it("are not booked above the limit for all of them, which one of them alone would not exceed", async () => {
    const { trip, bookings } = await setUp([]);
    const error = await fails(trip.bookAll({ passengers, maxTotal: inr(String(whole - 1)) }));
    expect(error).toMatchObject({
      operation: "flights.fareQuote",
      ...{ kind: "price_above_limit", outcome: "notSent", total: inr(String(whole)), limit: inr(String(whole - 1)) },
      message: `The offers together cost INR ${whole}, above the limit of INR ${whole - 1}. Nothing was booked: show the new price and ask again.`,
    });
    expect(bookings()).toEqual([]);
  });

  it("of which there is one are not said to cost it together", async () => {
    const { trip } = await setUp([], () => quoteWith(outbound));
    const { message } = await fails(trip.bookAll({ passengers, maxTotal: inr("1") }));
    expect(message).toBe(
      `The offer costs INR ${price(outbound)}, above the limit of INR 1. Nothing was booked: show the new price and ask again.`,
    );
  });

  it.each<[string, FareQuote, object]>([
    ["lacks one of them", quoteWith(outbound), { kind: "offer_changed", offerIndex: 1 }],
    ["has them in another order", quoteWith(inbound, outbound), { kind: "offer_changed", offerIndex: 0 }],
    ["has a price that rose", quoteWith(outbound, at(inbound, price(inbound) + 1)), { kind: "price_above_limit" }],
    [
      "has a price that cannot be read",
      quoteWith(outbound, at(inbound, 0)),
      { kind: "price_above_limit", total: null },
    ],
  ])("are not booked, not even the first, if a fresh quote %s", async (_, fresh, expected) => {
    const quotes = [original];
    for (const maxTotal of [{}, { maxTotal: inr(String(whole)) }]) {
      const { trip, bookings } = await setUp([booked("PNR001"), booked("PNR002")], () => quotes.shift() ?? fresh);
      expect(await fails(trip.bookAll({ passengers, ...maxTotal }))).toMatchObject({ ...expected, outcome: "notSent" });
      expect(bookings()).toEqual([]);
      quotes.push(original);
    }
  });

  it("are not booked if the terms of one have changed, and the message says which", async () => {
    const quotes = [original];
    const fresh = quoteWith(outbound, { ...inbound, refundable: !inbound.refundable });
    const { trip } = await setUp([], () => quotes.shift() ?? fresh);
    const { message } = await fails(trip.bookAll({ passengers }));
    expect(message).toMatch(
      /^A fresh quote differs from the one that was shown\. [^.]*refund[^.]*\. Nothing was booked: show the new quote and ask again\.$/i,
    );
  });

  it("are not booked for passengers whom one of them refuses", async () => {
    const quote = quoteWith(outbound, { ...inbound, pan_required_at_book: true });
    const { trip, bookings } = await setUp([], () => quote);
    expect(await fails(trip.bookAll({ passengers }))).toMatchObject({ kind: "request_validation", outcome: "notSent" });
    expect(bookings()).toEqual([]);
  });

  it("are not booked if two of them have one token: the second would be refused", async () => {
    const twins = quoteWith(outbound, { ...inbound, token: outbound.token });
    const one = await setUp([booked("PNR001")], () => twins);
    expect(await fails(one.trip.bookAll({ passengers }))).toMatchObject({
      ...{ outcome: "notSent", operation: "flights.book", issues: [{ path: ["agreedQuote"], code: "repeated" }] },
      message:
        "trip.bookAll: `agreedQuote` must differ for each offer: that with index 1 has the token of an offer before it. Nothing was sent.",
    });
    expect(one.bookings()).toEqual([]);
    const { trip, bookings } = await setUp([booked("PNR001"), booked("PNR002")], () => twins);
    await trip.bookAll({ passengers, allowDuplicate: true });
    expect(bookings()).toHaveLength(2);
  });

  it("need one fresh quote without a limit, and with one another before each booking", async () => {
    for (const [asked, quotes] of [
      [{}, 1],
      [{ maxTotal: inr(String(whole)) }, 3],
      [{ requoteIfOlderThan: 0 }, 3],
    ] as const) {
      const { trip, sent } = await setUp([booked("PNR001"), booked("PNR002")]);
      await trip.bookAll({ passengers, ...asked });
      expect(sent.filter(({ operation }) => operation === "fare_quote")).toHaveLength(1 + quotes);
    }
  });

  it("are booked for passengers whom one of them refuses, if that is accepted", async () => {
    const quote = quoteWith(outbound, { ...inbound, pan_required_at_book: true });
    const { trip, bookings } = await setUp([booked("PNR001"), booked("PNR002")], () => quote);
    const { issues } = Object(await fails(trip.bookAll({ passengers })));
    const acceptIssues = issues.map(({ code }: { code: string }) => code);
    expect(await trip.bookAll({ passengers, acceptIssues })).toHaveLength(2);
    expect(bookings()).toHaveLength(2);
  });

  it("none may cost more than it was agreed to, although the others have become cheaper by as much", async () => {
    const agreedQuote = quoteWith(outbound, at(inbound, price(inbound) + 5));
    const quotes = [original, original];
    const risen = quoteWith(at(outbound, price(outbound) + 3), inbound);
    const { trip, bookings } = await setUp([booked("PNR001"), booked("PNR002")], () => quotes.shift() ?? risen);
    const error = await fails(trip.bookAll({ passengers, agreedQuote, requoteIfOlderThan: 0 }));
    expect(error).toMatchObject({ kind: "price_above_limit", limit: inr(String(price(outbound))) });
    expect(bookings()).toEqual([]);
  });

  it("what the first cost less than its quote leaves no more for the second", async () => {
    const quotes = [original, original, original];
    const risen = quoteWith(outbound, at(inbound, price(inbound) + 3));
    const first = bookedAt("PNR001", at(outbound, price(outbound) - 3));
    const { trip, bookings } = await setUp([first, booked("PNR002")], () => quotes.shift() ?? risen);
    const error = await fails(trip.bookAll({ passengers, maxTotal: inr(String(whole)) }));
    expect(error).toMatchObject({
      kind: "booking_incomplete",
      message: expect.stringMatching(
        /^1 of 2 offers is booked \(\w{26}, XX 311 DEL-BOM 2027-03-05 06:15\), and stands\./,
      ),
    });
    expect(bookings()).toHaveLength(1);
  });

  it("two of three that are booked are named, with what a third leaves", async () => {
    const segments = inbound.segments.map((segment) => ({ ...segment, flight_number: "7777" }));
    const quote = quoteWith(outbound, inbound, { ...inbound, token: quoteToken("third"), segments });
    const { trip } = await setUp([booked("PNR001"), booked("PNR002"), refused("no seats")], () => quote);
    expect((await fails(trip.bookAll({ passengers }))).message).toMatch(
      /^2 of 3 offers are booked \(\w{26}, XX 311 DEL-BOM 2027-03-05 06:15; \w{26}, ZZ 102 BOM-DEL 2027-03-09 19:05\), and stand\. That with `offerIndex` 2 /,
    );
    const dearer = bookedAt("PNR002", at(inbound, price(inbound) + 1));
    const second = await setUp([booked("PNR001"), dearer, refused("no seats")], () => quote);
    const maxTotal = inr(String(whole + 2 * price(inbound)));
    expect((await fails(second.trip.bookAll({ passengers, maxTotal }))).message).toMatch(
      /^2 of 3 offers are booked \([^;]+06:15; [^;]+19:05, for more than was quoted\), and stand\./,
    );
  });

  it.each<[string | undefined, RegExp]>([
    [undefined, /is left: book the rest with trip\.book\(\) and that as `maxTotal`\.$/],
    ["order-17", /is left: book the rest with bookAll\(\) and the whole limit\.$/],
  ])("say how to book the rest, with the order %s", async (orderId, message) => {
    const responses = [booked("PNR001"), new Response("", { status: 429 })];
    const { trip } = await setUp(responses, () => original, orderId);
    expect((await fails(trip.bookAll({ passengers }))).message).toMatch(message);
  });

  it("of which one cannot be read, so that it has another name in each quote, are booked on the quote that was compared", async () => {
    let n = 0;
    const quote = () => quoteWith(outbound, { ...inbound, segments: [], token: quoteToken(`Q-${++n}`) });
    const { trip, sent } = await setUp([booked("PNR001"), booked("PNR002")], quote);
    expect(await trip.bookAll({ passengers, maxTotal: inr(String(whole)) })).toHaveLength(2);
    expect(sent.map(({ operation }) => operation)).toEqual(["fare_quote", "fare_quote", "book", "book"]);
  });

  it("leave the rest of the limit by the price that was booked, whatever is quoted meanwhile", async () => {
    const cheap = quoteWith(at(outbound, 1), inbound);
    const risen = quoteWith(outbound, at(inbound, price(inbound) + 1));
    // Shown, checked before all, before the first; by another tab while that is booked; before the second.
    const quotes = [original, original, original, cheap, risen];
    const { trip, bookings } = await quotedTrip({
      quote: () => quotes.shift() ?? risen,
      async book() {
        await trip.quote();
        return booked("PNR001");
      },
    });
    const error = await fails(trip.bookAll({ passengers, maxTotal: inr(String(whole)) }));
    expect(error).toMatchObject({ name: "BookingIncompleteError", cause: { name: "PriceAboveLimitError" } });
    expect(bookings()).toHaveLength(1);
  });

  it("the second is not sent, under its own reference, if its fresh quote fails", async () => {
    const quotes = [original, original, original];
    const { trip, bookings } = await setUp(
      [booked("PNR001")],
      () => quotes.shift() ?? (new Response("", { status: 502 }) as never),
      "order-17",
    );
    const maxTotal = inr(String(whole));
    const error = await fails(trip.bookAll({ passengers, maxTotal }));
    expect(error).toMatchObject({
      ...{ name: "BookingIncompleteError", outcome: "notSent", clientReferenceId: "order-17-2", offerIndex: 1 },
      message: expect.stringContaining("That with `offerIndex` 1 was not booked now: flights.fareQuote: "),
    });
    expect(bookings()).toHaveLength(1);
  });

  it.each<[string, unknown, string, string]>([
    ["is refused", refused("Insufficient balance"), "rejected", "was not booked now"],
    ["has no usable response", new Response("", { status: 502 }), "unknown", "may be, too"],
  ])("if the second %s, the first stands, and the error has it", async (_, response, outcome, said) => {
    const { trip, bookings, states } = await setUp(
      [booked("PNR001"), response, booked("PNR002")],
      undefined,
      "order-17",
    );
    const error = await fails(trip.bookAll({ passengers }));
    expect(error).toBeInstanceOf(BookingIncompleteError);
    expect(error).toMatchObject({
      ...{
        kind: "booking_incomplete",
        operation: "flights.book",
        outcome,
        offerIndex: 1,
        clientReferenceId: "order-17-2",
      },
      bookings: [{ pnr: "PNR001", clientReferenceId: "order-17-1" }],
      message: expect.stringContaining(
        `1 of 2 offers is booked (order-17-1, XX 311 DEL-BOM 2027-03-05 06:15), and stands. That with \`offerIndex\` 1 ${said}: `,
      ),
      cause: { operation: "flights.book", outcome },
      left: inr(String(price(inbound))),
    });
    expect(inspect(error) + JSON.stringify(error)).not.toContain("PNR001");
    const left = `Of the limit, INR ${price(inbound)} is left: book the rest with bookAll() and the whole limit.`;
    expect(error.message.endsWith(left)).toBe(outcome === "rejected");
    expect(JSON.stringify(error)).not.toContain(passengers[0]?.email);
    expect([bookings().length, states()]).toEqual([
      2,
      [
        [0, "booked", "PNR001"],
        [1, outcome, undefined],
      ],
    ]);
    if (outcome === "unknown") await trip.reconcile("notBooked", "order-17-2", { force: true });
    expect(await trip.bookAll({ passengers })).toMatchObject([{ pnr: "PNR002", clientReferenceId: "order-17-2" }]);
    expect(await trip.bookAll({ passengers })).toEqual([]);
    expect(bookings()).toHaveLength(3);
  });

  it.each<[string, FareQuote]>([
    ["costs more", quoteWith(at(outbound, price(outbound) + 1), inbound)],
    ["has no offers", quoteWith()],
  ])("are not called unbooked by a process that resumes an older trip, when a fresh quote %s", async (_, fresh) => {
    for (const [response, state] of [
      [booked("PNR001"), "is booked already.* The quote has other offers: .* can be booked with trip"],
      [new Response("", { status: 502 }), "was sent already"],
    ] as const) {
      const quotes = [original, original, original];
      const responses = [response, refused("The flight is no longer available")];
      const { trip, api, bookings, journal, now } = await setUp(responses, () => quotes.shift() ?? fresh);
      const agreedQuote = trip.shown?.body ?? expect.unreachable();
      const saved = JSON.stringify(trip);
      await fails(trip.bookAll({ passengers }));
      const sent = bookings().length;
      quotes.length = 0;
      const resumed = resumeCheckout(api, saved, { journal, now });
      for (const again of [
        () => resumed.bookAll({ passengers }),
        () => resumed.bookAll({ passengers, agreedQuote }),
        () => resumed.book({ passengers, offerIndex: 0, agreedQuote }),
      ]) {
        expect(await fails(again())).toMatchObject({
          kind: "booking_already_sent",
          message: expect.stringMatching(new RegExp(state)),
        });
      }
      expect(bookings()).toHaveLength(sent);
    }
  });

  it("are compared under the references that they are sent with, which are made once", async () => {
    const createReference = vi.fn(() => `made-${createReference.mock.calls.length}`);
    const { trip, sent, bookings } = await quotedTrip(
      { quote: () => original, book: inTurn(booked("PNR001"), booked("PNR002")) },
      { client: { createReference } },
    );
    const references = (await trip.bookAll({ passengers })).map(({ clientReferenceId }) => clientReferenceId);
    expect(createReference).toHaveBeenCalledTimes(sent.length);
    expect(references).toEqual(bookings().map((body) => body.client_referenceId));
  });

  it("are refused, with nothing sent but their quote, if one was booked under its reference in another search", async () => {
    const { trip, journal } = await setUp([booked("PNR001"), booked("PNR002")], undefined, "order-17");
    await trip.bookAll({ passengers });
    const other = quoteWith(
      { ...outbound, token: quoteToken("X1"), segments: [] },
      { ...inbound, token: quoteToken("X2"), segments: [] },
    );
    const later = clientOf({ quote: () => other });
    const again = checkout(
      later.api,
      { trace_id: "T2", token: "S2" },
      { journal, orderId: "order-17", now: () => day },
    );
    await again.quote();
    expect(await fails(again.bookAll({ passengers }))).toMatchObject({
      ...{ kind: "booking_already_sent", conflict: "reference", row: { pnr: "PNR001" } },
    });
    expect(later.sent.map(({ operation }) => operation)).toEqual(["fare_quote"]);
  });

  it("if the first fails, nothing else is sent, and the error is its own", async () => {
    for (const [response, outcome] of [
      [refused("The flight is no longer available"), "rejected"],
      [new Response("", { status: 502 }), "unknown"],
    ] as const) {
      const { trip, bookings } = await setUp([response, booked("PNR002")]);
      const error = await fails(trip.bookAll({ passengers }));
      expect([error.operation, error.outcome, error.name]).not.toContain("BookingIncompleteError");
      expect([error.operation, error.outcome]).toEqual(["flights.book", outcome]);
      expect(bookings()).toHaveLength(1);
    }
  });

  it.each([{}, { maxTotal: inr(String(whole)) }])(
    "an offer that only the fresh quote has costs nothing, with %j",
    async (limit) => {
      const quotes = [original];
      const service = () => quotes.shift() ?? quoteWith(outbound, inbound, at(inbound, 99_999));
      const { trip } = await setUp([booked("PNR001"), booked("PNR002")], service);
      expect(await trip.bookAll({ passengers, requoteIfOlderThan: 0, ...limit })).toHaveLength(2);
    },
  );

  it("the second may cost what the first has left of the limit, and no more", async () => {
    const dearer = at(inbound, price(inbound) + 5);
    const quotes = [original, original, original];
    const service = () => quotes.shift() ?? quoteWith(outbound, dearer);
    const { trip, bookings } = await setUp([booked("PNR001"), booked("PNR002")], service);
    const error = await fails(trip.bookAll({ passengers, maxTotal: inr(String(whole + 4)) }));
    expect(error).toMatchObject({ kind: "booking_incomplete", outcome: "notSent", offerIndex: 1 });
    expect(error.cause).toMatchObject({ kind: "price_above_limit" });
    expect(bookings()).toHaveLength(1);
    quotes.push(original, original, original);
    const again = await setUp([booked("PNR001"), booked("PNR002")], service);
    expect(await again.trip.bookAll({ passengers, maxTotal: inr(String(whole + 5)) })).toHaveLength(2);
  });

  it.each([
    [3, 2],
    [4, 1],
  ])(
    "the second may cost what the first has left of the price that was agreed to: quoted for %d more",
    async (by, sent) => {
      const agreedQuote = quoteWith(outbound, at(inbound, price(inbound) + 5));
      // Shown, checked before all; before the first, before the second.
      const quotes = [original, original];
      const service = () => quotes.shift() ?? quoteWith(outbound, at(inbound, price(inbound) + by));
      const first = bookedAt("PNR001", at(outbound, price(outbound) + 2));
      const { trip, bookings } = await setUp([first, booked("PNR002")], service);
      const all = trip.bookAll({ passengers, agreedQuote, requoteIfOlderThan: 0 });
      if (sent === 2) expect(await all).toHaveLength(2);
      else expect(await fails(all)).toMatchObject({ kind: "booking_incomplete", cause: { kind: "price_above_limit" } });
      expect(bookings()).toHaveLength(sent);
    },
  );

  it.each([
    ["above what was agreed to", {}, 1, 1],
    ["above the limit for all", { maxTotal: inr(String(whole + 4)) }, 5, 1],
    ["within the limit for all", { maxTotal: inr(String(whole + 4)) }, 4, 2],
    ["below its quote", {}, -1, 2],
    ["without a price", {}, Number.NaN, 2],
    ["at a price in another currency", { maxTotal: inr("999999") }, "USD", 1],
  ])("the second is sent only if the first, when it was booked %s, leaves its price", async (_, limit, rise, sent) => {
    const { total_fare, basefare } = outbound.fare;
    const changes =
      typeof rise === "string"
        ? { currency: rise }
        : { total_fare: total_fare + rise, basefare: basefare + Math.min(rise, 0) };
    const first = bookedAt("PNR001", { fare: { ...outbound.fare, ...changes } });
    const { trip, bookings } = await setUp([first, bookedAt("PNR002", inbound)]);
    const booking = trip.bookAll({ passengers, ...limit });
    if (sent === 2) expect(await booking).toMatchObject([{ pnr: "PNR001" }, { pnr: "PNR002" }]);
    else
      expect(await fails(booking)).toMatchObject({
        ...{ kind: "booking_incomplete", outcome: "notSent", offerIndex: 1, bookings: [{ pnr: "PNR001" }] },
        message: expect.stringMatching(
          new RegExp(
            `^1 of 2 offers is booked \\(\\w{26}, XX 311 DEL-BOM 2027-03-05 06:15${typeof rise === "number" ? ", for more than was quoted" : ""}\\), and stands\\. That with \`offerIndex\` 1 was not booked now: The offers from this one on cost INR [\\d.]+, and INR [\\d.]+ is left of ${"maxTotal" in limit ? "`maxTotal`" : "the price that was agreed to"}\\. If the traveller agrees, book each with trip\\.book\\(\\) and its \`offerIndex\`\\.$`,
          ),
        ),
        cause: { kind: "price_above_limit" },
      });
    expect(bookings()).toHaveLength(sent);
  });

  it("the rest of an order is booked by bookAll, if the total is known", async () => {
    const dearer = { ...outbound.fare, total_fare: outbound.fare.total_fare + 1 };
    const first = { ...Object(booked("PNR001")), data: { result: { pnr: "PNR001", fare: dearer } } };
    const { trip } = await setUp([first, booked("PNR002")], undefined, "order-17");
    const error = await fails(trip.bookAll({ passengers }));
    expect(error.message).toMatch(
      /If the traveller agrees, call bookAll\(\) with the new quote as `agreedQuote`, and `trip\.total` as `maxTotal`\.$/,
    );
    const agreedQuote = trip.shown?.body ?? expect.unreachable();
    const maxTotal = trip.total ?? expect.unreachable();
    expect(await trip.bookAll({ passengers, agreedQuote, maxTotal })).toMatchObject([{ pnr: "PNR002" }]);
  });

  it.each<[string, object]>([
    ["in no currency", { total_fare: 9_000 }],
    ["in digits that cannot be read", { currency: "INR", total_fare: "9,000.00" }],
    ["as an object", { currency: "INR", total_fare: { amount: 9_000 } }],
    ["as its parts", { currency: "INR", basefare: 8_000, tax_and_surcharges: 1_000 }],
  ])("the second is not sent if the price of the first is named %s", async (_how, fare) => {
    const { trip, bookings } = await setUp([bookedAt("PNR001", { fare }), booked("PNR002")]);
    const error = await fails(trip.bookAll({ passengers, maxTotal: inr(String(whole)) }));
    expect(error).toMatchObject({ kind: "booking_incomplete", bookings: [{ pnr: "PNR001" }] });
    expect(trip.bookingAttempts[0]).not.toHaveProperty("bookingId");
    expect(bookings()).toHaveLength(1);
  });

  it("have an order with an ID, and no undefined limit", async () => {
    const { trip, bookings } = await setUp([]);
    for (const wrong of [{ orderId: "" }, { maxTotal: undefined }, { offerIndex: 0 }]) {
      const error = await fails(trip.bookAll({ passengers, ...wrong } as never));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toMatch(/^trip\.bookAll: /);
    }
    expect(bookings()).toEqual([]);
  });

  it("are compared with the quote that was shown, and no other, if `requoteIfOlderThan` is Infinity", async () => {
    const { trip, sent } = await setUp([booked("PNR001"), booked("PNR002")]);
    const requoteIfOlderThan = Number.POSITIVE_INFINITY;
    await trip.bookAll({ passengers, requoteIfOlderThan, maxTotal: inr(String(whole)) });
    expect(sent.map(({ operation }) => operation)).toEqual(["fare_quote", "book", "book"]);
  });

  it("in two currencies have no price together, and none that fits a limit", async () => {
    const mixed = quoteWith(outbound, { ...inbound, fare: { ...inbound.fare, currency: "USD" } });
    const { trip, bookings } = await setUp([], () => mixed);
    expect(trip.total).toBeNull();
    for (const currency of ["INR", "USD"]) {
      const error = await fails(trip.bookAll({ passengers, maxTotal: { amount: "999999", currency } }));
      expect(error).toMatchObject({ kind: "price_above_limit", total: null });
    }
    expect(bookings()).toEqual([]);
  });

  it("have to have a price that can be read, or a limit", async () => {
    const { trip, bookings } = await setUp([], () => quoteWith(outbound, at(inbound, 0)));
    expect(await fails(trip.bookAll({ passengers }))).toMatchObject({
      ...{ kind: "request_validation", operation: "flights.book", issues: [{ path: ["maxTotal"], code: "missing" }] },
      message: "trip.book: `maxTotal` must be the maximum price: that of the quote cannot be read. Nothing was sent.",
    });
    expect(bookings()).toEqual([]);
  });

  it("are not told to be booked one by one if the same journey was booked elsewhere", async () => {
    const { api } = clientOf({ quote: () => original, book: () => booked("PNR001") });
    const options = { journal: memoryJournal(), now: () => day };
    const [first, second] = ["T1", "T2"].map((trace_id) => checkout(api, { trace_id, token: "S" }, options));
    await first?.quote();
    await second?.quote();
    await first?.book({ passengers, offerIndex: 0 });
    const again = quoteWith({ ...outbound, token: quoteToken("X1") }, { ...inbound, token: quoteToken("X2") });
    const other = checkout(clientOf({ quote: () => again }).api, { trace_id: "T3", token: "S" }, options);
    await other.quote();
    const error = await fails(other.bookAll({ passengers }));
    expect(error).toMatchObject({ conflict: "passengers", message: expect.stringContaining("`allowDuplicate: true`") });
  });

  it("have no price before the quote, or if one of them has none", async () => {
    const { api } = clientOf();
    expect(checkout(api, { trace_id: "T", token: "S" }, { journal: memoryJournal() }).total).toBeNull();
    expect((await setUp([], () => quoteWith(outbound, at(inbound, 0)))).trip.total).toBeNull();
  });
});
