import { ignoreRejection } from "../../shared/promises.ts";
import { instantOf, parseWallClock, requireTimeZone } from "../quote/times.ts";
import type { SegmentOrigin } from "../types/index.ts";
import type { FeeQuery } from "./query.ts";

/** Bounds of the time before a departure, in milliseconds. Both are equal if the departure is known exactly. */
export interface Distance {
  readonly least: number;
  readonly most: number;
}

const hour = 3_600_000;

/**
 * Returns the time between the query's moment and the departure of a journey; null if either is not known.
 *
 * @param home - Origin of the first journey, whose clock the query's time is read on.
 */
export function distanceTo(origin: SegmentOrigin, home: SegmentOrigin, { at, zone }: FeeQuery): Distance | null {
  if (typeof at === "string") {
    const [moment, departure] = [utcOf(at), utcOf(origin.departure_time)];
    if (moment === null || departure === null) return null;
    // Two clocks of the world are at most 26 hours apart.
    const apart = sharesClock(origin, home) ? 0 : 26 * hour;
    return { least: departure - moment - apart, most: departure - moment + apart };
  }
  const moment = at.getTime();
  if (Number.isNaN(moment)) return null;
  if (typeof zone === "function") {
    const place = zone(origin.airport_code);
    if (place === undefined || place === null) return null;
    ignoreRejection(place);
    requireTimeZone(`fees, for the airport ${origin.airport_code}`, place);
    return exactly(instantOf(origin.departure_time, place), moment);
  }
  if (zone === undefined) return null;
  // Between instants, a night on which the clocks change has its real length.
  if (sharesClock(origin, home)) return exactly(instantOf(origin.departure_time, zone), moment);
  const departure = utcOf(origin.departure_time);
  // From fourteen hours ahead of UTC to twelve behind it.
  return departure === null ? null : { least: departure - moment - 14 * hour, most: departure - moment + 12 * hour };
}

function exactly(departure: number | null, moment: number): Distance | null {
  return departure === null ? null : { least: departure - moment, most: departure - moment };
}

/** A wall-clock time as a number to subtract. */
function utcOf(text: unknown): number | null {
  return parseWallClock(text) === null ? null : instantOf(text, "UTC");
}

/** Countries in which the clocks of two airports may differ. */
const severalZones = new Set("AQ AU BR CA CD CL CY EC ES FM GL ID KI KZ MN MX MY NZ PF PG PT RU UA UM US".split(" "));

/** Returns true for the same airport or city, or a country with one time zone. */
function sharesClock(a: SegmentOrigin, b: SegmentOrigin): boolean {
  const same = (x: string, y: string) => code(x) !== "" && code(x) === code(y);
  if (same(a.airport_code, b.airport_code) || same(a.city_code, b.city_code)) return true;
  return same(a.country_code, b.country_code) && !severalZones.has(code(a.country_code));
}

function code(text: string): string {
  return text.trim().toUpperCase();
}
