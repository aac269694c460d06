import { describe, expect, it } from "vitest";
import { ServiceApiError } from "../../src/errors/base.ts";
import * as flights from "../../src/flights/index.ts";
import { fareRuleText } from "../../src/flights/rule-text.ts";

const wrong: readonly unknown[] = [
  undefined,
  null,
  Number.NaN,
  5,
  "text",
  true,
  Symbol("s"),
  10n,
  [],
  [null],
  {},
  { segments: [null] },
  { last_ticket_date: 5 },
  { state: "sent" },
  () => {},
  new Date(Number.NaN),
];
const inr = { amount: "1", currency: "INR" };
const deadline = flights.ticketDeadline({ last_ticket_date: "2027-01-01 00:00:00" });
const row = { state: "sent" } as flights.JournalRow;

/** Each argument of each pure function, the others being right. */
const calls: Readonly<Record<string, (value: never) => unknown>> = {
  "adviceFor(error)": (value) => flights.adviceFor(value),
  "compareBooking(offer)": (value) => flights.compareBooking(value, {}, []),
  "compareBooking(booked)": (value) => flights.compareBooking({} as never, value, []),
  "compareBooking(passengers)": (value) => flights.compareBooking({} as never, {}, value),
  "compareMoney(a)": (value) => flights.compareMoney(value, inr),
  "compareMoney(b)": (value) => flights.compareMoney(inr, value),
  "conflictsWith(other)": (value) => flights.conflictsWith(value, row),
  "conflictsWith(row)": (value) => flights.conflictsWith(row, value),
  "durationMinutes(text)": (value) => flights.durationMinutes(value),
  "fareBreakdown(offer)": (value) => flights.fareBreakdown(value),
  "fareRuleText(html)": (value) => fareRuleText(value),
  "fees(offer)": (value) => flights.fees(value, { type: "Cancellation", at: "2027-01-01 00:00:00" }),
  "fees(query)": (value) => flights.fees({} as never, value),
  "instantOf(text)": (value) => flights.instantOf(value, "UTC"),
  "instantOf(zone)": (value) => flights.instantOf("2027-01-01 00:00:00", value),
  "isOverdue(row)": (value) => flights.isOverdue(value),
  "isPassenger(value)": (value) => flights.isPassenger(value),
  "isPending(row)": (value) => flights.isPending(value),
  "itinerary(trip)": (value) => flights.itinerary(value),
  "memoryJournal(rows)": (value) => flights.memoryJournal(value),
  "multiplyMoney(money)": (value) => flights.multiplyMoney(value, 1),
  "multiplyMoney(times)": (value) => flights.multiplyMoney(inr, value),
  "parseCharge(text)": (value) => flights.parseCharge(value),
  "quoteToken(text)": (value) => flights.quoteToken(value),
  "readMoney(amount)": (value) => flights.readMoney(value, "INR"),
  "readMoney(currency)": (value) => flights.readMoney(1, value),
  "remaining(now)": (value) => deadline?.remaining(value),
  "subtractMoney(a)": (value) => flights.subtractMoney(value, inr),
  "subtractMoney(b)": (value) => flights.subtractMoney(inr, value),
  "sumMoney(amounts)": (value) => flights.sumMoney(value),
  "ticketDeadline(result)": (value) => flights.ticketDeadline(value),
  "ticketDeadline(zone)": (value) => flights.ticketDeadline({}, value),
  "timeOrNull(text)": (value) => flights.timeOrNull(value),
  "validatePassengers(offer)": (value) => flights.validatePassengers(value, []),
  "validatePassengers(passengers)": (value) => flights.validatePassengers({} as never, value),
  "wallClockIn(zone)": (value) => flights.wallClockIn(0, value),
  "wallClockIn(instant)": (value) => flights.wallClockIn(value, "UTC"),
};

describe("an argument of the wrong type", () => {
  it.each(Object.keys(calls))("%s is refused with one of our errors, or leads to no NaN", (name) => {
    for (const value of wrong) {
      try {
        const result = calls[name]?.(value as never);
        expect(JSON.stringify(result, (_, part) => (Number.isNaN(part) ? "NaN" : part)) ?? "").not.toContain("NaN");
      } catch (error) {
        if (!ServiceApiError.isInstance(error))
          throw new Error(`${name} of ${String(value)}: ${error}`, { cause: error });
      }
    }
  });

  it.each([null, "0", [], true, Symbol("s")])("%s is not an instant", (instant) => {
    expect(() => flights.wallClockIn(instant as never, "UTC")).toThrow(/`instant` must be a valid Date/);
    expect(() => deadline?.remaining(instant as never)).toThrow(/`now` must be a valid Date/);
  });

  it.each([undefined, null, {}, "sent", [{ state: "sent" }]])("%j is not a row", (value) => {
    expect(() => flights.isPending(value as never)).toThrow(/^isPending: the row is not a JournalRow/);
    expect(() => flights.isOverdue(value as never)).toThrow(/^isOverdue: the row is not a JournalRow/);
    expect(() => flights.conflictsWith(value as never, row)).toThrow(/^conflictsWith: the row is not/);
    expect(() => flights.conflictsWith(row, value as never)).toThrow(/^conflictsWith: the row is not/);
  });

  it("a row without `responseDueBy` is refused before it is compared", () => {
    expect(() => flights.isOverdue({ state: "sent" } as never)).toThrow(/^isOverdue: the row is not/);
  });
});
