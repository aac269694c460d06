import { stringOf } from "../../shared/json.ts";
import type { CheckContext } from "./context.ts";
import { isCalendarDate } from "./fields.ts";

/**
 * Checks ages on the days of travel (docs/assumptions.md, F8): adults and children on the first departure, infants on
 * the last. Only calendar dates count. A birthday on 29 February is on 1 March in other years.
 */
export function checkAges(context: CheckContext): void {
  const { offer, passengers, types, firstDay, lastDay, departuresKnown, limits, report } = context;
  if (!departuresKnown) report("departure_unknown", ["offer", "segments"]);
  if (firstDay === undefined || lastDay === undefined) return;
  const { infantUnder, adultFrom, seniorFrom } = limits;
  const isSeniorFare = /senior/i.test(stringOf(offer.fare_type));
  for (const [i, { dob }] of passengers.entries()) {
    // Not a calendar date: `checkFields` reports it.
    if (!isCalendarDate(dob)) continue;
    if (dob > firstDay) {
      report("born_after_departure", ["passengers", i, "dob"]);
      continue;
    }
    const [atFirst, atLast] = [ageOn(dob, firstDay), ageOn(dob, lastDay)];
    // With the field that is probably wrong.
    const rules = [
      ["adult", "adult_too_young", "passenger_type", atFirst < adultFrom],
      ["adult", "senior_fare_age", "dob", isSeniorFare && atFirst < seniorFrom],
      ["child", "child_too_old", "passenger_type", atFirst >= adultFrom],
      // A passenger who turns two between the departures needs a child's seat on the last, so they may have one on all.
      ["child", "child_too_young", "passenger_type", Math.max(atFirst, atLast) < infantUnder],
      ["infant", "infant_too_old", "passenger_type", atLast >= infantUnder],
    ] as const;
    const [, code, field] = rules.find(([type, , , isBroken]) => isBroken && type === types[i]) ?? [];
    if (code === undefined) continue;
    const younger = atLast >= infantUnder ? "child" : "infant";
    report(code, ["passengers", i, field], {
      values: { ...limits, firstDay, lastDay },
      suggestion: field === "dob" ? undefined : atFirst >= adultFrom ? "adult" : younger,
    });
  }
}

/** Returns the whole years from one day to a later one. */
function ageOn(born: string, day: string): number {
  const hadBirthday = day.slice(5) >= born.slice(5);
  return Number(day.slice(0, 4)) - Number(born.slice(0, 4)) - (hadBirthday ? 0 : 1);
}
