import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { type BookingJournal, checkout, memoryJournal, reconcile } from "../../../src/flights/index.ts";
import { type ClientEvent, defineOperation } from "../../../src/index.ts";
import type { RequestOptions } from "../../../src/options.ts";
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

  it("that states its time limit is believed", async () => {
    const { api } = clientOf({ book: () => Response.error() });
    const journal = memoryJournal();
    const flights = { ...wrap(api).flights, bookingTimeLimit: () => 600_000 };
    const trip = checkout({ flights }, search, { journal, now: () => day });
    await trip.quote();
    await fails(trip.book({ passengers }));
    expect(await journal.pending()).toMatchObject([{ responseDueBy: day + 30_000 + 600_000 + 60_000 }]);
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
