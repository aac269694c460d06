import type { CheckContext } from "./context.ts";
import { textOf } from "./context.ts";
import { issue, type PassengerIssue } from "./issues.ts";

/** How many travel, and who leads (policy 29). */
export function checkCounts({ passengers, limits, offer }: CheckContext): PassengerIssue[] {
  const found: PassengerIssue[] = [];
  const root = ["passengers"];
  const count = (type: string) => passengers.filter((passenger) => passenger.passenger_type === type).length;

  if (passengers.length === 0) return [issue("no_passengers", root, "There is nobody to book.")];
  if (passengers.length > limits.maxPassengers) {
    found.push(issue("too_many_passengers", root, `One booking takes at most ${limits.maxPassengers} passengers.`));
  }
  if (count("infant") > count("adult")) {
    found.push(issue("infants_exceed_adults", root, "Each infant sits on the lap of an adult of their own."));
  }
  if (passengers[0]?.passenger_type !== "adult") {
    found.push(
      issue(
        "lead_not_adult",
        ["passengers", 0, "passenger_type"],
        "The first passenger leads the booking and should be an adult.",
      ),
    );
  }
  for (const { passenger_type: type, passenger_count: quoted } of quotedCounts(offer.fare_breakdown, passengers)) {
    if (count(type) === quoted) continue;
    const message = `The quote is for ${quoted} of type ${type}, and there ${count(type) === 1 ? "is" : "are"} ${count(type)}: search and quote again for these passengers.`;
    found.push(issue("count_differs_from_quote", root, message));
  }
  return [...found, ...checkRepeated(passengers)];
}

type Counted = { readonly passenger_type: string; readonly passenger_count: number };

/** What was quoted for each type, 0 for a type that travels without having been quoted; nothing where the quote names no counts. */
function quotedCounts(
  breakdown: readonly Counted[],
  passengers: readonly { readonly passenger_type: string }[],
): Counted[] {
  if (breakdown.length === 0) return [];
  const quoted = new Map(passengers.map(({ passenger_type }) => [textOf(passenger_type), 0]));
  for (const { passenger_type } of breakdown) quoted.set(passenger_type, 0);
  for (const { passenger_type, passenger_count } of breakdown) {
    quoted.set(passenger_type, (quoted.get(passenger_type) ?? 0) + passenger_count);
  }
  return [...quoted].map(([passenger_type, passenger_count]) => ({ passenger_type, passenger_count }));
}

function checkRepeated(passengers: CheckContext["passengers"]): PassengerIssue[] {
  const seen = new Set<string>();
  return passengers.flatMap((passenger, i) => {
    const who = [passenger.fname, passenger.lname, passenger.dob]
      .map((value) => textOf(value).trim().toUpperCase())
      .join("|");
    if (who === "||" || !seen.has(who)) {
      seen.add(who);
      return [];
    }
    return [
      issue("passenger_repeated", ["passengers", i], "Has the same name and date of birth as an earlier passenger."),
    ];
  });
}
