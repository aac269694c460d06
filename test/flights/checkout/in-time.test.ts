import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { type BookingJournal, checkout, memoryJournal, quoteToken, reconcile } from "../../../src/flights/index.ts";
import { type ClientEvent, ConfigurationError, defineOperation } from "../../../src/index.ts";
import type { RequestOptions } from "../../../src/options.ts";
import { gate } from "../../support/gate.ts";
import { clientOf, day, fails, passengers, quoteOf, refused, silence } from "./support.ts";

const search = { trace_id: "T", token: "S" };

/** The same client behind one of the application's own, which offers nothing but the three operations. */
function wrap(api: ReturnType<typeof clientOf>["api"], withOptions = (options?: RequestOptions) => options) {
  return {
    flights: {
      fareQuote: api.flights.fareQuote.bind(api.flights),
      fareRule: api.flights.fareRule.bind(api.flights),
      book: (...[params, options]: Parameters<typeof api.flights.book>) =>
        api.flights.book(params, withOptions(options)),
    },
  };
}

/** Milliseconds that a row leaves for its response: 30 s for the journal, those of the call, and a minute to spare. */
const usualTime = 30_000 + 180_000 + 60_000;
/** The same for a call without a deadline, which counts as on its way for a day. */
const dayLong = 30_000 + 86_400_000 + 60_000;

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
  const suspensions: [string, boolean, object][] = [
    ["the client of this package", false, {}],
    ["a client that wraps it", true, {}],
    ["a client without deadlines", false, { timeout: false, totalTimeout: false }],
  ];
  it.each(suspensions)(
    "a machine that is suspended over the credentials does not send: %s",
    async (_name, wrapped, deadlines) => {
      let time = day;
      let suspended = 0;
      const now = () => time;
      const journal = memoryJournal();
      const { api, bookings } = clientOf(
        {},
        {
          ...deadlines,
          clientSecret: async () => {
            time += suspended;
            return "a-secret";
          },
        },
      );
      const trip = checkout(wrapped ? wrap(api) : api, search, { journal, now });
      await trip.quote();
      suspended = 172_800_000;
      const error = await fails(trip.book({ passengers, client_referenceId: "order-17" }));
      expect(error).toMatchObject({
        name: "TimeoutError",
        outcome: "notSent",
        attempts: 0,
        clientReferenceId: "order-17",
        operation: "flights.book",
        deadline: "total",
        phase: "credentials",
        timeout: wrapped || Object.keys(deadlines).length === 0 ? usualTime : dayLong,
      });
      expect(error.message).toContain("it was not sent");
      expect(bookings()).toEqual([]);
      expect(await journal.find("order-17")).toMatchObject([{ state: "rejected", reason: "timeout" }]);
      suspended = 0;
      expect((await trip.book({ passengers, client_referenceId: "order-17" })).pnr).toBe("PNR001");
      expect(bookings()).toHaveLength(1);
    },
  );

  it("another process that closed the row meanwhile wins: nothing is sent", async () => {
    let time = day;
    const journal = memoryJournal();
    let suspended = false;
    const { api, bookings } = clientOf(
      {},
      {
        clientSecret: async () => {
          const [row] = await journal.pending();
          if (suspended && row !== undefined) {
            time = row.responseDueBy;
            await reconcile(journal, row, "notBooked", { now: () => time });
          }
          return "a-secret";
        },
      },
    );
    const trip = checkout(api, search, { journal, now: () => time });
    await trip.quote();
    suspended = true;
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "TimeoutError", outcome: "notSent" });
    expect(bookings()).toEqual([]);
  });

  it.each([
    ["is sent", 60_000, 1],
    ["is not", 60_001, 0],
  ])("one whose row leaves exactly the usual deadline %s", async (_name, delay, sent) => {
    const { clock, clientSecret, now } = slowCredentials();
    const { api, bookings } = clientOf({}, { clientSecret });
    const client = wrap(api, () => ({ timeout: false, totalTimeout: false }));
    const trip = checkout(client, search, { now });
    await trip.quote();
    clock.delay = delay;
    await trip.book({ passengers }).catch(() => {});
    expect(bookings()).toHaveLength(sent);
  });

  it("a caller who aborts at the moment of the claim prevents it", async () => {
    const controller = new AbortController();
    const { api, bookings } = clientOf();
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
    const trip = checkout(api, search, { journal: { ...kept, claim }, now });
    await trip.quote();
    const error = await fails(trip.book({ passengers }, { signal: controller.signal }));
    expect(error).toMatchObject({ name: "AbortError", outcome: "notSent" });
    expect(bookings()).toEqual([]);
  });

  it("leaves no timer, listener or check behind", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { signal } = new AbortController();
      const { api, bookings } = clientOf();
      const trip = checkout(api, search, { now: () => day });
      await trip.quote();
      await trip.book({ passengers, client_referenceId: "order-17" }, { signal });
      expect(vi.getTimerCount()).toBe(0);
      expect(getEventListeners(signal, "abort")).toEqual([]);
      const params = { ...search, token: quoteToken("Q"), client_referenceId: "order-17" };
      await api.flights.book({ ...params, passengers });
      expect(bookings()).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it("credentials that take nearly all of their time are not a reason to refuse", async () => {
    let time = day;
    const { api } = clientOf({}, { clientSecret: async () => "a-secret" });
    const kept = memoryJournal();
    const claim: BookingJournal["claim"] = async (row, options) => {
      time += 29_000;
      return kept.claim(row, options);
    };
    const trip = checkout(api, search, { journal: { ...kept, claim }, now: () => time });
    await trip.quote();
    expect((await trip.book({ passengers })).pnr).toBe("PNR001");
  });
});

describe("a custom client", () => {
  const clients: [string, boolean, (options?: RequestOptions) => RequestOptions][] = [
    ["passes the signal on", true, (options) => ({ ...options, timeout: false, totalTimeout: false })],
    ["drops every option", false, () => ({ timeout: false, totalTimeout: false })],
  ];
  it.each(clients)(
    "is ended before `responseDueBy`, whatever its deadlines: one that %s",
    async (_name, passesOn, withOptions) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        const signals: (AbortSignal | undefined)[] = [];
        let arrived = () => {};
        const sent = new Promise<void>((resolve) => {
          arrived = resolve;
        });
        const { api, bookings } = clientOf({
          book: (_body, signal) => {
            signals.push(signal);
            arrived();
            return silence();
          },
        });
        const journal = memoryJournal();
        const trip = checkout(wrap(api, withOptions), search, { journal, now: () => day });
        await trip.quote();
        const booking = fails(trip.book({ passengers }));
        await sent;
        const [row] = await journal.pending();
        await vi.advanceTimersByTimeAsync(Number(row?.responseDueBy) - day);
        const error = await booking;
        expect(error).toMatchObject({
          name: "BookingOutcomeUnknownError",
          outcome: "unknown",
          operation: "flights.book",
          traceId: "T",
          sentAt: day,
        });
        expect(error.message).toContain("the client did not end the call in time");
        expect(signals[0]?.aborted).toBe(passesOn);
        expect(await journal.pending()).toMatchObject([{ state: "unknown", reason: "booking_outcome_unknown" }]);
        expect(bookings()).toHaveLength(1);
        expect(vi.getTimerCount()).toBe(0);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it("is ended before `responseDueBy`, although it never calls `fetch`", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { api } = clientOf();
      const kept = memoryJournal();
      const claimed = gate<number>();
      const claim: BookingJournal["claim"] = async (row, options) => {
        const other = await kept.claim(row, options);
        claimed.open(row.responseDueBy);
        return other;
      };
      const book = () => ({ withResponse: silence });
      const trip = checkout({ flights: { ...wrap(api).flights, book } } as never, search, {
        journal: { ...kept, claim },
        now: () => day,
      });
      await trip.quote();
      const booking = fails(trip.book({ passengers }));
      await vi.advanceTimersByTimeAsync((await claimed.opened) - day);
      expect(await booking).toMatchObject({ name: "BookingOutcomeUnknownError", outcome: "unknown" });
    } finally {
      vi.useRealTimers();
    }
  });

  it("is ended by the time that is left when it calls `fetch`: timers stand still while a machine is suspended", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { clock, clientSecret, now } = slowCredentials();
      const sent = gate();
      const { api } = clientOf({ book: () => sent.open() ?? silence() }, { clientSecret });
      const client = wrap(api, () => ({ timeout: false, totalTimeout: false }));
      const journal = memoryJournal();
      const trip = checkout(client, search, { journal, now });
      await trip.quote();
      clock.delay = 50_000;
      const booking = fails(trip.book({ passengers }));
      await sent.opened;
      const [row] = await journal.pending();
      await vi.advanceTimersByTimeAsync(Number(row?.responseDueBy) - now());
      expect(await booking).toMatchObject({ name: "BookingOutcomeUnknownError" });
    } finally {
      vi.useRealTimers();
    }
  });

  it.each<[string, () => unknown, object]>([
    ["rules the booking out", () => new ConfigurationError("no key"), { state: "rejected", reason: "configuration" }],
    ["is not typed", () => new Error("no key"), { state: "unknown", reason: "unknown" }],
    [
      "says that it was refused, but not what",
      () => Object.defineProperty(new ConfigurationError("no key"), "outcome", { value: "rejected" }),
      { state: "unknown" },
    ],
    [
      "is of another operation",
      () => Object.defineProperty(new ConfigurationError("no key"), "operation", { value: "flights.fareQuote" }),
      { state: "unknown" },
    ],
  ])("that fails before it sends anything, with an error that %s", async (_name, error, row) => {
    const journal = memoryJournal();
    const book = () => ({ withResponse: () => Promise.reject(error()) });
    const client = { flights: { ...wrap(clientOf().api).flights, book } } as never;
    const trip = checkout(client, search, { journal, now: () => day });
    await trip.quote();
    await fails(trip.book({ passengers, client_referenceId: "order-17" }));
    expect(await journal.find("order-17")).toMatchObject([row]);
  });

  it("whose error after the request says nothing of the booking leaves it open", async () => {
    const journal = memoryJournal();
    const { api, bookings } = clientOf();
    const book = (...args: Parameters<typeof api.flights.book>) => ({
      withResponse: async () => {
        await api.flights.book(...args).withResponse();
        throw new ConfigurationError("the client cannot read the response.");
      },
    });
    const trip = checkout({ flights: { ...wrap(api).flights, book } } as never, search, { journal, now: () => day });
    await trip.quote();
    await fails(trip.book({ passengers }));
    expect(bookings()).toHaveLength(1);
    expect(await journal.pending()).toMatchObject([{ state: "unknown" }]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, "180000", null])(
    "is refused if its time limit is %s",
    async (limit) => {
      const { api, bookings } = clientOf();
      const client = wrap(api);
      const flights = { ...client.flights, bookingTimeLimit: () => limit as number };
      const trip = checkout({ flights }, search, { now: () => day });
      await trip.quote();
      expect(await fails(trip.book({ passengers }))).toMatchObject({
        name: "ConfigurationError",
        message: expect.stringContaining("`bookingTimeLimit()`"),
      });
      expect(bookings()).toEqual([]);
    },
  );

  it.each([
    [600_000, 30_000 + 600_000 + 60_000],
    [false as const, dayLong],
  ])("that states its time limit is believed: %s", async (limit, left) => {
    const { api } = clientOf({ book: () => Response.error() });
    const journal = memoryJournal();
    const flights = { ...wrap(api).flights, bookingTimeLimit: () => limit };
    const trip = checkout({ flights }, search, { journal, now: () => day });
    await trip.quote();
    await fails(trip.book({ passengers }));
    expect(await journal.pending()).toMatchObject([{ responseDueBy: day + left }]);
  });

  it("whose time limit is 0 leaves no time to send", async () => {
    const { api, bookings } = clientOf();
    const flights = { ...wrap(api).flights, bookingTimeLimit: () => 0 };
    const trip = checkout({ flights }, search, { now: () => day });
    await trip.quote();
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "TimeoutError", outcome: "notSent" });
    expect(bookings()).toEqual([]);
  });

  it("that combines the signal with another, or drops it, does not send late either", async () => {
    for (const signalOf of [(signal: AbortSignal) => AbortSignal.any([signal]), () => undefined]) {
      let time = day;
      let jump = 0;
      const journal = memoryJournal();
      const { api, bookings } = clientOf(
        {},
        {
          clientSecret: async () => {
            time += jump;
            return "a-secret";
          },
        },
      );
      const client = wrap(api, (options) => ({ ...options, signal: signalOf(options?.signal as AbortSignal) }));
      const trip = checkout(client, search, { journal, now: () => time });
      await trip.quote();
      jump = 172_800_000;
      expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "TimeoutError", outcome: "notSent" });
      expect(bookings()).toEqual([]);
    }
  });

  it("that retries a booking sends it once: the second time is refused, and the outcome is unknown", async () => {
    const journal = memoryJournal();
    const { api, bookings } = clientOf({ book: () => Promise.reject(new TypeError("fetch failed")) });
    const book = (...args: Parameters<typeof api.flights.book>) => ({
      withResponse: () =>
        api.flights
          .book(...args)
          .withResponse()
          .catch(() => api.flights.book(...args).withResponse()),
    });
    const trip = checkout({ flights: { ...wrap(api).flights, book } } as never, search, { journal, now: () => day });
    await trip.quote();
    const error = await fails(trip.book({ passengers }));
    expect(error).toMatchObject({ name: "BookingOutcomeUnknownError", outcome: "unknown" });
    expect(error.message).toContain("not retry `book`");
    expect(bookings()).toHaveLength(1);
    expect(await journal.pending()).toMatchObject([{ state: "unknown" }]);
  });

  it("that sends another operation under the same reference and signal first may book after it", async () => {
    const note = defineOperation({ name: "note", area: "flights", path: "note", params: z.any(), body: z.any() });
    const { api, bookings } = clientOf({ quote: () => ({ ...quoteOf(), data: undefined }) as never });
    const { api: quoting } = clientOf();
    const book = (...[params, options]: Parameters<typeof api.flights.book>) => ({
      withResponse: async () => {
        await api.send(note, { client_referenceId: params.client_referenceId }, options);
        return api.flights.book(params, options).withResponse();
      },
    });
    const trip = checkout({ flights: { ...wrap(quoting).flights, book } } as never, search, { now: () => day });
    await trip.quote();
    expect((await trip.book({ passengers })).pnr).toBe("PNR001");
    expect(bookings()).toHaveLength(1);
  });

  it("whose other calls fail closes no booking: their errors say nothing of it", async () => {
    const journal = memoryJournal();
    const { api, bookings } = clientOf();
    const other = clientOf({ quote: () => refused("Invalid token") as never }).api;
    const book = (...args: Parameters<typeof api.flights.book>) => ({
      withResponse: async () => {
        const response = await api.flights.book(...args).withResponse();
        await other.flights.fareQuote({ trace_id: "T", token: "S" });
        return response;
      },
    });
    const trip = checkout({ flights: { ...wrap(api).flights, book } } as never, search, { journal, now: () => day });
    await trip.quote();
    expect(await fails(trip.book({ passengers }))).toMatchObject({
      operation: "flights.fareQuote",
      outcome: "rejected",
    });
    expect(await journal.pending()).toMatchObject([{ state: "unknown" }]);
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "BookingAlreadySentError" });
    expect(bookings()).toHaveLength(1);
  });

  it("with a longer deadline than the row leaves is ended, not refused", async () => {
    const { api, bookings } = clientOf({}, { timeout: 300_000, totalTimeout: 300_000 });
    const trip = checkout(wrap(api), search, { now: () => day });
    await trip.quote();
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
    const { client_referenceId, ...params } = {
      ...search,
      passengers,
      result: undefined,
      client_referenceId: "order-17",
    };
    const quote = await clientOf().api.flights.fareQuote(search);
    const token = String(quote.data.result[0]?.token);
    const error = await fails(
      api.flights.book({ trace_id: "T", token, passengers: [...params.passengers], client_referenceId } as never, {
        signal: controller.signal,
      }),
    );
    expect(error).toMatchObject({ name: "AbortError", outcome: "notSent", attempts: 0, phase: "credentials" });
    expect(events).toMatchObject([{ type: "request" }, { type: "error", attempts: 0 }]);
    expect(bookings()).toEqual([]);
  });
});
