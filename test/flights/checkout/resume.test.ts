import { describe, expect, it, vi } from "vitest";
import { checkout, memoryJournal, resumeCheckout } from "../../../src/flights/index.ts";
import { day, fails, passengers, quotedTrip, quoteOf } from "./support.ts";

const search = { trace_id: "T", token: "S" };
const now = () => day;

describe("a saved trip", () => {
  it("is resumed with its journal any number of times, and books once", async () => {
    const { trip, api, bookings, journal } = await quotedTrip();
    const saved = JSON.stringify(trip);
    await resumeCheckout(api, saved, { journal, now }).book({ passengers });
    const again = await fails(resumeCheckout(api, saved, { journal, now }).book({ passengers }));
    expect(again.name).toBe("BookingAlreadySentError");
    expect(bookings()).toHaveLength(1);
  });

  it.each([
    ["booked", {}],
    ["unknown", { book: () => Response.error() }],
  ])("whose booking is %s is not booked again with a journal that does not know it", async (state, service) => {
    const { trip, api, bookings } = await quotedTrip(service);
    await trip.book({ passengers }).catch(() => {});
    const journal = memoryJournal();
    const resumed = resumeCheckout(api, JSON.stringify(trip), { journal, now });
    expect(await fails(resumed.book({ passengers }))).toMatchObject({
      name: "BookingAlreadySentError",
      row: { state },
    });
    expect(bookings()).toHaveLength(1);
    expect(await journal.pending()).toEqual([]);
  });

  it("whose booking is unknown cannot be reconciled with a journal that does not know it", async () => {
    const { trip, api } = await quotedTrip({ book: () => Response.error() });
    await fails(trip.book({ passengers }));
    const later = () => day + 270_000;
    const resumed = resumeCheckout(api, JSON.stringify(trip), { journal: memoryJournal(), now: later });
    expect(await fails(resumed.reconcile("notBooked"))).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining("Pass the journal that it was booked with"),
    });
  });
});

describe("a trip that was saved before a booking whose process then crashed", () => {
  /** A trip as it was saved before it was booked, and the journal, which has the open row `order-17`. */
  async function crash() {
    const { trip, api, journal } = await quotedTrip({ book: () => Response.error() });
    const saved = JSON.stringify(trip);
    await fails(trip.book({ passengers, clientReferenceId: "order-17" }));
    return { api, journal, saved };
  }

  it("reconciles it by its reference", async () => {
    const { api, journal, saved } = await crash();
    const resumed = resumeCheckout(api, saved, { journal, now });
    expect(resumed.bookingAttempts).toEqual([]);
    expect(await resumed.reconcile({ pnr: "FOUND1" }, "order-17")).toMatchObject({ state: "booked", pnr: "FOUND1" });
    expect(await journal.pending()).toEqual([]);
    expect(resumed.bookingAttempts).toMatchObject([{ clientReferenceId: "order-17", state: "booked" }]);
  });

  it("does not reconcile it by a look-up that was made too early, however long the journal takes after it", async () => {
    const { api, journal, saved } = await crash();
    let time = day;
    const find: typeof journal.find = async (reference) => {
      time += 300_000;
      return journal.find(reference);
    };
    const resumed = resumeCheckout(api, saved, { journal: { ...journal, find }, now: () => time });
    expect((await fails(resumed.reconcile("notBooked", "order-17"))).name).toBe("BookingInFlightError");
    expect(await journal.pending()).toHaveLength(1);
  });

  it.each([
    ["trace_id", { ...search, trace_id: "T2" }],
    ["token", { ...search, token: "S2" }],
  ])("does not reconcile that of a trip with another %s", async (_name, params) => {
    const { api, journal } = await crash();
    const error = await fails(checkout(api, params, { journal, now }).reconcile({ pnr: "FOUND1" }, "order-17"));
    expect(error.message).toContain("no matching open booking");
    expect(await journal.pending()).toMatchObject([{ clientReferenceId: "order-17" }]);
  });

  it.each([[null], ["order-17"], [[{}]]])("changes nothing if its journal finds %j", async (rows: unknown) => {
    const { api, journal, saved } = await crash();
    const resumed = resumeCheckout(api, saved, { journal: { ...journal, find: async () => rows as never }, now });
    const error = await fails(resumed.reconcile({ pnr: "FOUND1" }, "order-17"));
    expect([error.name, error.message]).toEqual(["JournalError", expect.stringContaining("is not a JournalRow")]);
    expect(error.clientReferenceId).toBe("order-17");
    expect(await journal.pending()).toHaveLength(1);
  });
});

describe("a booking that is aborted while a fresh quote is requested", () => {
  it("was not sent, and says so", async () => {
    const abort = new AbortController();
    const quote = vi
      .fn(() => {
        abort.abort("left");
        return quoteOf();
      })
      .mockImplementationOnce(quoteOf);
    const { trip, bookings } = await quotedTrip({ quote });
    const error = await fails(trip.book({ passengers, requoteIfOlderThan: 0 }, { signal: abort.signal }));
    expect(error).toMatchObject({ name: "AbortError", outcome: "notSent", reason: "left" });
    expect(bookings()).toEqual([]);
  });
});

describe("the passengers of a form", () => {
  it("are checked as they are, unfinished ones included", async () => {
    const { trip } = await quotedTrip();
    const unfinished: unknown[] = [{ fname: "RAVI" }];
    expect(trip.validate(unfinished).map(({ path }) => path.join("."))).toContain("passengers.0.lname");
  });
});

describe("a saved trip whose parts are damaged", () => {
  const damages: readonly (readonly [string, (saved: Record<string, unknown>) => object])[] = [
    ["another version", (saved) => ({ ...saved, version: 2 })],
    ["a trace that is a number", (saved) => ({ ...saved, traceId: 1 })],
    ["no token", (saved) => ({ ...saved, token: null })],
    ["a start that is a text", (saved) => ({ ...saved, startedAt: "today" })],
    ["a row of an unknown state", (saved) => ({ ...saved, attempts: [{ clientReferenceId: "a", state: "sEnt" }] })],
    ["a row that is null", (saved) => ({ ...saved, attempts: [null] })],
    ["rows that are no list", (saved) => ({ ...saved, attempts: {} })],
    ...[
      ["a quote without data", { body: {} }] as const,
      ["a quote without offers", { body: { data: { result: [] } } }] as const,
      ["an offer without a token", { body: { data: { result: [{ token: "q" }, {}] } } }] as const,
      ["an offer that is null", { body: { data: { result: [null] } } }] as const,
      ["a quote of no time", { at: null }] as const,
      ["offers without names", { offers: undefined }] as const,
    ].map(([name, part]): (typeof damages)[number] => [
      name,
      (saved) => ({ ...saved, shown: { ...Object(saved.shown), ...part } }),
    ]),
  ];

  it.each(damages)("%s: is refused as a whole", async (_, damage) => {
    const { trip, api, journal } = await quotedTrip();
    const saved = JSON.parse(JSON.stringify(trip));
    expect(() => resumeCheckout(api, saved, { journal, now })).not.toThrow();
    expect(() => resumeCheckout(api, JSON.stringify(damage(saved)), { journal, now })).toThrow(
      /this is not a saved checkout/,
    );
  });
});
