import type { CalendarDateTime } from "@internationalized/date";
import { type SoundOffer, soundSegments } from "../sound.ts";
import { parseWallClock } from "../times.ts";
import type { FareQuoteResult, Passenger } from "../types.ts";

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

/** What every check is given. */
export interface CheckContext {
  readonly offer: SoundOffer;
  readonly passengers: readonly Passenger[];
  readonly limits: { readonly [K in keyof PassengerLimits]-?: number };
  /** Days of the whole trip, which may be more than this offer; null where they cannot be read. */
  readonly firstDeparture: CalendarDateTime | null;
  readonly lastDeparture: CalendarDateTime | null;
  /** Every flight of the trip has a departure that can be read. */
  readonly departuresKnown: boolean;
  readonly extraBody: unknown;
  readonly now: number | undefined;
  readonly deadlineZone: string;
}

/** The first and the last departure of the offers that are travelled together. */
export function departures(
  trip: readonly FareQuoteResult[],
): Pick<CheckContext, "firstDeparture" | "lastDeparture" | "departuresKnown"> {
  const flights = trip.flatMap((offer) => soundSegments(offer.segments));
  const times = flights
    .map((flight) => parseWallClock(flight.origin.departure_time))
    .filter((time) => time !== null)
    .sort((a, b) => a.compare(b));
  return {
    firstDeparture: times[0] ?? null,
    lastDeparture: times.at(-1) ?? null,
    departuresKnown: times.length > 0 && times.length === flights.length,
  };
}

/** A field of a passenger as text: a form hands over what it has, and the schema's own issue says what is no text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
