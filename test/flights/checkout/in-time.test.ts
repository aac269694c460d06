import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { type BookingJournal, memoryJournal, quoteToken, reconcile } from "../../../src/flights/index.ts";
import type { ClientEvent } from "../../../src/index.ts";
import { stopClock } from "../../support/clock.ts";
import { gate } from "../../support/gate.ts";
import { clientOf, day, fails, passengers, quotedTrip, silence } from "./support.ts";

const search = { trace_id: "T", token: "S" };

/** Milliseconds that a row leaves for its response: 30 s for the journal, those of a day, and a minute to spare. */
const dayLong = 30_000 + 86_400_000 + 60_000;
const noDeadlines = { timeout: false, totalTimeout: false } as const;

/** A service that never responds to a booking: the signals that it got, and when it got the first. */
function silentService() {
  const sent = gate();
  const book = vi.fn((_body: unknown, _signal: AbortSignal | undefined) => sent.open() ?? silence());
  const isAborted = () => book.mock.calls[0]?.[1]?.aborted;
  return { book, isAborted, sent: sent.opened };
}

/** Settings of a client whose credentials take time, and the clock that shows it. */
function slowCredentials() {
  const clock = { time: day, delay: 0 };
  const clientSecret = async () => {
    clock.time += clock.delay;
    return "a-secret";
  };
  return { clock, clientSecret, now: () => clock.time };
}

describe("a booking leaves only while its row leaves it time", () => {
  const suspensions: [string, object, number][] = [
    // Until the attempt would end after its row: 30 s for the journal, and 30 s to spare.
    ["the usual deadlines", {}, 60_000],
    ["a client without deadlines", noDeadlines, 60_000 + 86_400_000 - 180_000],
  ];
  it.each(suspensions)(
    "a machine that is suspended over the credentials does not send: %s",
    async (_name, deadlines, timeout) => {
      const { clock, clientSecret, now } = slowCredentials();
      const { trip, bookings, journal } = await quotedTrip({}, { now, client: { ...deadlines, clientSecret } });
      clock.delay = 172_800_000;
      const error = await fails(trip.book({ passengers, clientReferenceId: "order-17" }));
      expect(error).toMatchObject({
        name: "TimeoutError",
        outcome: "notSent",
        attempts: 0,
        clientReferenceId: "order-17",
        operation: "flights.book",
        deadline: "total",
        phase: "credentials",
        timeout,
      });
      expect(error.message).toContain("it was not sent");
      expect(bookings()).toEqual([]);
      expect(await journal.find("order-17")).toMatchObject([{ state: "rejected", reason: "timeout" }]);
      clock.delay = 0;
      expect((await trip.book({ passengers, clientReferenceId: "order-17" })).pnr).toBe("PNR001");
      expect(bookings()).toHaveLength(1);
    },
  );

  it("another process that closed the row meanwhile wins: nothing is sent", async () => {
    let time = day;
    const journal = memoryJournal();
    const now = () => time;
    const clientSecret = async () => {
      for (const row of await journal.pending()) {
        time = row.responseDueBy;
        await reconcile(journal, row, "notBooked", { now });
      }
      return "a-secret";
    };
    const { trip, bookings } = await quotedTrip({}, { journal, now, client: { clientSecret } });
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "TimeoutError", outcome: "notSent" });
    expect(bookings()).toEqual([]);
  });

  it.each([
    ["is sent", dayLong - 30_000 - 180_000, 1],
    ["is not", dayLong - 30_000 - 180_000 + 1, 0],
  ])("one whose row leaves exactly the usual deadline %s", async (_name, delay, sent) => {
    const { clock, clientSecret, now } = slowCredentials();
    const { trip, bookings } = await quotedTrip({}, { now, client: { clientSecret, ...noDeadlines } });
    clock.delay = delay;
    await trip.book({ passengers }).catch(() => {});
    expect(bookings()).toHaveLength(sent);
  });

  it("a caller who aborts at the moment of the claim prevents it", async () => {
    const controller = new AbortController();
    const kept = memoryJournal();
    let isClaimed = false;
    const claim: BookingJournal["claim"] = async (row, options) => {
      isClaimed = true;
      return kept.claim(row, options);
    };
    const now = () => {
      if (isClaimed) controller.abort();
      return day;
    };
    const { trip, bookings } = await quotedTrip({}, { journal: { ...kept, claim }, now });
    const error = await fails(trip.book({ passengers }, { signal: controller.signal }));
    expect(error).toMatchObject({ name: "AbortError", outcome: "notSent" });
    expect(bookings()).toEqual([]);
  });

  it("leaves no timer, listener or check behind", async () => {
    stopClock("setTimeout", "clearTimeout");
    const { signal } = new AbortController();
    const { trip, api, bookings } = await quotedTrip();
    await trip.book({ passengers, clientReferenceId: "order-17" }, { signal });
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    const params = { ...search, token: quoteToken("Q"), client_referenceId: "order-17" };
    await api.flights.book({ ...params, passengers });
    expect(bookings()).toHaveLength(2);
  });

  it("credentials that take nearly all of their time are not a reason to refuse", async () => {
    let time = day;
    const clientSecret = async () => "a-secret";
    const kept = memoryJournal();
    const claim: BookingJournal["claim"] = async (row, options) => {
      time += 29_000;
      return kept.claim(row, options);
    };
    const journal = { ...kept, claim };
    const { trip } = await quotedTrip({}, { journal, now: () => time, client: { clientSecret } });
    expect((await trip.book({ passengers })).pnr).toBe("PNR001");
  });
});

describe("a call", () => {
  it("is ended before `responseDueBy`, although the client has no deadline", async () => {
    stopClock("setTimeout", "clearTimeout");
    const { book, isAborted, sent } = silentService();
    const { trip, bookings, journal } = await quotedTrip({ book }, { client: noDeadlines });
    const booking = fails(trip.book({ passengers }));
    await sent;
    const [row] = await journal.pending();
    await vi.advanceTimersByTimeAsync(Number(row?.responseDueBy) - day - 30_000);
    const error = await booking;
    expect(error).toMatchObject({
      name: "BookingOutcomeUnknownError",
      outcome: "unknown",
      operation: "flights.book",
      traceId: "T",
      sentAt: expect.any(Number),
    });
    expect(error.message).toContain("Look it up by client_referenceId");
    expect(isAborted()).toBe(true);
    expect(await journal.pending()).toMatchObject([{ state: "unknown", reason: "booking_outcome_unknown" }]);
    expect(bookings()).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is ended before `responseDueBy`, although the clock is put back between the claim and the call", async () => {
    stopClock("setTimeout", "clearTimeout");
    const { book, isAborted, sent } = silentService();
    let time = day;
    const journal = memoryJournal();
    const claim: BookingJournal["claim"] = (...row) => {
      time -= 3_600_000;
      return journal.claim(...row);
    };
    const options = { journal: { ...journal, claim }, now: () => time, client: noDeadlines };
    const { trip } = await quotedTrip({ book }, options);
    const booking = fails(trip.book({ passengers }));
    await sent;
    const [row] = await journal.pending();
    await vi.advanceTimersByTimeAsync(Number(row?.responseDueBy) - Number(row?.sentAt));
    expect((await booking).outcome).toBe("unknown");
    expect(isAborted()).toBe(true);
  });

  it("is ended before `responseDueBy`, although its credentials never come: nothing was sent", async () => {
    stopClock("setTimeout", "clearTimeout");
    let isSilent = false;
    const clientSecret = async () => (isSilent ? await silence() : "a-secret");
    const kept = memoryJournal();
    const claimed = gate<number>();
    const claim: BookingJournal["claim"] = async (row, options) => {
      const other = await kept.claim(row, options);
      claimed.open(row.responseDueBy);
      return other;
    };
    const options = { journal: { ...kept, claim }, client: { clientSecret, ...noDeadlines } };
    const { trip, bookings } = await quotedTrip({}, options);
    isSilent = true;
    const booking = fails(trip.book({ passengers, clientReferenceId: "order-17" }));
    await vi.advanceTimersByTimeAsync((await claimed.opened) - day);
    expect(await booking).toMatchObject({ name: "TimeoutError", outcome: "notSent" });
    expect(await kept.find("order-17")).toMatchObject([{ state: "rejected", reason: "timeout" }]);
    expect(bookings()).toEqual([]);
  });

  it("is ended by the time that is left when it calls `fetch`: timers stand still while a machine is suspended", async () => {
    stopClock("setTimeout", "clearTimeout");
    const { clock, clientSecret, now } = slowCredentials();
    const { book, sent } = silentService();
    const { trip, journal } = await quotedTrip({ book }, { now, client: { clientSecret, ...noDeadlines } });
    clock.delay = 50_000;
    const booking = fails(trip.book({ passengers }));
    await sent;
    const [row] = await journal.pending();
    const left = Number(row?.responseDueBy) - now();
    // Of a minute to spare, some is before the end and some after it.
    await vi.advanceTimersByTimeAsync(left - 61_000);
    expect(await journal.pending()).toMatchObject([{ state: "sent" }]);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await booking).toMatchObject({ name: "BookingOutcomeUnknownError" });
  });

  it("is ended by the client's own deadline if that is nearer", async () => {
    stopClock("setTimeout", "clearTimeout");
    const { book, sent } = silentService();
    const { trip, journal } = await quotedTrip({ book }, { client: { totalTimeout: 60_000 } });
    const booking = fails(trip.book({ passengers }));
    await sent;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await journal.pending()).toMatchObject([{ state: "unknown" }]);
    expect(await booking).toMatchObject({ name: "BookingOutcomeUnknownError", cause: { timeout: 60_000 } });
  });

  it("that fails before anything is sent closes its row", async () => {
    let isBroken = false;
    const clientSecret = () => {
      if (isBroken) throw new Error("no key");
      return "a-secret";
    };
    const { trip, bookings, journal } = await quotedTrip({}, { client: { clientSecret } });
    isBroken = true;
    await fails(trip.book({ passengers, clientReferenceId: "order-17" }));
    expect(await journal.find("order-17")).toMatchObject([{ state: "rejected", reason: "configuration" }]);
    expect(bookings()).toEqual([]);
  });

  it("with a longer deadline than the row leaves is ended, not refused", async () => {
    const { trip, bookings } = await quotedTrip({}, { client: { timeout: 300_000, totalTimeout: 300_000 } });
    expect((await trip.book({ passengers })).pnr).toBe("PNR001");
    expect(bookings()).toHaveLength(1);
  });

  it("reports that nothing was sent if the `request` event aborts the booking", async () => {
    const controller = new AbortController();
    const events: ClientEvent[] = [];
    const onEvent = (event: ClientEvent) => {
      events.push(event);
      if (event.type === "request") controller.abort();
    };
    const { api, bookings } = clientOf({}, { onEvent });
    const params = { ...search, token: quoteToken("Q"), passengers, client_referenceId: "order-17" };
    const error = await fails(api.flights.book(params, { signal: controller.signal }));
    expect(error).toMatchObject({ name: "AbortError", outcome: "notSent", attempts: 0, phase: "credentials" });
    expect(events).toMatchObject([{ type: "request" }, { type: "error", attempts: 0 }]);
    expect(bookings()).toEqual([]);
  });
});
