import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import {
  type BookingJournal,
  type CheckoutBooking,
  checkout,
  JournalError,
  type JournalRow,
  memoryJournal,
  resumeCheckout,
} from "../../../src/flights/index.ts";
import { stopClock } from "../../support/clock.ts";
import { gate } from "../../support/gate.ts";
import { throws } from "../../support/throws.ts";
import { booked, day, fails, inr, passengers, quotedTrip, silence } from "./support.ts";

const now = () => day;
const search = { trace_id: "T", token: "S" };

/** A trip on a journal, some of whose methods are replaced. */
async function tripOn(faults: object, options: Parameters<typeof quotedTrip>[1] = {}) {
  const kept = memoryJournal();
  const journal = { ...kept, ...faults } as BookingJournal;
  return { ...(await quotedTrip({}, { ...options, journal })), kept };
}

/** A trip on a journal that does this when a row is claimed. */
async function tripClaiming(
  claimOn: (kept: BookingJournal, ...claim: Parameters<BookingJournal["claim"]>) => ReturnType<BookingJournal["claim"]>,
  options: Parameters<typeof quotedTrip>[1] = {},
) {
  const kept = memoryJournal();
  const claim: BookingJournal["claim"] = (row, force) => claimOn(kept, row, force);
  return { ...(await quotedTrip({}, { ...options, journal: { ...kept, claim } })), kept };
}

describe("a journal that fails before a booking is sent: JournalError, and nothing is sent", () => {
  it.each<[string, object]>([
    ["claim rejects", { claim: () => Promise.reject(new Error("disk full")) }],
    ["claim throws", { claim: throws(new Error("disk full")) }],
    ["conflict throws", { conflict: throws(new TypeError("x is not a function")) }],
    ["claim returns true", { claim: async () => true }],
    ["claim returns rows of a database", { claim: async () => ({ rows: [] }) }],
    ["conflict returns a list", { conflict: async () => [] }],
    ["claim returns a row of an unknown state", { claim: async () => ({ state: "open" }) }],
  ])("%s", async (_case, faults) => {
    const { trip, bookings } = await tripOn(faults);
    const error = await fails(trip.book({ passengers }));
    expect(error).toMatchObject({
      name: "JournalError",
      kind: "journal",
      outcome: "notSent",
      operation: "flights.book",
    });
    expect(error.cause).toBeInstanceOf(Error);
    expect(bookings()).toEqual([]);
    expect(trip.bookingAttempts).toEqual([]);
  });

  it("says what to do about it, if the journal does", async () => {
    const full = new JournalError({ message: "fileJournal: The disk of /a is full. Free space, then try again." });
    const damaged = new ConfigurationError("Line 3 of /a is damaged. Nothing is booked until the file is repaired.");
    for (const cause of [full, damaged]) {
      for (const method of ["conflict", "claim"]) {
        const { trip } = await tripOn({ [method]: () => Promise.reject(cause) });
        const error = await fails(trip.book({ passengers }));
        expect(error.message).toMatch(/^The journal could not record the booking, so it was not sent now\. /);
        expect(error.message).toContain(cause.message);
        expect(error).toMatchObject({ name: "JournalError", cause });
      }
    }
    const { trip } = await tripOn({ claim: () => Promise.reject(new Error("secret of a driver")) });
    const { message } = await fails(trip.book({ passengers }));
    expect(message).toMatch(/so it was not sent now\. See `cause`\.$/);
  });

  it("null, as databases return it, and undefined both mean that no row conflicts", async () => {
    const { trip } = await tripOn({ conflict: async () => null, claim: async () => null, get: async () => null });
    expect((await trip.book({ passengers })).pnr).toBe("PNR001");
  });

  it("a method that returns a value instead of a promise is fine", async () => {
    const { trip } = await tripOn({ conflict: () => undefined, claim: () => undefined });
    expect((await trip.book({ passengers })).pnr).toBe("PNR001");
  });

  it.each(["conflict", "claim"])("%s hangs: the deadline of the call ends it", async (method) => {
    const { trip, bookings } = await tripOn({ [method]: silence }, { client: { totalTimeout: 40 } });
    const error = await fails(trip.book({ passengers }));
    expect(error).toMatchObject({
      name: "JournalError",
      cause: { message: "The journal did not respond within 40 ms." },
    });
    expect(bookings()).toEqual([]);
  });

  it.each(["conflict", "claim"])("%s hangs: the signal ends it", async (method) => {
    const [asked, aborter] = [gate(), new AbortController()];
    const { trip, bookings } = await tripOn({ [method]: () => asked.open() ?? silence() });
    const booking = fails(trip.book({ passengers, clientReferenceId: "order-17" }, { signal: aborter.signal }));
    await asked.opened;
    aborter.abort(new Error("the user left"));
    expect(await booking).toMatchObject({
      name: "AbortError",
      outcome: "notSent",
      reason: new Error("the user left"),
      clientReferenceId: "order-17",
      operation: "flights.book",
      phase: "credentials",
    });
    expect(bookings()).toEqual([]);
  });

  it("a signal that was aborted before asks nothing of the journal", async () => {
    const conflict = vi.fn(silence);
    const { trip, kept } = await tripOn({ conflict });
    const signal = AbortSignal.abort(new Error("the user left"));
    expect(await fails(trip.book({ passengers }, { signal }))).toMatchObject({
      name: "AbortError",
      outcome: "notSent",
    });
    expect(await kept.pending()).toEqual([]);
    expect(conflict).not.toHaveBeenCalled();
  });

  it("a row that it returns for its own reasons stops the booking, as if the offer were taken", async () => {
    const other = { attemptId: "x", clientReferenceId: "x", traceId: "x", searchToken: "x", token: "x", result: 0 };
    const row = { ...other, fingerprint: "", state: "booked", at: day, sentAt: day, responseDueBy: day };
    const { trip, bookings } = await tripOn({ conflict: async () => row });
    expect(await fails(trip.book({ passengers }))).toMatchObject({
      name: "BookingAlreadySentError",
      operation: "flights.book",
      conflict: "offer",
    });
    expect(bookings()).toEqual([]);
  });

  it("withdraws a claim that succeeds after it was given up: it conflicts with nothing", async () => {
    const late = gate();
    const { trip, bookings, kept } = await tripClaiming(
      async (journal, ...claim) => {
        await late.opened;
        return journal.claim(...claim);
      },
      { client: { totalTimeout: 40 } },
    );
    await fails(trip.book({ passengers, clientReferenceId: "order-17" }));
    late.open();
    await expect.poll(() => kept.find("order-17")).toMatchObject([{ state: "rejected", reason: "journal" }]);
    expect(bookings()).toEqual([]);
    expect((await trip.book({ passengers, clientReferenceId: "order-17" })).pnr).toBe("PNR001");
  });

  it("a claim whose response is lost is withdrawn too", async () => {
    const { trip, kept } = await tripClaiming(async (journal, ...claim) => {
      await journal.claim(...claim);
      throw new Error("the connection broke");
    });
    await fails(trip.book({ passengers, clientReferenceId: "order-17" }));
    await expect.poll(() => kept.find("order-17")).toMatchObject([{ state: "rejected" }]);
  });

  it("withdraws a claim that the caller gave up too", async () => {
    const [asked, late, aborter] = [gate(), gate(), new AbortController()];
    const { trip, bookings, kept } = await tripClaiming(async (journal, ...claim) => {
      asked.open();
      await late.opened;
      return journal.claim(...claim);
    });
    const booking = fails(trip.book({ passengers, clientReferenceId: "order-17" }, { signal: aborter.signal }));
    await asked.opened;
    aborter.abort();
    expect(await booking).toMatchObject({ name: "AbortError" });
    late.open();
    await expect.poll(() => kept.find("order-17")).toMatchObject([{ state: "rejected" }]);
    expect(bookings()).toEqual([]);
  });

  it("a journal that retries a claim and finds its own row has granted it", async () => {
    const { trip, bookings, kept } = await tripClaiming(async (journal, ...claim) => {
      await journal.claim(...claim); // its reply is lost
      return journal.claim(...claim);
    });
    expect((await trip.book({ passengers, clientReferenceId: "order-17" })).pnr).toBe("PNR001");
    expect(bookings()).toHaveLength(1);
    expect(await kept.find("order-17")).toMatchObject([{ state: "booked", pnr: "PNR001" }]);
  });

  it.each<[string, string, (row: JournalRow, sleep: () => void) => JournalRow | undefined]>([
    [
      "another row",
      "BookingAlreadySentError",
      (row) => ({ ...row, attemptId: "another", clientReferenceId: "another" }),
    ],
    ["its row in another state", "JournalError", (row) => ({ ...row, state: "rejected" })],
    [
      "its row, to a process that was suspended meanwhile",
      "JournalError",
      (row, sleep) => {
        sleep();
        return row;
      },
    ],
    [
      "nothing, to a process that was suspended meanwhile",
      "JournalError",
      (_row, sleep) => {
        sleep();
        return undefined;
      },
    ],
  ])(
    "withdraws a claim that was written, whatever was returned for it, and sends nothing: %s",
    async (_case, name, reply) => {
      let time = day;
      const { trip, bookings, kept } = await tripClaiming(
        async (journal, ...claim) => {
          await journal.claim(...claim);
          return reply(claim[0], () => {
            time += 3_600_000; // the lid is shut for an hour
          });
        },
        { now: () => time },
      );
      expect(await fails(trip.book({ passengers }))).toMatchObject({ name, outcome: "notSent" });
      expect(bookings()).toEqual([]);
      await expect.poll(() => kept.pending()).toEqual([]);
    },
  );

  it.each([
    ["says nothing", () => Number.NaN],
    ["throws", throws(new Error("no clock"))],
  ])("a clock that %s behind a claim leaves no row open: nothing was sent", async (_case, broken) => {
    let time = () => day;
    const { trip, api, bookings, kept } = await tripClaiming(
      async (journal, ...claim) => {
        const other = await journal.claim(...claim);
        time = broken;
        return other;
      },
      { now: () => time() },
    );
    expect(await fails(trip.book({ passengers }))).toMatchObject({ name: "ConfigurationError", outcome: "notSent" });
    expect(bookings()).toEqual([]);
    await expect.poll(() => kept.pending()).toEqual([]);
    time = () => day;
    const again = checkout(api, search, { journal: kept, now });
    await again.quote();
    expect((await again.book({ passengers })).pnr).toBe("PNR001");
  });
});

describe("a journal that fails after a booking was sent never costs the PNR, nor hides an error", () => {
  const warned = (booking: { readonly warnings: readonly { path: unknown; message: string }[] }) =>
    booking.warnings.filter(({ path }) => Array.isArray(path) && path[0] === "journal").map(({ message }) => message);

  it.each<[string, object]>([
    ["rejects", { settle: () => Promise.reject(new Error("disk full")) }],
    ["throws", { settle: throws(new Error("disk full")) }],
    ["returns false for a row that it does not hold any more", { settle: async () => false, get: async () => null }],
    ["returns nothing, and has recorded nothing", { settle: async () => undefined }],
  ])("settle %s", async (_case, faults) => {
    const { trip } = await tripOn(faults);
    const booking = await trip.book({ passengers });
    expect(booking.pnr).toBe("PNR001");
    expect(warned(booking)).toEqual([expect.stringMatching(/did not confirm its row: .* settle it by hand/)]);
    expect(trip.bookingAttempts).toMatchObject([{ state: "booked", pnr: "PNR001" }]);
  });

  it("a settle() that fails once warns, although the row could be overwritten", async () => {
    const kept = memoryJournal();
    const settle = vi.fn(kept.settle).mockResolvedValueOnce(false);
    const { trip } = await tripOn({ ...kept, settle });
    const booking = await trip.book({ passengers, clientReferenceId: "order-17" });
    expect(warned(booking)).toEqual([expect.stringContaining("settle it by hand")]);
    expect(booking.warnings.at(-1)).toMatchObject({ path: ["journal", "order-17"], code: "custom" });
    expect(await kept.find("order-17")).toMatchObject([{ state: "sent" }]);
  });

  it("a settle() that returns nothing, but recorded the booking, counts as done", async () => {
    const kept = memoryJournal();
    const settle: BookingJournal["settle"] = async (row, from) => {
      await kept.settle(row, from);
      return undefined as unknown as boolean;
    };
    const { trip } = await tripOn({ ...kept, settle });
    expect(warned(await trip.book({ passengers }))).toEqual([]);
  });

  it("returns the PNR after two seconds if settle() hangs", async () => {
    stopClock("setTimeout", "clearTimeout");
    const asked = gate();
    const { trip, bookings } = await tripOn({ settle: () => asked.open() ?? silence() });
    let booking: CheckoutBooking | undefined;
    void trip.book({ passengers }).then((made) => {
      booking = made;
    });
    await asked.opened;
    await vi.advanceTimersByTimeAsync(1_999);
    expect(booking).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(booking?.pnr).toBe("PNR001");
    expect(booking && warned(booking)).toHaveLength(1);
    expect(bookings()).toHaveLength(1);
  });

  it("nor does a clock that fails by then", async () => {
    let time = day;
    const { trip } = await quotedTrip(
      {
        book: () => {
          time = Number.NaN;
          return booked("PNR001");
        },
      },
      { now: () => time },
    );
    expect((await trip.book({ passengers })).pnr).toBe("PNR001");
  });
});

describe("a journal that returns something other than its row", () => {
  it.each([{ garbage: true }, "row", 7])("closes nothing by trip.reconcile: %j", async (value) => {
    const kept = memoryJournal();
    const { trip } = await quotedTrip(
      { book: () => Response.error() },
      { journal: { ...kept, get: async () => value as never } },
    );
    await fails(trip.book({ passengers }));
    const later = { now: () => day + 2 * 86_400_000 };
    expect(await fails(trip.reconcile({ pnr: "ABC123" }, undefined, later))).toMatchObject({ name: "JournalError" });
    expect(await kept.pending()).toMatchObject([{ state: "unknown" }]);
    expect(trip.bookingAttempts).toMatchObject([{ state: "unknown" }]);
  });
});

describe("a saved trip", () => {
  it("can be resumed after every booking", async () => {
    const { trip, api, journal } = await quotedTrip();
    expect(await fails(trip.book({ passengers, offerIndex: "0" as unknown as number }))).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining("`offerIndex` must be an integer"),
    });
    await trip.book({ passengers, offerIndex: 0, maxTotal: inr("7480") });
    expect(resumeCheckout(api, JSON.stringify(trip), { journal }).bookingAttempts).toEqual(trip.bookingAttempts);
  });
});
