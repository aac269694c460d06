import type { CalendarDateTime } from "@internationalized/date";
import { textOf } from "../../shared/json.ts";
import { integer, number, type Rules } from "../../shared/options.ts";
import { type NormalizedOffer, normalizeSegments } from "../quote/normalize.ts";
import { parseWallClock } from "../quote/times.ts";
import type { FareQuoteResult, Passenger } from "../types/index.ts";

/** The bounds that the document does not name (docs/assumptions.md, F8). */
export interface PassengerLimits {
  /** Passengers in one booking. @default 9 */
  readonly maxPassengers?: number | undefined;
  /** An infant is younger than this, in years, at the last departure. @default 2 */
  readonly infantUnder?: number | undefined;
  /** An adult is at least this old, in years, at the first departure. @default 12 */
  readonly adultFrom?: number | undefined;
  /** A senior's fare is for those who are at least this old, in years, at the first departure. @default 60 */
  readonly seniorFrom?: number | undefined;
}

/** For every public function that takes the limits. */
export const passengerLimitRules: Rules<PassengerLimits> = {
  maxPassengers: integer(1),
  infantUnder: number(0, 150),
  adultFrom: number(0, 150),
  seniorFrom: number(0, 150),
};

/** What every check is given. */
export interface CheckContext {
  readonly offer: NormalizedOffer;
  /** As they came. */
  readonly given: readonly unknown[];
  /** The same, with an empty object in the place of what is no passenger at all. */
  readonly passengers: readonly Passenger[];
  /** How many of each type the quote is for; empty if it names none, null if that cannot be read. */
  readonly quotedCounts: Readonly<Record<string, number>> | null;
  /** Today, `YYYY-MM-DD`. */
  readonly today: string;
  readonly limits: { readonly [K in keyof PassengerLimits]-?: number };
  /** Days of the whole trip, which may be more than this offer; null where they cannot be read. */
  readonly firstDeparture: CalendarDateTime | null;
  readonly lastDeparture: CalendarDateTime | null;
  /** Every flight of the trip has a departure that can be read. */
  readonly departuresKnown: boolean;
  /** The last departure or arrival that can be read. */
  readonly lastDay: CalendarDateTime | null;
  readonly extraBody: unknown;
  readonly now: number | undefined;
  readonly deadlineZone: string;
}

/** The first and the last departure of the offers that are travelled together, and the day on which the trip is over. */
export function tripDays(
  trip: readonly FareQuoteResult[],
): Pick<CheckContext, "firstDeparture" | "lastDeparture" | "departuresKnown" | "lastDay"> {
  const flights = trip.flatMap((offer) => normalizeSegments(offer.segments));
  const times = sortTimes(flights.map((flight) => flight.origin.departure_time));
  const all = sortTimes(
    flights.flatMap(({ origin, destination }) => [origin.departure_time, destination.arrival_time]),
  );
  return {
    firstDeparture: times[0] ?? null,
    lastDeparture: times.at(-1) ?? null,
    departuresKnown: times.length > 0 && times.length === flights.length,
    lastDay: all.at(-1) ?? null,
  };
}

function sortTimes(texts: readonly string[]): CalendarDateTime[] {
  return texts
    .map(parseWallClock)
    .filter((time) => time !== null)
    .sort((a, b) => a.compare(b));
}

/** What a passenger counts as, in any case. */
export function typeOf(passenger: Passenger | undefined): string {
  return textOf(passenger?.passenger_type).trim().toLowerCase();
}
