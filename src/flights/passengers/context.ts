import type { CalendarDateTime } from "@internationalized/date";
import { stringOf } from "../../shared/json.ts";
import { integer, number, type Rules } from "../../shared/options.ts";
import { type NormalizedOffer, normalizeSegments } from "../quote/normalize.ts";
import { parseWallClock } from "../quote/times.ts";
import type { FareQuoteResult, Passenger } from "../types/index.ts";

/** Limits of the passenger checks, which the document does not state (docs/assumptions.md, F8). */
export interface PassengerLimits {
  /** Maximum number of passengers in one booking. @default 9 */
  readonly maxPassengers?: number | undefined;
  /** Age in years below which a passenger is an infant, at the last departure. @default 2 */
  readonly infantUnder?: number | undefined;
  /** Minimum age of an adult in years, at the first departure. @default 12 */
  readonly adultFrom?: number | undefined;
  /** Minimum age for a senior fare in years, at the first departure. @default 60 */
  readonly seniorFrom?: number | undefined;
}

/** Rules of the limits, for the public functions that accept them. */
export const passengerLimitRules: Rules<PassengerLimits> = {
  maxPassengers: integer(1),
  infantUnder: number(0, 150),
  adultFrom: number(0, 150),
  seniorFrom: number(0, 150),
};

/** Input of the checks. */
export interface CheckContext {
  readonly offer: NormalizedOffer;
  /** The passengers as the caller passed them. */
  readonly given: readonly unknown[];
  /** The same, with an empty object for each element that is not an object. */
  readonly passengers: readonly Passenger[];
  /** Number of passengers by type in the quote; empty if it has none, null if it cannot be read. */
  readonly quotedCounts: Readonly<Record<string, number>> | null;
  /** Today, `YYYY-MM-DD`. */
  readonly today: string;
  readonly limits: { readonly [K in keyof PassengerLimits]-?: number };
  /** Days of the whole trip, which may be more than this offer; null if they cannot be read. */
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

/**
 * The first and the last departure of the offers that are travelled together, and the day on which the trip is over.
 */
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

/** Returns the type of a passenger in lower case. */
export function typeOf(passenger: Passenger | undefined): string {
  return stringOf(passenger?.passenger_type).trim().toLowerCase();
}
