import type { CalendarDateTime } from "@internationalized/date";
import { parseWallClock } from "../times.ts";
import type { Passenger, PassengerType } from "../types.ts";
import { type CheckContext, textOf } from "./context.ts";
import { issue, type PassengerIssue } from "./issues.ts";

/**
 * Ages on the days of travel (policy 29): adult and child on the first departure, an infant still under two on the last.
 * Calendar dates alone; somebody born on 29 February has the birthday on 1 March in other years.
 */
export function checkAges(context: CheckContext): PassengerIssue[] {
  const { firstDeparture, lastDeparture, departuresKnown, passengers } = context;
  const message = "The quote does not give the day of every departure, so that ages could not be checked in full.";
  const unknown = departuresKnown ? [] : [issue("departure_unknown", ["offer", "segments"], message)];
  if (firstDeparture === null || lastDeparture === null) return unknown;
  return [...unknown, ...passengers.flatMap((one, i) => checkAge(one, i, firstDeparture, lastDeparture, context))];
}

function checkAge(
  passenger: Passenger,
  index: number,
  first: CalendarDateTime,
  last: CalendarDateTime,
  { limits, offer }: CheckContext,
): PassengerIssue[] {
  const born = parseWallClock(passenger.dob);
  if (born === null) return [];
  const [atFirst, atLast] = [ageOn(born, first), ageOn(born, last)];
  const dob = ["passengers", index, "dob"];
  if (atFirst < 0) return [issue("born_after_departure", dob, "The date of birth is after the first departure.")];

  const type = ["passengers", index, "passenger_type"];
  const suggestion: PassengerType =
    atFirst >= limits.adultFrom ? "adult" : atLast >= limits.infantUnder ? "child" : "infant";
  const [firstDay, lastDay] = [dayOf(first), dayOf(last)];
  switch (passenger.passenger_type) {
    case "adult": {
      if (atFirst < limits.adultFrom) {
        const message = `Is under ${limits.adultFrom} on ${firstDay}, the first departure, and cannot travel as an adult.`;
        return [issue("adult_too_young", type, message, { suggestion })];
      }
      const senior = /senior/i.test(textOf(offer.fare_type)) && atFirst < limits.seniorFrom;
      const message = `Is under ${limits.seniorFrom} on ${firstDay}: the fare is for seniors, and proof of age is asked for at the airport.`;
      return senior ? [issue("senior_fare_age", dob, message)] : [];
    }
    case "child": {
      if (atFirst >= limits.adultFrom) {
        const message = `Is ${limits.adultFrom} or older on ${firstDay}, the first departure, and travels as an adult.`;
        return [issue("child_too_old", type, message, { suggestion })];
      }
      if (atFirst >= limits.infantUnder) return [];
      // Two on the way back but not on the way out: an infant may not, so that a child's seat is the one that works.
      if (atLast >= limits.infantUnder) return [];
      const message = `Is under ${limits.infantUnder} until ${lastDay}, the last departure, and travels as an infant.`;
      return [issue("child_too_young", type, message, { suggestion })];
    }
    case "infant": {
      if (atLast < limits.infantUnder) return [];
      const message = `Is ${limits.infantUnder} or older on ${lastDay}, the last departure, and needs a seat of their own.`;
      return [issue("infant_too_old", type, message, { suggestion })];
    }
    default:
      return [];
  }
}

/** Whole years from one calendar date to another; negative when the other is the earlier. */
export function ageOn(born: CalendarDateTime, day: CalendarDateTime): number {
  const hadBirthday = day.month > born.month || (day.month === born.month && day.day >= born.day);
  return day.year - born.year - (hadBirthday ? 0 : 1);
}

function dayOf(time: CalendarDateTime): string {
  return textOf(time.toString()).slice(0, 10);
}
