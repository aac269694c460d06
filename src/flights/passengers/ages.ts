import type { CalendarDateTime } from "@internationalized/date";
import { textOf } from "../../shared/json.ts";
import type { Passenger, PassengerType } from "../types/index.ts";
import { type CheckContext, typeOf } from "./context.ts";
import { isCalendarDate } from "./fields.ts";
import { issue, type PassengerIssue } from "./issues.ts";

/**
 * Ages on the days of travel (docs/assumptions.md, F8): adult and child on the first departure, an infant still under two on the last.
 * Calendar dates alone; somebody born on 29 February has the birthday on 1 March in other years.
 */
export function checkAges(context: CheckContext): PassengerIssue[] {
  const { firstDeparture, lastDeparture, departuresKnown, passengers } = context;
  const message = "The quote does not give the day of every departure, so that ages could not be checked in full.";
  const unknown = departuresKnown ? [] : [issue("departure_unknown", ["offer", "segments"], message)];
  if (firstDeparture === null || lastDeparture === null) return unknown;
  return [...unknown, ...passengers.flatMap((one, i) => checkAge(one, i, firstDeparture, lastDeparture, context))];
}

type Day = Pick<CalendarDateTime, "year" | "month" | "day">;

function checkAge(
  passenger: Passenger,
  index: number,
  first: CalendarDateTime,
  last: CalendarDateTime,
  { limits, offer }: CheckContext,
): PassengerIssue[] {
  const born = readDay(passenger.dob);
  // No calendar date: `checkFields` says so.
  if (born === null) return [];
  const [atFirst, atLast] = [ageOn(born, first), ageOn(born, last)];
  const dob = ["passengers", index, "dob"];
  if (atFirst < 0) return [issue("born_after_departure", dob, "The date of birth is after the first departure.")];

  const type = ["passengers", index, "passenger_type"];
  const suggestion: PassengerType =
    atFirst >= limits.adultFrom ? "adult" : atLast >= limits.infantUnder ? "child" : "infant";
  const [firstDay, lastDay] = [dayOf(first), dayOf(last)];
  switch (typeOf(passenger)) {
    case "adult": {
      if (atFirst < limits.adultFrom) {
        const message = `This passenger is under ${limits.adultFrom} on ${firstDay}, the first departure, and cannot travel as an adult.`;
        return [issue("adult_too_young", type, message, { suggestion })];
      }
      const senior = /senior/i.test(textOf(offer.fare_type)) && atFirst < limits.seniorFrom;
      const message = `This passenger is under ${limits.seniorFrom} on ${firstDay}. The fare is for seniors, and proof of age is asked for at the airport.`;
      return senior ? [issue("senior_fare_age", dob, message)] : [];
    }
    case "child": {
      if (atFirst >= limits.adultFrom) {
        const message = `This passenger is ${limits.adultFrom} or older on ${firstDay}, the first departure, and travels as an adult.`;
        return [issue("child_too_old", type, message, { suggestion })];
      }
      // Two on the way back but not on the way out: an infant may not, so that a child's seat is the one that works.
      if (atFirst >= limits.infantUnder || atLast >= limits.infantUnder) return [];
      const message = `This passenger is under ${limits.infantUnder} until ${lastDay}, the last departure, and travels as an infant.`;
      return [issue("child_too_young", type, message, { suggestion })];
    }
    case "infant": {
      if (atLast < limits.infantUnder) return [];
      const message = `This passenger is ${limits.infantUnder} or older on ${lastDay}, the last departure, and needs a seat of their own.`;
      return [issue("infant_too_old", type, message, { suggestion })];
    }
    default:
      return [];
  }
}

/** A date of birth, of the years 0 and 1 too: as a time of the service they would be "not applicable". */
function readDay(dob: unknown): Day | null {
  if (!isCalendarDate(dob)) return null;
  const [year = 0, month = 0, day = 0] = dob.split("-").map(Number);
  return { year, month, day };
}

/** Whole years from one calendar date to another; negative when the other is the earlier. */
export function ageOn(born: Day, day: Day): number {
  const hadBirthday = day.month > born.month || (day.month === born.month && day.day >= born.day);
  return day.year - born.year - (hadBirthday ? 0 : 1);
}

function dayOf(time: CalendarDateTime): string {
  return textOf(time.toString()).slice(0, 10);
}
