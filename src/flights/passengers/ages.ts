import { stringOf } from "../../shared/json.ts";
import type { PassengerType } from "../types/index.ts";
import type { CheckContext } from "./context.ts";
import { isCalendarDate } from "./fields.ts";
import type { PassengerIssueCode } from "./issues.ts";

/** Ages in whole years, and what they are compared with. */
interface Ages {
  readonly atFirst: number;
  readonly atLast: number;
  readonly limits: CheckContext["limits"];
  readonly isSeniorFare: boolean;
}

/** With the field that is probably wrong. */
type AgeRule = readonly [
  PassengerType,
  PassengerIssueCode,
  "passenger_type" | "dob",
  isBroken: (ages: Ages) => boolean,
];

/** By type of passenger; the first that is broken is reported. */
const rules: readonly AgeRule[] = [
  ["adult", "adult_too_young", "passenger_type", ({ atFirst, limits }) => atFirst < limits.adultFrom],
  [
    "adult",
    "senior_fare_age",
    "dob",
    ({ isSeniorFare, atFirst, limits }) => isSeniorFare && atFirst < limits.seniorFrom,
  ],
  ["child", "child_too_old", "passenger_type", ({ atFirst, limits }) => atFirst >= limits.adultFrom],
  // A passenger who turns two between the departures needs a child's seat on the last, so they may have one on all.
  [
    "child",
    "child_too_young",
    "passenger_type",
    ({ atFirst, atLast, limits }) => Math.max(atFirst, atLast) < limits.infantUnder,
  ],
  ["infant", "infant_too_old", "passenger_type", ({ atLast, limits }) => atLast >= limits.infantUnder],
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
    const [, code, field = "dob"] = rules.find(([type, , , isBroken]) => type === types[i] && isBroken(ages)) ?? [];
    if (code === undefined) continue;
    report(code, ["passengers", i, field], {
      values: { ...limits, firstDay, lastDay },
      suggestion: field === "passenger_type" ? rightType(ages) : undefined,
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
