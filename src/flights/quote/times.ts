import { ConfigurationError } from "../../errors/request.ts";
import type { Rule } from "../../shared/options.ts";

/** A wall-clock time, `YYYY-MM-DD HH:mm:ss` or `YYYY-MM-DD`. The compiler checks the shape of the date only. */
export type WallClockTime = `${number}-${number}-${number}${string}`;

/**
 * The times of this service are wall-clock times, `YYYY-MM-DD HH:mm:ss` (§1): at the airport for segments, at an
 * unnamed place for ticket deadlines (docs/assumptions.md, F4). Fractions of a second are dropped.
 */
const form = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)?$/;

/**
 * Reads a time of the service; null if it does not apply (`0001-01-01 00:00:00`, any time of the year 0 or 1, an empty
 * string) or is invalid (docs/assumptions.md, F3).
 *
 * @param text - A time of a response, `YYYY-MM-DD HH:mm:ss`.
 * @returns The time as `YYYY-MM-DD HH:mm:ss`, or null.
 *
 * @example
 * ```ts
 * import { timeOrNull } from "serviceapi/flights";
 *
 * timeOrNull("2026-11-23 23:59:00"); // "2026-11-23 23:59:00"
 * timeOrNull("0001-01-01 00:00:00"); // null
 * ```
 */
export function timeOrNull(text: unknown): WallClockTime | null {
  const wall = parseWallClock(text);
  return wall === null ? null : write(wall);
}

/**
 * Returns the wall-clock time in a time zone at an instant.
 *
 * @param instant - A `Date`, or milliseconds since 1970.
 * @param zone - IANA time zone, such as `Asia/Kolkata`.
 * @returns `YYYY-MM-DD HH:mm:ss`.
 * @throws {@link ConfigurationError} for a zone that the runtime does not know, or an invalid `Date`.
 */
export function wallClockIn(instant: Date | number, zone: string): WallClockTime {
  requireTimeZone("wallClockIn", zone);
  const wall = timeOf(instant) + offsetAt(timeOf(instant), zone);
  if (Number.isNaN(new Date(wall).getTime())) {
    throw new ConfigurationError("wallClockIn: `instant` must be a valid Date, or milliseconds since 1970.");
  }
  return write(wall);
}

/**
 * Returns the instant of a wall-clock time in a time zone.
 *
 * @param text - `YYYY-MM-DD HH:mm:ss`.
 * @param zone - IANA time zone, such as `Asia/Kolkata`.
 * @returns Milliseconds since 1970, or null if `text` is not a time. An hour that a zone skips counts as the one after
 *   it, and a doubled one as its first.
 * @throws {@link ConfigurationError} for a zone that the runtime does not know.
 */
export function instantOf(text: unknown, zone: string): number | null {
  requireTimeZone("instantOf", zone);
  const wall = parseWallClock(text);
  if (wall === null) return null;
  // The clocks change at most once in two days.
  const before = wall - offsetAt(wall - 86_400_000, zone);
  const after = wall - offsetAt(wall + 86_400_000, zone);
  const isOnWall = (instant: number) => instant + offsetAt(instant, zone) === wall;
  return isOnWall(before) || !isOnWall(after) ? before : after;
}

/** A time zone that the runtime knows. */
export const timeZone: Rule = (zone) =>
  typeof zone === "string" && formatOf(zone) !== undefined
    ? undefined
    : "must be a time zone that the runtime knows, such as Asia/Kolkata";

export function requireTimeZone(owner: string, zone: unknown): void {
  const complaint = timeZone(zone, "zone");
  if (complaint !== undefined) throw new ConfigurationError(`${owner}: \`zone\` ${complaint}.`);
}

/** The format of the offset of each zone, which costs a tenth of a millisecond to make. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
    // A zone may be written in any case, so the number of spellings is not bounded.
    if (formats.size < 1000) formats.set(zone, format);
    return format;
  } catch {
    return undefined;
  }
}

/** Milliseconds by which the clocks of a zone are ahead of UTC at an instant: those of `GMT+05:30`; 0 for `GMT`. */
function offsetAt(instant: number, zone: string): number {
  if (Number.isNaN(new Date(instant).getTime())) return 0;
  const text = formatOf(zone)?.format(instant) ?? "";
  const [, sign, hours, minutes, seconds] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? [];
  const offset = Number(hours ?? 0) * 3_600_000 + Number(minutes ?? 0) * 60_000 + Number(seconds ?? 0) * 1000;
  return sign === "-" ? -offset : offset;
}

/** Parses a wall-clock time, as the milliseconds since 1970 on that wall; null if it is absent or invalid. */
export function parseWallClock(text: unknown): number | null {
  const [, year, month, day, hour = "00", minute = "00", second = "00"] =
    (typeof text === "string" && form.exec(text.trim())) || [];
  if (year === undefined || Number(year) <= 1) return null;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const wall = Date.parse(iso);
  // A day or an hour that does not exist may become the next one.
  return Number.isNaN(wall) || new Date(wall).toISOString() !== iso ? null : wall;
}

/** Returns the day of a time, `YYYY-MM-DD`, which sorts as a string; an empty string if it is absent or invalid. */
export function dayOf(text: unknown): string {
  return timeOrNull(text)?.slice(0, 10) ?? "";
}

/** Returns whether a string is a time with its offset, as `2027-02-10T06:15Z`. */
export function isInstant(text: string): boolean {
  return /\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(text.trim());
}

/** Returns the whole minutes from one wall-clock time to another of the same place; null if either is not known. */
export function minutesBetween(from: string, to: string): number | null {
  const [start, end] = [parseWallClock(from), parseWallClock(to)];
  return start === null || end === null ? null : Math.floor(end / 60_000) - Math.floor(start / 60_000);
}

/** Hours before minutes, each at most once: `2h 15m`, `02:15`, `2 hrs 15 mins`, `135`, `1d 2h`. */
const durations = [
  /^(?:(?<d>\d+)\s*d(?:ays?)?)?[\s,]*(?:(?<h>\d+)\s*h(?:(?:ou)?rs?)?\.?)?[\s,]*(?:(?<m>\d+)\s*m(?:in(?:ute)?s?)?\.?)?$/i,
  /^(?<h>\d{1,3}):(?<m>[0-5]\d)(?::[0-5]\d)?$/,
  /^(?<m>\d{1,5})$/,
];

/**
 * Parses a segment's `duration` (§2.5). The service counts in minutes, so this does too.
 *
 * @param text - Such as `2h 15m`, `02:15`, `2 hrs 15 mins`, or minutes alone.
 * @returns Minutes, or null if `text` is not a duration.
 *
 * @example
 * ```ts
 * import { durationMinutes } from "serviceapi/flights";
 *
 * durationMinutes("7h 09m"); // 429
 * ```
 */
export function durationMinutes(text: unknown): number | null {
  if (typeof text !== "string" || text.trim() === "" || text.length > 40) return null;
  for (const pattern of durations) {
    const found = pattern.exec(text.trim())?.groups;
    if (found && Object.values(found).some((part) => part !== undefined)) {
      return Number(found.d ?? 0) * 1440 + Number(found.h ?? 0) * 60 + Number(found.m ?? 0);
    }
  }
  return null;
}

/** The milliseconds since 1970; `NaN` for anything but a time. */
function timeOf(instant: unknown): number {
  return instant instanceof Date || typeof instant === "number" ? Number(instant) : Number.NaN;
}

function write(wall: number): WallClockTime {
  return new Date(wall).toISOString().slice(0, -".000Z".length).replace("T", " ") as WallClockTime;
}

/** The time by which a ticket must be issued (§3.4). */
export class TicketDeadline {
  /** Wall-clock time of the service, `YYYY-MM-DD HH:mm:ss`. */
  readonly text: string;
  /** Time zone of `text`. The document names none. */
  readonly zone: string;
  /** The deadline in milliseconds since 1970. */
  readonly instant: number;

  /** @internal Use {@link ticketDeadline}. */
  constructor(text: string, zone: string, instant: number) {
    this.text = text;
    this.zone = zone;
    this.instant = instant;
  }

  /**
   * Returns the time left until the deadline.
   *
   * @param now - A `Date`, or milliseconds since 1970. @default the present
   * @throws {@link ConfigurationError} if `now` is neither.
   */
  remaining(now: Date | number = Date.now()): RemainingTime {
    const duration = this.instant - timeOf(now);
    if (!Number.isFinite(duration)) {
      throw new ConfigurationError("remaining: `now` must be a valid Date, or milliseconds since 1970.");
    }
    return { duration, passed: duration <= 0, text: inWords(duration) };
  }
}

/** Time left until a {@link TicketDeadline}. */
export interface RemainingTime {
  /** Milliseconds; negative after the deadline. */
  readonly duration: number;
  /** Whether the deadline has passed. */
  readonly passed: boolean;
  /** The time for a person, such as `1 d 4 h`, `35 min` or `over`. */
  readonly text: string;
}

/**
 * Reads `last_ticket_date` of a quote or a booking.
 *
 * @param result - A fare quote result or a booking result.
 * @param zone - Time zone of `last_ticket_date`. @default "Asia/Kolkata" (docs/assumptions.md, F4)
 * @returns The deadline, or null if it does not apply (`0001-01-01 00:00:00`).
 * @throws {@link ConfigurationError} for a zone that the runtime does not know, or a `result` that is not an object.
 *
 * @example
 * ```ts
 * import { ticketDeadline } from "serviceapi/flights";
 *
 * const { body } = await trip.book({ passengers });
 * console.log(ticketDeadline(body.data.result)?.remaining().text ?? "no deadline");
 * ```
 */
export function ticketDeadline(
  result: { readonly last_ticket_date?: unknown },
  zone = "Asia/Kolkata",
): TicketDeadline | null {
  if (typeof result !== "object" || result === null) {
    throw new ConfigurationError("ticketDeadline: `result` must be a fare quote result or a booking result.");
  }
  requireTimeZone("ticketDeadline", zone);
  const text = timeOrNull(result.last_ticket_date);
  const instant = instantOf(text, zone);
  return text === null || instant === null ? null : new TicketDeadline(text, zone, instant);
}

function inWords(duration: number): string {
  const minutes = Math.floor(duration / 60_000);
  if (duration <= 0) return "over";
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
