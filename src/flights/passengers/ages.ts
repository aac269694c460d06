import type { CalendarDateTime } from "@internationalized/date";
import { stringOf } from "../../shared/json.ts";
import type { Passenger, PassengerType } from "../types/index.ts";
import { type CheckContext, typeOf } from "./context.ts";
import { isCalendarDate } from "./fields.ts";
import { issue, type PassengerIssue, type PassengerIssueCode } from "./issues.ts";

/**
 * Checks ages on the days of travel (docs/assumptions.md, F8): adults and children on the first departure, infants on
 * the last. Only calendar dates count. A birthday on 29 February is on 1 March in other years.
 */
export function checkAges(context: CheckContext): PassengerIssue[] {
  const { firstDeparture, lastDeparture, departuresKnown, passengers } = context;
  const message = "The quote does not state the day of every departure, so ages could not be checked completely.";
  const unknown = departuresKnown ? [] : [issue("departure_unknown", ["offer", "segments"], message)];
  if (firstDeparture === null || lastDeparture === null) return unknown;
  return [...unknown, ...passengers.flatMap((one, i) => checkAge(one, i, firstDeparture, lastDeparture, context))];
}

type Day = Pick<CalendarDateTime, "year" | "month" | "day">;

/** Ages in whole years, and what they are compared with. */
interface Ages {
  readonly atFirst: number;
  readonly atLast: number;
  /** The first and the last departure, `YYYY-MM-DD`. */
  readonly firstDay: string;
  readonly lastDay: string;
  readonly limits: CheckContext["limits"];
  readonly isSeniorFare: boolean;
}

interface AgeRule {
  readonly type: PassengerType;
  readonly code: PassengerIssueCode;
  /** The field that is probably wrong. */
  readonly field: "passenger_type" | "dob";
  readonly isBroken: (ages: Ages) => boolean;
  readonly message: (ages: Ages) => string;
}

/** By type of passenger; the first that is broken is reported. */
const rules: readonly AgeRule[] = [
  {
    type: "adult",
    code: "adult_too_young",
    field: "passenger_type",
    isBroken: ({ atFirst, limits }) => atFirst < limits.adultFrom,
    message: ({ limits, firstDay }) =>
      `This passenger is under ${limits.adultFrom} on ${firstDay}, the first departure, and cannot travel as an adult.`,
  },
  {
    type: "adult",
    code: "senior_fare_age",
    field: "dob",
    isBroken: ({ isSeniorFare, atFirst, limits }) => isSeniorFare && atFirst < limits.seniorFrom,
    message: ({ limits, firstDay }) =>
      `This passenger is under ${limits.seniorFrom} on ${firstDay}. The fare is for seniors, and the airport asks for proof of age.`,
  },
  {
    type: "child",
    code: "child_too_old",
    field: "passenger_type",
    isBroken: ({ atFirst, limits }) => atFirst >= limits.adultFrom,
    message: ({ limits, firstDay }) =>
      `This passenger is ${limits.adultFrom} or older on ${firstDay}, the first departure, and travels as an adult.`,
  },
  {
    type: "child",
    code: "child_too_young",
    field: "passenger_type",
    // A passenger who turns two between the departures needs a child's seat on the last, so they may have one on all.
    isBroken: ({ atFirst, atLast, limits }) => atFirst < limits.infantUnder && atLast < limits.infantUnder,
    message: ({ limits, lastDay }) =>
      `This passenger is under ${limits.infantUnder} until ${lastDay}, the last departure, and travels as an infant.`,
  },
  {
    type: "infant",
    code: "infant_too_old",
    field: "passenger_type",
    isBroken: ({ atLast, limits }) => atLast >= limits.infantUnder,
    message: ({ limits, lastDay }) =>
      `This passenger is ${limits.infantUnder} or older on ${lastDay}, the last departure, and needs their own seat.`,
  },
];

function checkAge(
  passenger: Passenger,
  index: number,
  first: CalendarDateTime,
  last: CalendarDateTime,
  { limits, offer }: CheckContext,
): PassengerIssue[] {
  const born = readDay(passenger.dob);
  // Not a calendar date: `checkFields` reports it.
  if (born === null) return [];
  const ages: Ages = {
    atFirst: ageOn(born, first),
    atLast: ageOn(born, last),
    firstDay: dayOf(first),
    lastDay: dayOf(last),
    limits,
    isSeniorFare: /senior/i.test(stringOf(offer.fare_type)),
  };
  if (ages.atFirst < 0) {
    const message = "The date of birth is after the first departure.";
    return [issue("born_after_departure", ["passengers", index, "dob"], message)];
  }
  const type = typeOf(passenger);
  const broken = rules.find((rule) => rule.type === type && rule.isBroken(ages));
  if (broken === undefined) return [];
  const suggestion = broken.field === "passenger_type" ? rightType(ages) : undefined;
  return [
    issue(broken.code, ["passengers", index, broken.field], broken.message(ages), {
      values: { ...limits, firstDay: ages.firstDay, lastDay: ages.lastDay },
      suggestion,
    }),
  ];
}

function rightType({ atFirst, atLast, limits }: Ages): PassengerType {
  if (atFirst >= limits.adultFrom) return "adult";
  return atLast >= limits.infantUnder ? "child" : "infant";
}

/** A date of birth, also of the years 0 and 1, which mean "not applicable" in a time of the service. */
function readDay(dob: unknown): Day | null {
  if (!isCalendarDate(dob)) return null;
  const [year = 0, month = 0, day = 0] = dob.split("-").map(Number);
  return { year, month, day };
}

/** Returns the whole years from one calendar date to another; negative if the other is the earlier. */
export function ageOn(born: Day, day: Day): number {
  const hadBirthday = day.month > born.month || (day.month === born.month && day.day >= born.day);
  return day.year - born.year - (hadBirthday ? 0 : 1);
}

function dayOf(time: CalendarDateTime): string {
  return time.toString().slice(0, 10);
}
