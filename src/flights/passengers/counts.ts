import { stringOf } from "../../shared/json.ts";
import { requireObject } from "../../shared/options.ts";
import { countByType, normalizeBreakdown } from "../quote/normalize.ts";
import { type CheckContext, typeOf } from "./context.ts";
import { issue, type PassengerIssue } from "./issues.ts";

const root = ["passengers"];

/** Checks the number of passengers and the lead (docs/assumptions.md, F8 and F9). */
export function checkCounts(context: CheckContext): PassengerIssue[] {
  const { passengers, limits } = context;
  const found: PassengerIssue[] = [];
  const count = (type: string) => passengers.filter((passenger) => typeOf(passenger) === type).length;

  if (passengers.length === 0) return [issue("no_passengers", root, "Add at least one passenger.")];
  if (passengers.length > limits.maxPassengers) {
    const { maxPassengers } = limits;
    const message = `One booking takes at most ${maxPassengers} passengers.`;
    found.push(issue("too_many_passengers", root, message, { values: { maxPassengers } }));
  }
  if (count("infant") > count("adult")) {
    found.push(issue("infants_exceed_adults", root, "Each infant needs a different adult to sit with."));
  }
  if (typeOf(passengers[0]) !== "adult") {
    const message = "The first passenger leads the booking and should be an adult.";
    found.push(issue("lead_not_adult", ["passengers", 0, "passenger_type"], message));
  }
  return [...found, ...checkQuoted(context), ...checkRepeated(passengers)];
}

const knownTypes: readonly string[] = ["adult", "child", "infant"];

/** Compares the number of passengers of each type with the quote. */
function checkQuoted({ passengers, quotedCounts }: CheckContext): PassengerIssue[] {
  const place = ["offer", "fare_breakdown"];
  if (quotedCounts === null) {
    const message = "The quote does not say how many passengers it is for: check that it is for all of them.";
    return [issue("quote_counts_unreadable", place, message)];
  }
  if (Object.keys(quotedCounts).length === 0) return [];
  const travelling = countByType(passengers.map((passenger) => [typeOf(passenger), 1]));
  const rows = [...new Set([...Object.keys(quotedCounts), ...Object.keys(travelling)])].map((type) => ({
    type,
    isKnown: knownTypes.includes(type),
    quoted: quotedCounts[type] ?? 0,
    given: travelling[type] ?? 0,
  }));
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const known = rows.filter(({ isKnown }) => isKnown);
  const others = rows.filter(({ isKnown }) => !isKnown);
  // An unknown type may stand for any of the known ones.
  const surplus = sum(known.map(({ quoted, given }) => Math.max(0, given - quoted)));
  const deficit = sum(known.map(({ quoted, given }) => Math.max(0, quoted - given)));
  const agrees = surplus <= sum(others.map(({ quoted }) => quoted)) && deficit <= sum(others.map(({ given }) => given));
  return [
    ...others
      .filter(({ quoted }) => quoted > 0)
      .map(() => {
        const message =
          "The quote is for a type of passenger other than adult, child or infant: check that the price is for these passengers.";
        return issue("quote_type_unknown", place, message);
      }),
    ...(agrees ? [] : known.filter(({ quoted, given }) => quoted !== given).map(differs)),
  ];
}

function differs({ type, quoted, given }: { type: string; quoted: number; given: number }): PassengerIssue {
  const message = `The quote is for ${quoted} of type ${type}, and there ${given === 1 ? "is" : "are"} ${given}: search and quote again for these passengers.`;
  return issue("count_differs_from_quote", root, message, { values: { type, quoted, given } });
}

function checkRepeated(passengers: CheckContext["passengers"]): PassengerIssue[] {
  const seen = new Set<string>();
  return passengers.flatMap((passenger, i) => {
    const who = [passenger.fname, passenger.lname, passenger.dob]
      .map((value) => stringOf(value).trim().replaceAll(/\s+/g, " ").toUpperCase())
      .join("|");
    if (who === "||" || !seen.has(who)) {
      seen.add(who);
      return [];
    }
    return [
      issue(
        "passenger_repeated",
        ["passengers", i],
        "This passenger has the same name and date of birth as an earlier one.",
      ),
    ];
  });
}

/**
 * Returns the passengers of a quote by type, for a form that asks for exactly these.
 *
 * @param offer - A fare quote result.
 * @returns Number of passengers by type, such as `{ adult: 2, infant: 1 }`; null if the quote does not say.
 * @throws {@link ConfigurationError} if `offer` is not an object.
 *
 * @example
 * ```ts
 * import { expectedPassengers } from "serviceapi/flights";
 *
 * for (const [type, count] of Object.entries(expectedPassengers(offer) ?? {})) console.log(`${count} × ${type}`);
 * ```
 */
export function expectedPassengers(offer: {
  readonly fare_breakdown?: unknown;
}): Readonly<Record<string, number>> | null {
  requireObject("expectedPassengers", "offer", offer, "a fare quote result");
  const rows = normalizeBreakdown(offer.fare_breakdown);
  return rows.length === 0 ? null : countByType(rows.map((row) => [row.passenger_type, row.passenger_count]));
}
