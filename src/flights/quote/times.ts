import {
  type CalendarDateTime,
  fromAbsolute,
  parseDateTime,
  toCalendarDateTime,
  toZoned,
} from "@internationalized/date";
import { ConfigurationError } from "../../errors/request.ts";
import type { Rule } from "../../shared/options.ts";

/** `YYYY-MM-DD HH:mm:ss`, or `YYYY-MM-DD` alone: what a clock on the wall shows. The compiler checks the shape of the date only. */
export type WallClockTime = `${number}-${number}-${number}${string}`;

/**
 * The times of this service are what a clock on the wall shows, `YYYY-MM-DD HH:mm:ss` (§1): at the airport for segments, at an
 * unnamed place for ticket deadlines. No time zone is ever invented for one (docs/assumptions.md, F4). Fractions of a second
 * are read and dropped.
 */
const form = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)?$/;

/**
 * Reads a time of the service, or null where it says "not applicable": `0001-01-01 00:00:00`, any time of the year 0 or 1,
 * an empty text, or something that is no time (docs/assumptions.md, F3).
 *
 * @param text - A time as it came, `YYYY-MM-DD HH:mm:ss`.
 * @returns The same text in one spelling, or null.
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
  return writeWallClock(parseWallClock(text));
}

/**
 * What a clock on the wall shows in a time zone at an instant.
 *
 * @param instant - A `Date`, or milliseconds since 1970.
 * @param zone - A time zone of the IANA list, such as `Asia/Kolkata`.
 * @returns `YYYY-MM-DD HH:mm:ss`.
 * @throws {@link ConfigurationError} for a zone that the runtime does not know, or an invalid `Date`.
 */
export function wallClockIn(instant: Date | number, zone: string): WallClockTime {
  requireTimeZone("wallClockIn", zone);
  const isTime = instant instanceof Date || typeof instant === "number";
  const milliseconds = isTime ? Number(instant) : Number.NaN;
  if (Number.isNaN(new Date(milliseconds).getTime())) {
    throw new ConfigurationError("wallClockIn: `instant` must be a valid Date, or milliseconds since 1970.");
  }
  return write(toCalendarDateTime(fromAbsolute(milliseconds, zone)));
}

/**
 * The instant at which clocks in a time zone show a time.
 *
 * @param text - `YYYY-MM-DD HH:mm:ss`.
 * @param zone - A time zone of the IANA list, such as `Asia/Kolkata`.
 * @returns Milliseconds since 1970, or null where `text` is no time. An hour that a zone skips counts as the one after it.
 * @throws {@link ConfigurationError} for a zone that the runtime does not know.
 */
export function instantOf(text: unknown, zone: string): number | null {
  requireTimeZone("instantOf", zone);
  const time = parseWallClock(text);
  return time === null ? null : toZoned(time, zone).toDate().getTime();
}

/** A time zone that the runtime knows. */
export const timeZone: Rule = (value) =>
  typeof value === "string" && isTimeZone(value)
    ? undefined
    : "must be a time zone that the runtime knows, such as Asia/Kolkata";

/** Refuses a time zone that the runtime does not know. */
export function requireTimeZone(owner: string, zone: unknown): void {
  const complaint = timeZone(zone, "zone");
  if (complaint !== undefined) throw new ConfigurationError(`${owner}: \`zone\` ${complaint}.`);
}

/** The zones that were found good: to ask the runtime costs a tenth of a millisecond. */
const known = new Set(["UTC"]);

function isTimeZone(zone: string): boolean {
  if (known.has(zone)) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    return false;
  }
  // A zone may be written in any case, so that the spellings of callers have no end.
  if (known.size < 1000) known.add(zone);
  return true;
}

/** A wall-clock time as a value to compare and subtract; null where it is absent or none. */
export function parseWallClock(text: unknown): CalendarDateTime | null {
  const parts = typeof text === "string" ? form.exec(text.trim()) : null;
  if (parts === null || Number(parts[1]) <= 1 || parts[3] === "00") return null;
  try {
    return parseDateTime(
      `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4] ?? "00"}:${parts[5] ?? "00"}:${parts[6] ?? "00"}`,
    );
  } catch {
    return null;
  }
}

/** Minutes from one wall-clock time to another, both on the same wall. Negative when `to` is the earlier. */
export function minutesBetween(from: CalendarDateTime, to: CalendarDateTime): number {
  return (toZoned(to, "UTC").toDate().getTime() - toZoned(from, "UTC").toDate().getTime()) / 60_000;
}

/** Hours before minutes, each at most once: `2h 15m`, `02:15`, `2 hrs 15 mins`, `135`, `1d 2h`. */
const durations = [
  /^(?:(?<d>\d+)\s*d(?:ays?)?)?[\s,]*(?:(?<h>\d+)\s*h(?:(?:ou)?rs?)?\.?)?[\s,]*(?:(?<m>\d+)\s*m(?:in(?:ute)?s?)?\.?)?$/i,
  /^(?<h>\d{1,3}):(?<m>[0-5]\d)(?::[0-5]\d)?$/,
  /^(?<m>\d{1,5})$/,
];

/**
 * Reads the text of a segment's `duration` (§2.5).
 *
 * @param text - Such as `2h 15m`, `02:15`, `2 hrs 15 mins`, or minutes alone.
 * @returns Minutes, or null where it says nothing that can be read.
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

function writeWallClock(time: CalendarDateTime | null): WallClockTime | null {
  return time === null ? null : write(time);
}

function write(time: CalendarDateTime): WallClockTime {
  return time.set({ millisecond: 0 }).toString().replace("T", " ") as WallClockTime;
}
