import { stringOf } from "../../shared/json.ts";
import type { PassengerType } from "../types/index.ts";
import { isCalendarDate } from "./fields.ts";
import type { CheckContext, PassengerIssueCode } from "./issues.ts";

/** Ages in whole years, and what they are compared with. */
interface Ages {
  readonly atFirst: number;
  readonly atLast: number;
  readonly limits: CheckContext["limits"];
  readonly isSeniorFare: boolean;
}

interface AgeRule {
  readonly type: PassengerType;
  readonly code: PassengerIssueCode;
  /** The field that is probably wrong. */
  readonly field: "passenger_type" | "dob";
  readonly isBroken: (ages: Ages) => boolean;
}

/** By type of passenger; the first that is broken is reported. */
const rules: readonly AgeRule[] = [
  {
    type: "adult",
    code: "adult_too_young",
    field: "passenger_type",
    isBroken: ({ atFirst, limits }) => atFirst < limits.adultFrom,
  },
  {
    type: "adult",
    code: "senior_fare_age",
    field: "dob",
    isBroken: ({ isSeniorFare, atFirst, limits }) => isSeniorFare && atFirst < limits.seniorFrom,
  },
  {
    type: "child",
    code: "child_too_old",
    field: "passenger_type",
    isBroken: ({ atFirst, limits }) => atFirst >= limits.adultFrom,
  },
  {
    type: "child",
    code: "child_too_young",
    field: "passenger_type",
    // A passenger who turns two between the departures needs a child's seat on the last, so they may have one on all.
    isBroken: ({ atFirst, atLast, limits }) => atFirst < limits.infantUnder && atLast < limits.infantUnder,
  },
  {
    type: "infant",
    code: "infant_too_old",
    field: "passenger_type",
    isBroken: ({ atLast, limits }) => atLast >= limits.infantUnder,
  },
];

/**
 * Checks ages on the days of travel (docs/assumptions.md, F8): adults and children on the first departure, infants on
 * the last. Only calendar dates count. A birthday on 29 February is on 1 March in other years.
 */
export function checkAges(context: CheckContext): void {
  const { offer, passengers, types, firstDay, lastDay, departuresKnown, limits, report } = context;
  if (!departuresKnown) report("departure_unknown", ["offer", "segments"]);
  if (firstDay === undefined || lastDay === undefined) return;
  const isSeniorFare = /senior/i.test(stringOf(offer.fare_type));
  for (const [i, { dob }] of passengers.entries()) {
    // Not a calendar date: `checkFields` reports it.
    if (!isCalendarDate(dob)) continue;
    if (dob > firstDay) {
      report("born_after_departure", ["passengers", i, "dob"]);
      continue;
    }
    const ages: Ages = { atFirst: ageOn(dob, firstDay), atLast: ageOn(dob, lastDay), limits, isSeniorFare };
    const broken = rules.find(({ type, isBroken }) => type === types[i] && isBroken(ages));
    if (broken === undefined) continue;
    report(broken.code, ["passengers", i, broken.field], {
      values: { ...limits, firstDay, lastDay },
      suggestion: broken.field === "passenger_type" ? rightType(ages) : undefined,
    });
  }
}

/** Returns the whole years from one day to a later one. */
function ageOn(born: string, day: string): number {
  const hadBirthday = day.slice(5) >= born.slice(5);
  return Number(day.slice(0, 4)) - Number(born.slice(0, 4)) - (hadBirthday ? 0 : 1);
}

function rightType({ atFirst, atLast, limits }: Ages): PassengerType {
  if (atFirst >= limits.adultFrom) return "adult";
  return atLast >= limits.infantUnder ? "child" : "infant";
}
