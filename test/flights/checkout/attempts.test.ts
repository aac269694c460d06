import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import {
  BookingAlreadySettledError,
  BookingInFlightError,
  type BookingJournal,
  type CheckoutBooking,
  checkout,
  isOverdue,
  type JournalRow,
  type LookupResult,
  memoryJournal,
  quoteToken,
  reconcile,
  resumeCheckout,
} from "../../../src/flights/index.ts";
import { fileJournal } from "../../../src/flights/journal/file.ts";
import type { FareQuote } from "../../../src/flights/types/index.ts";
import { stopClock } from "../../support/clock.ts";
import { gate, untilTestEnds } from "../../support/gate.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { row } from "../journal/rows.ts";
import { sampleQuote } from "../offers.ts";
import {
  booked,
  bookingInFlight,
  clientOf,
  confirmed,
  day,
  fails,
  inr,
  inTurn,
  passengers,
  quoteAt,
  quotedTrip,
  quoteOf,
  refused,
  type Service,
  withOffers,
} from "./support.ts";

const now = () => day;
const search = { trace_id: "T", token: "S" };
const silence = untilTestEnds;
const unauthorized = () =>
  Response.json({ status: "FAILED", status_code: "401", message: "Unauthorized" }, { status: 401 });
/** The warnings of a booking that are about the journal. */
const warned = ({ warnings }: CheckoutBooking) => warnings.filter(({ path }) => path[0] === "journal");

const journals: readonly [string, () => BookingJournal][] = [
  ["memoryJournal", () => memoryJournal()],
  ["fileJournal", () => fileJournal(temporaryFile("bookings.jsonl"))],
];

describe.each(journals)("an attempt settles its own row and no other (%s)", (_name, create) => {
  it("a second tab whose quote fails leaves the booking of the first alone: the third click is refused", async () => {
    const [asked, out, answer] = [gate(), gate(), gate()];
    const quote = vi
      .fn(quoteOf)
      .mockImplementationOnce(quoteOf)
      .mockImplementationOnce(() => asked.open() ?? quoteOf())
      .mockReturnValueOnce(refused("flight no longer available") as never);
    const book = async () => {
      out.open();
      await answer.opened;
      return booked("PNR001");
    };
    const { trip: first, api, bookings, journal } = await quotedTrip({ quote, book }, { journal: create() });
    const saved = JSON.stringify(first);
    const ask = { passengers, clientReferenceId: "ORDER-1", maxTotal: inr("8000") };
    const tab = () => resumeCheckout(api, saved, { journal, now });

    const booking = first.book(ask);
    await asked.opened;
    const second = fails(tab().book(ask));
    await out.opened;
    expect((await second).name).toMatch(/OfferUnavailableError|BookingAlreadySentError/);
    expect(await journal.pending()).toMatchObject([{ clientReferenceId: "ORDER-1", state: "sent" }]);
    expect(await fails(tab().book(ask))).toMatchObject({ name: "BookingAlreadySentError", row: { state: "sent" } });
    answer.open();
    expect((await booking).pnr).toBe("PNR001");
    expect(bookings()).toHaveLength(1);
  });

  it("closing a second tab while it asks for a quote is safe too", async () => {
    const [asked, out] = [gate(), gate()];
    const quote = vi
      .fn<Service["quote"]>(quoteOf)
      .mockImplementationOnce(quoteOf)
      .mockImplementationOnce(() => asked.open() ?? silence());
    const book = () => out.open() ?? silence();
    const { trip, api, journal } = await quotedTrip({ quote, book }, { journal: create() });
    const aborter = new AbortController();
    const tab = resumeCheckout(api, JSON.stringify(trip), { journal, now });
    const closed = fails(
      tab.book({ passengers, clientReferenceId: "O", maxTotal: inr("8000") }, { signal: aborter.signal }),
    );
    await asked.opened;
    void fails(trip.book({ passengers, clientReferenceId: "O" }));
    await out.opened;
    aborter.abort();
    expect(await closed).toMatchObject({ name: "AbortError" });
    expect(await journal.pending()).toMatchObject([{ clientReferenceId: "O", state: "sent" }]);
  });

  it("allowDuplicate that is stopped by the price forgets nothing, and a later booking without it is refused", async () => {
    const { trip, bookings, journal } = await quotedTrip({ book: () => Response.error() }, { journal: create() });
    await fails(trip.book({ passengers, clientReferenceId: "order-17" }));
    const forced = { passengers, clientReferenceId: "order-18", allowDuplicate: true, maxTotal: inr("1") };
    expect(await fails(trip.book(forced))).toMatchObject({ name: "PriceAboveLimitError" });
    expect(await journal.pending()).toMatchObject([{ clientReferenceId: "order-17", state: "unknown" }]);
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "BookingAlreadySentError" });
    expect(bookings()).toHaveLength(1);
  });

  it("allowDuplicate that is refused by the service forgets nothing", async () => {
    const { trip } = await quotedTrip({ book: inTurn(Response.error(), unauthorized()) }, { journal: create() });
    await fails(trip.book({ passengers }));
    expect(await fails(trip.book({ passengers, allowDuplicate: true }))).toMatchObject({ outcome: "rejected" });
    expect(trip.bookingAttempts.map(({ state, forced }) => [state, forced ?? false])).toEqual([
      ["unknown", false],
      ["rejected", true],
    ]);
    expect(await fails(trip.book({ passengers }))).toMatchObject({
      name: "BookingAlreadySentError",
      row: { state: "unknown" },
    });
  });

  it("allowDuplicate does not reuse a reference that is taken", async () => {
    const { trip, bookings } = await quotedTrip({}, { journal: create() });
    await trip.book({ passengers, clientReferenceId: "order-17" });
    const error = await fails(trip.book({ passengers, clientReferenceId: "order-17", allowDuplicate: true }));
    expect(error).toMatchObject({ name: "BookingAlreadySentError", conflict: "reference", row: { pnr: "PNR001" } });
    expect(error.message).toContain("Use another reference for another booking");
    expect((await trip.book({ passengers, clientReferenceId: "order-18", allowDuplicate: true })).pnr).toBe("PNR001");
    expect(bookings()).toHaveLength(2);
  });

  it("a reference that was refused may be used again: both rows are kept", async () => {
    const book = inTurn(unauthorized(), booked("PNR001"));
    const { trip, journal } = await quotedTrip({ book }, { journal: create() });
    await fails(trip.book({ passengers, clientReferenceId: "order-17" }));
    await trip.book({ passengers, clientReferenceId: "order-17" });
    expect((await journal.find("order-17")).map(({ state }) => state)).toEqual(["rejected", "booked"]);
  });

  it("a booking is recorded even if its row was meanwhile closed as not booked, and says so", async () => {
    const { journal, row, booking, answer } = await bookingInFlight({ journal: create() });
    await reconcile(journal, row, "notBooked", { force: true });
    answer.open(booked("PNR001"));
    const made = await booking;
    expect(warned(made)).toMatchObject([
      { path: ["journal", row.clientReferenceId], message: expect.stringContaining("closed as not booked") },
    ]);
    expect(await journal.get(row.attemptId)).toMatchObject({ state: "booked", pnr: made.pnr });
  });

  it("a booking that somebody found first is recorded once; another PNR is reported", async () => {
    for (const [found, warns] of [
      ["PNR001", false],
      ["OTHER1", true],
    ] as const) {
      const { journal, row, booking, answer } = await bookingInFlight({ journal: create() });
      await reconcile(journal, row, { pnr: found });
      answer.open(booked("PNR001"));
      const messages = (await booking).warnings.map(({ message }) => message);
      expect(messages.some((message) => message.includes("another PNR, OTHER1"))).toBe(warns);
      expect(await journal.get(row.attemptId)).toMatchObject({ state: "booked", pnr: found });
    }
  });

  it.each([
    ["the response has a PNR", { bookingId: "4711" }, { pnr: "PNR001" }],
    ["the response has a booking ID", { pnr: "PNR001" }, { booking_id: 4711 }],
  ])("one that somebody found by another name is not reported: %s", async (_case, found, result) => {
    const { journal, row, booking, answer } = await bookingInFlight({ journal: create() });
    await reconcile(journal, row, found);
    answer.open(confirmed(result));
    expect(warned(await booking)).toEqual([]);
  });

  it("one that another process called unknown meanwhile is recorded, which is nothing to report", async () => {
    const { trip, journal, row, booking, answer } = await bookingInFlight({ journal: create() });
    expect(trip.bookingAttempts).toMatchObject([{ state: "sent", attemptId: row.attemptId }]);
    await journal.settle({ ...row, state: "unknown", reason: "timeout" }, "sent");
    answer.open(confirmed({ booking_id: 7 }));
    expect(warned(await booking)).toEqual([]);
    const recorded = await journal.get(row.attemptId);
    expect(recorded).toMatchObject({ state: "booked", bookingId: "7" });
    expect(recorded).not.toHaveProperty("pnr");
  });
});

describe("a booking that ends while another step of its trip looks it up", () => {
  /** A trip of two offers, whose journal passes on what it found when it is let, and whose first booking is in flight. */
  async function setUp() {
    const [sent, answer, asked, found] = [gate(), gate(), gate(), gate()];
    const inner = memoryJournal();
    const state = { slow: false, down: false };
    const journal: BookingJournal = {
      ...inner,
      async get(id) {
        const row = await inner.get(id);
        if (state.slow && row?.clientReferenceId === "out") {
          asked.open();
          await found.opened;
        }
        return row;
      },
      settle: async (...step) => (state.down ? Promise.reject(new Error("down")) : inner.settle(...step)),
    };
    const book = vi
      .fn(async () => booked("PNR002"))
      .mockImplementationOnce(async () => {
        sent.open();
        await answer.opened;
        return booked("PNR001");
      });
    const quote = () => sampleQuote("domestic-roundtrip-two-results");
    const { trip, bookings } = await quotedTrip({ quote, book }, { journal });
    const first = trip.book({ passengers, offerIndex: 0, clientReferenceId: "out" });
    await sent.opened;
    state.slow = true;
    /** Ends the first while it is looked up, and its journal is away. */
    const end = async () => {
      await asked.opened;
      state.down = true;
      answer.open();
      await first;
      Object.assign(state, { down: false, slow: false });
      found.open();
    };
    const known = () => trip.bookingAttempts.find(({ clientReferenceId }) => clientReferenceId === "out");
    return { trip, bookings, end, known };
  }

  it("is not put back by another booking: it stays booked in the trip, and stops another", async () => {
    const { trip, bookings, end, known } = await setUp();
    const second = trip.book({ passengers, offerIndex: 1, clientReferenceId: "back" });
    await end();
    await second;
    expect(known()).toMatchObject({ state: "booked", pnr: "PNR001" });
    const again = trip.book({ passengers, offerIndex: 0, clientReferenceId: "out-2" });
    expect(await fails(again)).toMatchObject({ name: "BookingAlreadySentError", row: { pnr: "PNR001" } });
    expect(bookings()).toHaveLength(2);
  });

  it("is not put back by trip.reconcile()", async () => {
    const { trip, end, known } = await setUp();
    const reconciled = fails(trip.reconcile("notBooked", "out"));
    await end();
    expect((await reconciled).name).toBe("ConfigurationError");
    expect(known()).toMatchObject({ state: "booked", pnr: "PNR001" });
  });
});

describe("a booking that another process closed", () => {
  it("is closed in the trip too, once the trip is asked to reconcile", async () => {
    const { trip, journal } = await quotedTrip({ book: () => Response.error() });
    await fails(trip.book({ passengers }));
    const [row] = await journal.pending();
    await reconcile(journal, row ?? expect.unreachable(), { pnr: "ABC123" });
    expect(trip.bookingAttempts).toMatchObject([{ state: "unknown" }]);
    expect(await fails(trip.reconcile({ pnr: "ABC123" }))).toMatchObject({ name: "ConfigurationError" });
    expect(trip.bookingAttempts).toMatchObject([{ state: "booked", pnr: "ABC123" }]);
  });
});

describe("the refusal of a booking that was made or sent before", () => {
  const cases: [string, object, "booked" | "sent", string][] = [
    ["reference", {}, "booked", "Use another reference for another booking."],
    ["token", { clientReferenceId: "order-18" }, "booked", "pass `allowDuplicate: true`."],
    ["token", { clientReferenceId: "order-18" }, "sent", "Look it up, close it with reconcile()"],
    ["reference", {}, "sent", "Look it up, close it with reconcile()"],
  ];
  it.each(cases)("names the conflict, a %s (%j), and says what to do: %s", async (conflict, request, state, advice) => {
    const { trip } = await quotedTrip(state === "sent" ? { book: () => Response.error() } : {});
    await trip.book({ passengers, clientReferenceId: "order-17" }).catch(() => {});
    const error = await fails(trip.book({ passengers, clientReferenceId: "order-17", ...request }));
    expect(error).toMatchObject({ name: "BookingAlreadySentError", operation: "flights.book", conflict });
    expect(error.message).toContain(advice);
    const until = `Its response may still come until ${new Date(day + 270_000).toISOString()}: look it up after that.`;
    expect(error.message.includes(until)).toBe(state === "sent");
  });

  it("does not name a time that has passed", async () => {
    let time = day;
    const { trip } = await quotedTrip({ book: () => Response.error() }, { now: () => time });
    await fails(trip.book({ passengers }));
    time += 270_000;
    expect((await fails(trip.book({ passengers }))).message).toMatch(/only if it is not booked\.$/);
  });
});

describe("a row has the time until which a response may arrive", () => {
  it.each([
    ["the defaults", {}, {}, 30_000 + 180_000 + 60_000],
    ["the client's, which are longer", { timeout: 400_000, totalTimeout: 400_000 }, {}, 30_000 + 400_000 + 60_000],
    ["the call's, which are longer", {}, { timeout: false, totalTimeout: 200_000 }, 30_000 + 200_000 + 60_000],
    ["the defaults, if the client's are shorter", { timeout: 5_000 }, {}, 270_000],
    ["the defaults, if the call's are shorter", { totalTimeout: 90_000 }, { totalTimeout: 1_000 }, 270_000],
    ["the defaults, if the call's `timeout` is shorter than they", {}, { timeout: 1_000 }, 270_000],
    ["the defaults, if the call's `totalTimeout` is shorter than they", {}, { totalTimeout: 1_000 }, 270_000],
    ["none of the client: a day", { timeout: false, totalTimeout: false }, {}, 30_000 + 86_400_000 + 60_000],
    ["none of the call: a day", {}, { timeout: false, totalTimeout: false }, 30_000 + 86_400_000 + 60_000],
  ] as const)("by the deadlines of the booking: %s", async (_case, client, call, expected) => {
    const { trip, journal } = await quotedTrip({ book: () => Response.error() }, { client });
    await fails(trip.book({ passengers }, call));
    expect(await journal.pending()).toMatchObject([{ sentAt: day, responseDueBy: day + expected }]);
  });

  it("refuses to close it as not booked before, however short the deadlines are", async () => {
    let time = day;
    const { trip } = await quotedTrip({ book: silence }, { now: () => time });
    expect(await fails(trip.book({ passengers }, { timeout: 50 }))).toMatchObject({ outcome: "unknown" });
    time = day + 269_999;
    expect(await fails(trip.reconcile("notBooked"))).toBeInstanceOf(BookingInFlightError);
    time = day + 270_000;
    expect(await trip.reconcile("notBooked")).toMatchObject({ state: "rejected" });
  });
});

describe("reconcile", () => {
  it("refuses a row whose response may still arrive, so that a clean-up loop does not free it", async () => {
    const { api, journal, saved, booking, answer, row, bookings } = await bookingInFlight();
    expect(isOverdue(row, { now })).toBe(false);
    const error = await fails(reconcile(journal, row, "notBooked", { now }));
    expect(error).toBeInstanceOf(BookingInFlightError);
    expect(error).toMatchObject({ kind: "booking_in_flight", clientReferenceId: row.clientReferenceId, row });
    expect(error.message).toContain(new Date(row.responseDueBy).toISOString());
    expect(await fails(resumeCheckout(api, saved, { journal, now }).book({ passengers }))).toMatchObject({
      name: "BookingAlreadySentError",
    });
    answer.open(booked("PNR001"));
    expect((await booking).pnr).toBe("PNR001");
    expect(bookings()).toHaveLength(1);
  });

  it("refuses an unknown row too: the service may finish what this side has given up", async () => {
    const [out, late] = [gate(), gate()];
    const made: unknown[] = [];
    const { trip, journal } = await quotedTrip({
      book: async (body) => {
        out.open();
        await late.opened;
        made.push(body.token);
        return booked("PNR001");
      },
    });
    const aborter = new AbortController();
    const booking = fails(trip.book({ passengers }, { signal: aborter.signal }));
    await out.opened;
    aborter.abort();
    expect(await booking).toMatchObject({ name: "BookingOutcomeUnknownError" });
    const [row] = (await journal.pending()) as [JournalRow];
    expect(row.state).toBe("unknown");
    for (const closing of [reconcile(journal, row, "notBooked", { now }), trip.reconcile("notBooked")]) {
      expect(await fails(closing)).toBeInstanceOf(BookingInFlightError);
    }
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "BookingAlreadySentError" });
    late.open();
    await expect.poll(() => made).toHaveLength(1);
    expect(await trip.reconcile({ pnr: "PNR001" })).toMatchObject({ state: "booked" });
    expect(made).toHaveLength(1);
  });

  it.each(["sent", "unknown"] as const)("records a booking that was found for a %s row at any time", async (state) => {
    const { journal, row } = journalWith({ state, responseDueBy: day + 270_000 });
    expect(await reconcile(journal, row, { pnr: "P" }, { now })).toMatchObject({ state: "booked", pnr: "P" });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, "9", undefined])("closes nothing if the clock is %s", async (time) => {
    const { api, journal, saved, row } = await bookingInFlight();
    const broken = { now: () => time as number };
    const trip = resumeCheckout(api, { ...JSON.parse(saved), attempts: [row] }, { journal, now });
    for (const closing of [
      reconcile(journal, row, "notBooked", broken),
      reconcile(journal, row, { pnr: "P" }, broken),
      trip.reconcile("notBooked", undefined, broken),
    ]) {
      expect(await fails(closing)).toMatchObject({
        name: "ConfigurationError",
        message: "reconcile: `now` must return a finite number of milliseconds since 1970.",
      });
    }
    // An option that is undefined leaves the clock of the trip.
    expect(await fails(trip.reconcile("notBooked", undefined, { now: undefined }))).toBeInstanceOf(
      BookingInFlightError,
    );
    expect(await journal.pending()).toEqual([row]);
  });

  it("closes it once that time is over, or on explicit request", async () => {
    for (const options of [{ now: () => day + 270_000 }, { now, force: true }]) {
      const { journal, row, answer, booking } = await bookingInFlight();
      expect(await reconcile(journal, row, "notBooked", options)).toMatchObject({ state: "rejected" });
      answer.open(refused("gone"));
      await fails(booking);
      expect(await journal.get(row.attemptId)).toMatchObject({ state: "rejected" });
    }
  });

  it("does not touch a row that was settled meanwhile, and shows it", async () => {
    const { journal, booking, answer, row } = await bookingInFlight();
    answer.open(booked("PNR001"));
    await booking;
    const error = await fails(reconcile(journal, row, "notBooked", { now, force: true }));
    expect(error).toBeInstanceOf(BookingAlreadySettledError);
    expect(error).toMatchObject({ kind: "booking_already_settled", row: { state: "booked", pnr: "PNR001" } });
    expect(JSON.stringify(error)).not.toContain(row.token);
    const current = (await journal.get(row.attemptId)) as JournalRow;
    expect(await fails(reconcile(journal, current, "notBooked"))).toBeInstanceOf(BookingAlreadySettledError);
    expect(await journal.get(row.attemptId)).toMatchObject({ state: "booked", pnr: "PNR001" });
  });

  it("of two at the same moment, one wins and the other throws", async () => {
    const { journal, row } = await bookingInFlight();
    const results = await Promise.allSettled(
      ["A", "B"].map((pnr) => reconcile(journal, row, { pnr }, { now, force: true })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  /** A journal with one row. */
  const journalWith = (changes: Partial<JournalRow> = {}) => {
    const pending = row({ state: "unknown", at: day, sentAt: day, responseDueBy: day, ...changes });
    return { row: pending, journal: memoryJournal([pending]) };
  };

  it.each<[unknown]>([
    [{ pnr: "" }],
    [{ pnr: "  " }],
    [{}],
    [{ pnr: "", bookingId: 0 }],
    [{ bookingId: "000" }],
    [{ pnr: null }],
    [{ pnr: 5 }],
    [{ PNR: "ABC123" }],
    [{ bookingId: -1 }],
    [{ bookingId: Number.NaN }],
    [null],
    [undefined],
    ["booked"],
    [true],
  ])("%j names no booking: the row stays open", async (found) => {
    const { journal, row } = journalWith();
    expect(await fails(reconcile(journal, row, found as LookupResult))).toMatchObject({ name: "ConfigurationError" });
    expect(await journal.pending()).toEqual([row]);
  });

  it.each<[LookupResult, Partial<JournalRow>]>([
    [{ pnr: " ABC123 " }, { pnr: "ABC123" }],
    [{ bookingId: 900_001 }, { bookingId: "900001" }],
    [
      { pnr: "ABC123", bookingId: "7" },
      { pnr: "ABC123", bookingId: "7" },
    ],
    [{ pnr: "ABC123", bookingId: 0 }, { pnr: "ABC123" }],
  ])("%j is recorded by what it names", async (found, expected) => {
    const { journal, row } = journalWith();
    const closed = await reconcile(journal, row, found, { now: () => day + 1 });
    expect(closed).toEqual({ ...row, state: "booked", at: day + 1, ...expected });
    expect(await journal.get(row.attemptId)).toEqual(closed);
  });

  it("accepts a booking that turns up after its row was closed", async () => {
    const { journal, row } = journalWith();
    const closed = await reconcile(journal, row, "notBooked");
    expect(await fails(reconcile(journal, closed, "notBooked"))).toBeInstanceOf(BookingAlreadySettledError);
    expect(await reconcile(journal, closed, { pnr: "FOUND1" })).toMatchObject({ state: "booked", pnr: "FOUND1" });
  });

  it("refuses a row that the journal does not hold, an invalid row or journal, and unknown options", async () => {
    const journal = memoryJournal();
    const { row } = journalWith();
    expect(await fails(reconcile(journal, row, "notBooked"))).toMatchObject({
      message: expect.stringContaining("does not hold this row"),
    });
    expect(await fails(reconcile(journal, null as never, "notBooked"))).toMatchObject({ name: "ConfigurationError" });
    expect(await fails(reconcile({} as BookingJournal, row, "notBooked"))).toMatchObject({
      name: "ConfigurationError",
    });
    expect(await fails(reconcile(journal, row, "notBooked", { forced: true } as object))).toMatchObject({
      message: expect.stringContaining('did you mean "force"'),
    });
  });

  it("throws a typed error if a journal fails", async () => {
    const { journal, row } = journalWith();
    const failing = { ...journal, get: () => Promise.reject(new Error("no database")) };
    expect(await fails(reconcile(failing, row, "notBooked"))).toMatchObject({
      name: "JournalError",
      cause: { message: "no database" },
    });
  });

  it("ends when a journal hangs: the row may be closed or still open", async () => {
    stopClock("setTimeout", "clearTimeout");
    for (const fault of [{ get: silence }, { settle: silence }]) {
      const { journal, row } = journalWith();
      const closing = fails(reconcile({ ...journal, ...fault }, row, "notBooked"));
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await closing).toMatchObject({
        name: "JournalError",
        message: expect.stringContaining("reconcile again before you book"),
        cause: { message: "The journal did not respond within 30000 ms." },
      });
    }
  });

  it("keeps what a booking said that the journal did not confirm", async () => {
    const journal = memoryJournal();
    const settle = vi
      .fn<BookingJournal["settle"]>((...given) => journal.settle(...given))
      .mockRejectedValueOnce("down");
    const segments = [
      { ...sampleQuote("domestic-oneway-full-service").data.result[0]?.segments[0], flight_status: "Waitlisted" },
    ];
    const { trip } = await quotedTrip(
      { book: () => confirmed({ pnr: "PNR001", segments }, "") },
      { journal: { ...journal, settle } },
    );
    const { pnr, isConfirmed, warnings } = await trip.book({ passengers });
    expect([isConfirmed, warnings.at(-1)?.message]).toEqual([
      false,
      expect.stringContaining("did not confirm its row"),
    ]);
    expect(await trip.reconcile({ pnr })).toMatchObject({ state: "booked", pnr, isConfirmed: false });
    expect(await journal.find(trip.bookingAttempts[0]?.clientReferenceId ?? "")).toMatchObject([
      { isConfirmed: false },
    ]);
  });

  it("of a journal counts, not what a saved trip says", async () => {
    const { trip, journal } = await quotedTrip({ book: () => Response.error() });
    await fails(trip.book({ passengers }));
    const saved = JSON.stringify(trip);
    for (const row of await journal.pending()) await reconcile(journal, row, "notBooked", { force: true });
    const resumed = resumeCheckout(clientOf().api, saved, { journal, now });
    expect((await resumed.book({ passengers })).pnr).toBe("PNR001");
    expect(resumed.bookingAttempts.map(({ state }) => state)).toEqual(["rejected", "booked"]);
    expect(await fails(trip.reconcile("notBooked"))).toMatchObject({
      message: expect.stringContaining("no matching open booking"),
    });
  });
});

describe.each(journals)("a booking that the journal could not record (%s)", (_name, create) => {
  it.each<[string, (journal: BookingJournal) => Promise<unknown>]>([
    ["is still open", async () => {}],
    [
      "was closed meanwhile",
      async (journal) => {
        const [row] = await journal.pending();
        await journal.settle({ ...(row ?? expect.unreachable()), state: "rejected" }, "sent");
      },
    ],
  ])("stops another one of its trip, whose row %s", async (_, meanwhile) => {
    const journal = create();
    let isAway = false;
    const settle: BookingJournal["settle"] = async (row, from) => {
      if (isAway) throw new Error("away");
      return journal.settle(row, from);
    };
    const away = { ...journal, settle };
    const book = async () => {
      await meanwhile(journal);
      isAway = true;
      return booked("PNR001");
    };
    const { trip, api, bookings } = await quotedTrip({ book }, { journal: away });
    expect((await trip.book({ passengers })).pnr).toBe("PNR001");
    const saved = JSON.stringify(trip);
    for (isAway of [true, false]) {
      const resumed = resumeCheckout(api, saved, { journal: away, now: () => day + 270_000 });
      expect(await fails(resumed.book({ passengers }))).toMatchObject({
        ...{ kind: "booking_already_sent", row: { state: "booked", pnr: "PNR001" } },
        message: expect.stringContaining("is booked already"),
      });
      expect(resumed.bookingAttempts).toMatchObject([{ state: "booked", pnr: "PNR001" }]);
    }
    expect(bookings()).toHaveLength(1);
  });
});

describe("a new search after a booking, for the same flights and passengers", () => {
  const [first] = passengers;
  const again = (journal: BookingJournal, changes: object = {}, quote = quoteOf()) => {
    const { api, bookings } = clientOf({ quote: () => quote });
    const trip = checkout(api, { trace_id: "T2", token: "S2" }, { journal, now });
    const people = [{ ...first, ...changes }] as typeof passengers;
    const book = async (more: object = {}) => {
      await trip.quote();
      return trip.book({ passengers: people, ...more });
    };
    return { book, bookings };
  };
  const elsewhere = { token: "Q2" };

  async function unknownBooking() {
    const { trip, journal } = await quotedTrip({ book: () => Response.error() });
    await fails(trip.book({ passengers }));
    return journal;
  }

  it("is noticed in any spelling, and allowDuplicate allows it", async () => {
    const journal = await unknownBooking();
    const spelled = { fname: ` ${first?.fname.toLowerCase()} `, lname: first?.lname.toLowerCase() };
    for (const changes of [{}, spelled]) {
      const { book, bookings } = again(journal, changes, quoteOf(elsewhere));
      const error = await fails(book({ acceptIssues: ["name_characters", "invalid_field"] }));
      expect(error).toMatchObject({ name: "BookingAlreadySentError", conflict: "passengers" });
      expect(error.message).toMatch(/same flights, probably for the same passengers, was sent already/);
      expect(bookings()).toEqual([]);
    }
    const { book } = again(journal, {}, quoteOf(elsewhere));
    expect((await book({ allowDuplicate: true })).pnr).toBe("PNR001");
  });

  it.each([
    ["another passenger", { lname: "OTHER" }, {}],
    ["another date of birth", { dob: "1970-01-01" }, {}],
    ["another flight", {}, { flight_number: "999" }],
  ])("is another journey with %s", async (_case, person, segment) => {
    const journal = await unknownBooking();
    const [offer] = quoteOf().data.result;
    const segments = offer?.segments.map((one) => ({ ...one, ...segment }));
    const { book } = again(journal, person, quoteOf({ ...elsewhere, segments }));
    expect((await book()).pnr).toBe("PNR001");
  });

  it("is noticed on the people who are sent: an extraBody has the last word", async () => {
    const journal = await unknownBooking();
    const { book } = again(journal, {}, quoteOf(elsewhere));
    const { api, bookings } = clientOf({ quote: () => quoteOf(elsewhere) });
    const trip = checkout(api, { trace_id: "T3", token: "S3" }, { journal, now });
    await trip.quote();
    const others = [{ ...first, fname: "SOMEBODY" }] as typeof passengers;
    const extraBody = { passengers: [{ fname: first?.fname }] };
    const error = await fails(trip.book({ passengers: others }, { extraBody }));
    expect(error).toMatchObject({ name: "BookingAlreadySentError", conflict: "passengers" });
    expect(bookings()).toEqual([]);
    expect(await fails(book())).toMatchObject({ conflict: "passengers" });
  });

  it.each([
    ["another row", [{ passport_no: "A1" }, { passport_no: "B2" }]],
    ["a whole passenger more", [{}, { ...first, fname: "SOMEBODY" }]],
    ["another type", [{ passenger_type: "child" }]],
    ["no list", "none"],
  ])("is not sent for others than the quote is for: %s in an extraBody", async (_case, people) => {
    const { trip, bookings } = await quotedTrip();
    const error = await fails(trip.book({ passengers }, { extraBody: { passengers: people } }));
    expect(error).toMatchObject({ name: "PassengerValidationError" });
    expect(bookings()).toEqual([]);
  });

  it("is for the passengers as they were passed, even if the objects change while a fresh quote is requested", async () => {
    const people = [{ ...first }] as { fname: string }[] & typeof passengers;
    const extraBody = { passengers: [{ remark: "first" }] };
    const quote = vi
      .fn(() => {
        for (const one of people) one.fname = "SOMEBODY";
        for (const one of extraBody.passengers) one.remark = "second";
        return quoteOf();
      })
      .mockImplementationOnce(quoteOf);
    const { trip, bookings } = await quotedTrip({ quote });
    await trip.book({ passengers: people, requoteIfOlderThan: 0 }, { extraBody });
    expect(quote).toHaveBeenCalledTimes(2);
    expect(bookings()).toMatchObject([{ passengers: [{ fname: first?.fname, remark: "first" }] }]);
  });

  it("does not print the earlier booking with the error", async () => {
    const { trip, journal } = await quotedTrip();
    const { pnr } = await trip.book({ passengers });
    const error = await fails(again(journal, {}, quoteOf(elsewhere)).book());
    expect(error).toMatchObject({ conflict: "passengers", row: { pnr } });
    for (const written of [JSON.stringify(error), String(error), inspect(error)]) expect(written).not.toContain(pnr);
  });

  it("is not noticed if the quote does not name its flights", async () => {
    const journal = memoryJournal();
    await again(journal, {}, quoteOf({ segments: [] })).book();
    const unnamed = quoteOf({ ...elsewhere, segments: [] });
    const trip = checkout(clientOf({ quote: () => unnamed }).api, { trace_id: "T3", token: "S3" }, { journal, now });
    await trip.quote();
    const { pnr, warnings } = await trip.book({ passengers });
    expect(pnr).toBe("PNR001");
    expect(warnings).toContainEqual(
      expect.objectContaining({ path: ["journal"], message: expect.stringContaining("has no fingerprint") }),
    );
    expect(trip.bookingAttempts).toMatchObject([{ fingerprint: "" }]);
  });

  it("the hash is short and contains no name", async () => {
    const journal = await unknownBooking();
    const [row] = await journal.pending();
    expect(row?.fingerprint).toMatch(/^[0-9a-f]{32}\.[0-9a-f]{8}$/);
    expect(JSON.stringify(row)).not.toContain(first?.lname);
  });
});

describe("an offer whose flights a fresh quote shows otherwise", () => {
  const retimed = (departure_time: string) => {
    const [offer] = quoteOf().data.result;
    const [first, ...rest] = offer?.segments ?? [];
    if (first === undefined) throw new Error("the sample has no segment");
    const segments = [{ ...first, origin: { ...first.origin, departure_time } }, ...rest];
    return quoteOf({ token: "Q2", segments });
  };

  it.each<[string, FareQuote, unknown]>([
    ["departs at another time, of one that may be booked", retimed("2027-01-14T06:59:00"), Response.error()],
    ["departs at another time, of one that is booked", retimed("2027-01-14T06:59:00"), booked("PNR001")],
    ["has another number, of one that is booked", quoteOf({ token: "Q2", segments: otherNumber() }), booked("PNR001")],
  ])("%s, is not booked again", async (_case, fresh, response) => {
    const quote = vi.fn(() => fresh).mockImplementationOnce(quoteOf);
    const { trip, bookings, journal, api } = await quotedTrip({ quote, book: () => response });
    await trip.book({ passengers }).catch(() => {});
    await trip.quote();
    const resumed = resumeCheckout(api, JSON.stringify(trip), { journal, now });
    for (const again of [trip, resumed])
      expect(await fails(again.book({ passengers }))).toMatchObject({
        ...{ name: "BookingAlreadySentError", conflict: "offer" },
      });
    const reloaded = checkout(api, search, { journal, now });
    await reloaded.quote();
    expect(await fails(reloaded.book({ passengers }))).toMatchObject({ conflict: "offer" });
    expect(bookings()).toHaveLength(1);
  });

  it.each([
    ["booked", booked("PNR001")],
    ["perhaps booked", Response.error()],
  ])("is another one if that which is %s is in another place of the quote", async (_case, response) => {
    const shown = sampleQuote("domestic-roundtrip-two-results");
    const [outbound, inbound] = shown.data.result;
    const quote = vi
      .fn<Service["quote"]>(silence)
      .mockReturnValueOnce(shown)
      .mockReturnValueOnce(withOffers(shown, ...shown.data.result.toReversed()));
    const { trip, bookings } = await quotedTrip({ quote, book: inTurn(response, booked("PNR002")) });
    const ask = { passengers, requoteIfOlderThan: Number.POSITIVE_INFINITY };
    await trip.book({ ...ask, offerIndex: 0 }).catch(() => {});
    await trip.quote();
    expect((await trip.book({ ...ask, offerIndex: 0 })).pnr).toBe("PNR002");
    expect(await fails(trip.book({ ...ask, offerIndex: 1 }))).toMatchObject({ conflict: "token" });
    expect(bookings().map(({ token }) => token)).toEqual([outbound?.token, inbound?.token]);
  });
});

function otherNumber() {
  return quoteOf().data.result[0]?.segments.map((segment) => ({ ...segment, airline_code: "ZZ" }));
}

/**
 * Offers of a search, by letter: `'` is one at another time, `?` one whose time cannot be read, `!` one whose number cannot,
 * `*` a twin of it, `+` the same flight on another day.
 */
function offersOf(names: string, step: number) {
  const [base] = sampleQuote("domestic-roundtrip-two-results").data.result;
  const [first] = base?.segments ?? [];
  if (base === undefined || first === undefined) throw new Error("the sample has no segment");
  const times: Readonly<Record<string, string>> = {
    "'": `${first.origin.departure_time.slice(0, 11)}09:59:00`,
    "?": "",
    "+": "2027-03-16T09:59:00",
  };
  return names.split(" ").map((name) => {
    const departure_time = times[name.at(1) ?? ""] ?? first.origin.departure_time;
    const origin = { ...first.origin, departure_time };
    const flight_number = name.at(1) === "!" ? "" : `${100 + name.charCodeAt(0)}`;
    return { ...base, token: quoteToken(`${name}-${step}`), segments: [{ ...first, origin, flight_number }] };
  });
}

describe("offers of a search that are booked one by one, each after a quote in a new tab", () => {
  const quote = sampleQuote("domestic-roundtrip-two-results");
  const book = async (journal: BookingJournal, steps: readonly string[], lost: boolean) => {
    const sent: string[] = [];
    for (const [step, text] of steps.entries()) {
      const [names = "", index] = text.split(" #");
      const { trip } = await quotedTrip(
        {
          quote: () => withOffers(quote, ...offersOf(names, step)),
          book({ token }) {
            sent.push(
              String(token)
                .slice(0, 2)
                .replace(/[-'?!]/, ""),
            );
            return lost ? Response.error() : booked(`PNR00${step}`);
          },
        },
        { journal },
      );
      await trip.book({ passengers, offerIndex: Number(index) }).catch(() => {});
    }
    return sent;
  };

  it.each([
    [["A B #0", "A' B #0"], "A"],
    [["A B #0", "B A #0", "B A' #1"], "A,B"],
    [["A B #0", "B A' #1"], "A"],
    [["A B #0", "C A' B #1"], "A"],
    [["C A B #1", "A' B #0"], "A"],
    [["A B #0", "B A? #1"], "A"],
    [["A? B? #0", "A B? #0"], "A"],
    [["A? B #0", "B A? #1"], "A"],
    [["A A* #0", "A' A* #0"], "A"],
    [["A #0", "A' A* #0"], "A"],
    [["A A* #0", "A! A* #0"], "A"],
    [["A! A* #0", "A A* #0"], "A"],
    [["A! A* #0", "A #0"], "A"],
    [["A? A #0", "A #0"], "A"],
    [["A #0", "A? A* #0"], "A"],
    [["A! C #0", "A! C #1"], "A,C"],
    [["A A* C C* #0", "A C #1"], "A,C"],
    [["A A* C #0", "A C C* #1"], "A,C"],
    [["A A+ #0", "A+ #0"], "A"],
    [["A A+ #0", "A' A+ #1"], "A"],
    [["A A* C #0", "C A A* #0"], "A,C"],
    [["A A+ #0", "A A+ #1"], "A,A+"],
    [["A+ #0", "A A+ #1"], "A+"],
    [["A B #1", "A' B' #1"], "B"],
    [["A? B #0", "B A? #0"], "A,B"],
    [["A B #0", "A B #1"], "A,B"],
    [["A B #0", "B A #0"], "A,B"],
    [["A B #0", "A' B #1"], "A,B"],
    [["A B #0", "B #0"], "A,B"],
    [["A #0", "A B #1"], "A,B"],
  ])("%j books %s, and nothing twice", async (steps, expected) => {
    for (const [, create] of journals) expect(String(await book(create(), steps, false))).toBe(expected);
    // An unknown outcome stops as much.
    expect(String(await book(memoryJournal(), steps, true))).toBe(expected);
  });
});

describe("the quote that a booking uses", () => {
  it.each<[string, number, object, number]>([
    ["the clock went back, and no age is given", -1, {}, 1],
    ["it was just shown", 0, { requoteIfOlderThan: 1 }, 1],
    ["it is as old as it may be", 1, { requoteIfOlderThan: 1 }, 2],
  ])("is fresh if it has to be: %s", async (_case, age, request, quotes) => {
    let time = day;
    const { trip, sent } = await quotedTrip({}, { now: () => time });
    time += age;
    await trip.book({ passengers, ...request });
    expect(sent.filter(({ operation }) => operation !== "book")).toHaveLength(quotes);
  });

  it("says why, if a fresh one fails", async () => {
    const quote = inTurn(quoteOf(), refused("Invalid token") as never);
    const { trip, bookings } = await quotedTrip({ quote });
    expect(await fails(trip.book({ passengers, requoteIfOlderThan: 0 }))).toMatchObject({
      operation: "flights.fareQuote",
      outcome: "rejected",
    });
    expect(bookings()).toEqual([]);
  });

  it("is a fresh one despite clock skew: a quote from the future counts as old", async () => {
    for (const request of [{ maxTotal: inr("7600") }, { requoteIfOlderThan: 60_000 }]) {
      const ahead = clientOf();
      const quotePage = checkout(ahead.api, search, { journal: memoryJournal(), now: () => day + 120_000 });
      await quotePage.quote();
      const dearer = clientOf({ quote: () => quoteAt(9_999) });
      const paymentPage = resumeCheckout(dearer.api, JSON.stringify(quotePage), { journal: memoryJournal(), now });
      expect(await fails(paymentPage.book({ passengers, ...request }))).toMatchObject({
        name: "PriceAboveLimitError",
        total: inr("9999"),
      });
      expect(dearer.bookings()).toEqual([]);
    }
  });

  it("is shown by a resumed trip too, and carries on what was agreed to", async () => {
    let total = 7_480;
    const { api, bookings } = clientOf({ quote: () => quoteAt(total) });
    const journal = memoryJournal();
    const trip = checkout(api, search, { journal, now });
    expect(trip.shown).toBeNull();
    await trip.quote();
    let session = JSON.stringify(trip);
    expect(resumeCheckout(api, session, { journal, now }).shown).toEqual(trip.shown);
    total = 7_980;
    // The payment page of the guide: saved whatever the outcome.
    const pay = async () => {
      const resumed = resumeCheckout(api, session, { journal, now });
      try {
        return await resumed.book({ passengers, requoteIfOlderThan: 0 });
      } finally {
        session = JSON.stringify(resumed);
      }
    };
    expect(await fails(pay())).toMatchObject({ name: "PriceAboveLimitError", total: inr("7980"), limit: inr("7480") });
    expect((await pay()).pnr).toBe("PNR001");
    expect(bookings()).toHaveLength(1);
  });

  it("is the one that the user agreed to, if it is named: a retry books no flights that the user has not seen", async () => {
    const [offer] = quoteOf().data.result;
    const segments = offer?.segments.map((one) => ({ ...one, flight_number: "999" }));
    let quote = quoteOf();
    const { trip, bookings } = await quotedTrip({ quote: () => quote });
    const agreed = trip.shown?.body ?? expect.unreachable();
    quote = quoteOf({ segments });
    const ask = { passengers, agreedQuote: agreed, maxTotal: inr("8000") };
    const changed = await fails(trip.book(ask));
    expect(changed).toMatchObject({ name: "OfferChangedError" });
    expect(await fails(trip.book(ask))).toMatchObject({
      name: "OfferChangedError",
      quote: { data: { result: quote.data.result } },
    });
    expect(bookings()).toEqual([]);
    expect((await trip.book({ ...ask, agreedQuote: changed.quote as typeof agreed })).pnr).toBe("PNR001");
    expect(await fails(trip.book({ passengers, agreedQuote: {} as typeof agreed }))).toMatchObject({
      name: "ConfigurationError",
    });
  });

  it("is compared with the quote that is booked, also if one in between lacks a term", async () => {
    const typed = (fare_type?: string) => quoteOf({ fare_type });
    const quote = vi
      .fn(() => typed("Saver"))
      .mockReturnValueOnce(typed("Flex"))
      .mockReturnValueOnce(typed());
    const { trip, bookings } = await quotedTrip({ quote });
    const agreedQuote = trip.shown?.body ?? expect.unreachable();
    await trip.quote(); // by a first click, which the journal refused
    const error = await fails(trip.book({ passengers, agreedQuote, maxTotal: inr("8000") }));
    expect(error).toMatchObject({ name: "OfferChangedError", terms: [{ kind: "fareType" }] });
    expect(bookings()).toEqual([]);
  });

  it("and without a fresh quote, an error says that the quote of the trip differs, and that nothing was requested", async () => {
    const [offer] = quoteOf().data.result;
    const segments = offer?.segments.map((one) => ({ ...one, flight_number: "" }));
    const { trip, sent } = await quotedTrip({ quote: () => quoteAt(7_980) });
    const error = await fails(trip.book({ passengers, agreedQuote: quoteOf({ segments }) }));
    expect(error).toMatchObject({ name: "OfferChangedError", flights: [{ kind: "replaced" }] });
    expect(error.message).toMatch(
      /^The quote of the trip differs from the one that was agreed to\. It has other flights/,
    );
    const priced = { name: "PriceAboveLimitError", operation: "flights.book" };
    const ask = { passengers, agreedQuote: quoteOf() };
    expect(await fails(trip.book(ask))).toMatchObject(priced);
    expect(await fails(trip.bookAll({ ...ask, requoteIfOlderThan: Number.POSITIVE_INFINITY }))).toMatchObject(priced);
    const limited = { passengers, maxTotal: inr("7000"), requoteIfOlderThan: Number.POSITIVE_INFINITY };
    expect(await fails(trip.book(limited))).toMatchObject(priced);
    expect(error.operation).toBe("flights.book");
    expect(sent).toHaveLength(1);
  });

  it("and an error says that nothing was requested, also if another tab requests a quote meanwhile", async () => {
    const memory = memoryJournal();
    const conflict: BookingJournal["conflict"] = (...asked) => trip.quote().then(() => memory.conflict(...asked));
    const { trip, sent } = await quotedTrip({ quote: () => quoteOf() }, { journal: { ...memory, conflict } });
    const error = await fails(trip.book({ passengers, agreedQuote: quoteOf({ refundable: false }) }));
    expect(error).toMatchObject({ name: "OfferChangedError", operation: "flights.book" });
    expect(error.message).toMatch(/^The quote of the trip differs from the one that was agreed to\./);
    expect(sent).toHaveLength(2);
  });

  it("and the agreement expires if the price rises", async () => {
    let total = 7_480;
    const { trip, bookings } = await quotedTrip({ quote: () => quoteAt(total) });
    const agreed = trip.shown?.body ?? expect.unreachable();
    total = 7_980;
    await trip.quote(); // by another tab
    expect(await fails(trip.book({ passengers, agreedQuote: agreed }))).toMatchObject({
      name: "PriceAboveLimitError",
      limit: inr("7480"),
    });
    expect(bookings()).toEqual([]);
  });
});

describe("an offer of a search that is booked is named", () => {
  type Segments = ReturnType<typeof quoteOf>["data"]["result"][number]["segments"];
  const retimed = (segments: Segments): Segments =>
    segments.map((one) => ({ ...one, origin: { ...one.origin, departure_time: "2026-12-10 23:15:00" } }));

  it.each<[string, (segments: Segments) => Segments, RegExp]>([
    ["as this one, if it has its flights", (segments) => segments, /^This offer is booked already, under /],
    [
      "as perhaps this one, if it has other times",
      retimed,
      /^An offer of this search, perhaps this one at another time,/,
    ],
    [
      "as perhaps this one, if it cannot be read",
      () => [],
      /^An offer of this search, perhaps this one at another time,/,
    ],
  ])("%s", async (_, change, message) => {
    const { trip, api, journal } = await quotedTrip();
    await trip.book({ passengers });
    const [offer = expect.unreachable()] = quoteOf().data.result;
    const later = clientOf({ quote: () => quoteOf({ token: "later", segments: change(offer.segments) }) });
    const again = checkout(later.api, { trace_id: "T", token: "S" }, { journal, now: () => day });
    await again.quote();
    const error = await fails(again.book({ passengers: passengers.map((one) => ({ ...one, lname: "OTHER" })) }));
    expect(error).toMatchObject({ conflict: "offer", message: expect.stringMatching(message) });
    expect([api === later.api, later.bookings()]).toEqual([false, []]);
  });
});

it("the row of a booking without a response has the price that was agreed to", async () => {
  const { trip, journal } = await quotedTrip({
    quote: () => quoteAt(7_480),
    book: () => new Response("", { status: 502 }),
  });
  await fails(trip.book({ passengers }));
  expect(await journal.pending()).toMatchObject([{ state: "unknown", price: inr("7480") }]);
});
