import type { Segment, SegmentPlace } from "../types/index.ts";
import { codeOf, normalizeSegments, oneOrAll } from "./normalize.ts";
import { dayOf, durationMinutes, minutesBetween, timeOrNull } from "./times.ts";

/** More than any itinerary has. */
export const maxFlights = 99;

/** A trip in legs, one for each direction. */
export interface Itinerary {
  /** The legs, in the order of travel. */
  readonly legs: readonly Leg[];
}

/** The flights of one direction (§2.5). Durations are in whole minutes, as in a timetable. */
export interface Leg {
  /** `trip_indicator` of its segments, such as `outbound`. */
  readonly direction: string;
  /** 3-letter IATA code of the first airport. */
  readonly origin: string;
  /** 3-letter IATA code of the last airport. */
  readonly destination: string;
  /** Wall-clock time at the origin, `YYYY-MM-DD HH:mm:ss`; null if it is not known. */
  readonly departure: string | null;
  /** Wall-clock time at the destination, `YYYY-MM-DD HH:mm:ss`; null if it is not known. */
  readonly arrival: string | null;
  /** Days from the departure date to the arrival date, each in local time; null if either is not known. */
  readonly arrivalDayOffset: number | null;
  /** Minutes from departure to arrival, flights and layovers; null if a duration cannot be read. */
  readonly minutes: number | null;
  /** The layovers, one between each two flights. */
  readonly layovers: readonly Layover[];
  /** The flights, in the order of travel. */
  readonly segments: readonly Segment[];
}

/** The time between two flights of a leg. */
export interface Layover {
  /** 3-letter IATA code of the airport where the first flight ends. */
  readonly airport: string;
  /** 3-letter IATA code of the airport where the next flight begins; null if it is the same. */
  readonly changeTo: string | null;
  /** Minutes on the ground; null if a time is not known, or the next flight begins at another airport. */
  readonly minutes: number | null;
  /** Whether the next flight leaves on a later day. */
  readonly overnight: boolean;
}

/**
 * Groups the segments of a quote or a booking into legs, outbound and inbound, with the layovers between flights.
 *
 * Consecutive segments of one `trip_indicator` are one leg. No time zone is invented: the minutes of a leg come from
 * the durations of the airline.
 *
 * @param trip - A fare quote result or a booking result: anything with `segments`; or all those of one trip, in their
 *   order. No leg goes on from one of them to the next.
 * @throws {@link ConfigurationError} if `trip` is not an object.
 *
 * @example
 * ```ts
 * import { itinerary } from "serviceapi/flights";
 *
 * for (const leg of itinerary(offer).legs) {
 *   console.log(leg.direction, leg.origin, leg.departure, "→", leg.destination, leg.arrival);
 *   console.log(`${leg.layovers.length} layovers`);
 * }
 * ```
 */
export function itinerary(trip: Flown | readonly Flown[]): Itinerary {
  const parts = oneOrAll("itinerary", "trip", trip, "a fare quote result or a booking result");
  return { legs: parts.flatMap(({ segments }) => directionsOf(segments).map(toLeg)) };
}

/** Anything with flights. */
interface Flown {
  readonly segments: readonly Segment[];
}

/** The flights of each direction. */
export function directionsOf(segments: readonly Segment[]) {
  const groups: [Segment, ...Segment[]][] = [];
  for (const segment of normalizeSegments(segments)) {
    const open = groups.at(-1);
    // `Outbound` and `outbound` are one direction.
    if (open !== undefined && codeOf(open[0].trip_indicator) === codeOf(segment.trip_indicator)) open.push(segment);
    else groups.push([segment]);
  }
  return groups;
}

function toLeg(segments: readonly [Segment, ...Segment[]]): Leg {
  const [first, ...others] = segments;
  const last = segments.at(-1) ?? first;
  const layovers = others.map((next, i) => toLayover(segments[i] ?? first, next));
  const parts = [
    ...segments.map(({ duration }) => durationMinutes(duration)),
    ...layovers.map(({ minutes }) => minutes),
  ];
  const [departure, arrival] = [first.origin.departure_time, last.destination.arrival_time];
  return {
    direction: first.trip_indicator,
    origin: first.origin.airport_code,
    destination: last.destination.airport_code,
    departure: timeOrNull(departure),
    arrival: timeOrNull(arrival),
    arrivalDayOffset: daysBetween(departure, arrival),
    minutes: parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0),
    layovers,
    segments,
  };
}

function toLayover({ destination: before }: Segment, { origin: after }: Segment): Layover {
  const isSamePlace = codeOf(after.airport_code) === codeOf(before.airport_code);
  return {
    airport: before.airport_code,
    changeTo: isSamePlace ? null : after.airport_code,
    minutes: isSamePlace ? minutesBetween(before.arrival_time, after.departure_time) : null,
    overnight: (daysBetween(before.arrival_time, after.departure_time) ?? 0) > 0,
  };
}

/** Midnights between two wall-clock times, each in local time. */
function daysBetween(from: string, to: string): number | null {
  const minutes = minutesBetween(dayOf(from), dayOf(to));
  return minutes === null ? null : minutes / 1440;
}

/**
 * Yields the runs of flights from one place to another within a direction, each as short as possible: a longer one may go
 * there and back.
 *
 * @param codesOf - The codes by which a place is known, in capitals.
 */
export function* runsBetween(
  directions: readonly (readonly Segment[])[],
  [from, to]: readonly (string | undefined)[],
  codesOf: (place: SegmentPlace) => readonly (string | undefined)[],
): Generator<readonly Segment[]> {
  for (const segments of directions) {
    let first: number | undefined;
    for (const [last, { origin, destination }] of segments.entries()) {
      if (codesOf(origin).includes(from)) first = last;
      if (first === undefined || !codesOf(destination).includes(to)) continue;
      yield segments.slice(first, last + 1);
      first = undefined;
    }
  }
}
