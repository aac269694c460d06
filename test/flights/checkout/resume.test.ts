import { describe, expect, it } from "vitest";
import { checkout, memoryJournal, resumeCheckout } from "../../../src/flights/index.ts";
import { clientOf, day, fails, passengers, quoteOf } from "./support.ts";

const search = { trace_id: "T", token: "S" };
const now = () => day;

describe("a trip that was saved with a journal", () => {
  it("is not resumed without one: it would be booked again", async () => {
    const { api } = clientOf();
    const trip = checkout(api, search, { journal: memoryJournal(), now });
    await trip.quote();
    await trip.book({ passengers });
    expect(() => resumeCheckout(api, JSON.stringify(trip), { now })).toThrow(
      "resumeCheckout: this trip was saved with a journal. Pass the same `journal`",
    );
  });

  it("is resumed with it any number of times, and books once", async () => {
    const { api, bookings } = clientOf();
    const journal = memoryJournal();
    const trip = checkout(api, search, { journal, now });
    await trip.quote();
    const saved = JSON.stringify(trip);
    await resumeCheckout(api, saved, { journal, now }).book({ passengers });
    const again = await fails(resumeCheckout(api, saved, { journal, now }).book({ passengers }));
    expect(again.name).toBe("BookingAlreadySentError");
    expect(bookings()).toHaveLength(1);
  });

  it("needs none if it had only its own: then its saved rows count", async () => {
    const { api, bookings } = clientOf();
    const trip = checkout(api, search, { now });
    await trip.quote();
    await trip.book({ passengers });
    const again = await fails(resumeCheckout(api, JSON.stringify(trip), { now }).book({ passengers }));
    expect(again.name).toBe("BookingAlreadySentError");
    expect(bookings()).toHaveLength(1);
  });
});

describe("a booking that is aborted while a fresh quote is requested", () => {
  it("was not sent, and says so", async () => {
    const abort = new AbortController();
    let quotes = 0;
    const { api, bookings } = clientOf({
      quote: () => {
        quotes += 1;
        if (quotes === 2) abort.abort("left");
        return quoteOf();
      },
    });
    const trip = checkout(api, search, { now });
    await trip.quote();
    const error = await fails(trip.book({ passengers, requoteIfOlderThan: 0 }, { signal: abort.signal }));
    expect(error).toMatchObject({ name: "AbortError", outcome: "notSent", reason: "left" });
    expect(bookings()).toEqual([]);
  });
});

describe("the passengers of a form", () => {
  it("are checked as they are, unfinished ones included", async () => {
    const trip = checkout(clientOf().api, search, { now });
    await trip.quote();
    const unfinished: unknown[] = [{ fname: "RAVI" }];
    expect(trip.validate(unfinished).map(({ path }) => path.join("."))).toContain("passengers.0.lname");
  });
});
