import { elementsOf, field, isObject, trimmedScalar } from "../../shared/json.ts";
import type { FareBreakdownEntry, FareQuoteResult, Segment, SegmentPlace } from "../types/index.ts";

/** The flags of an offer that say what it wants (§2.4). */
export const needFlags = [
  "passport_required_at_book",
  "passport_required_at_ticket",
  "pan_required_at_book",
  "pan_required_at_ticket",
  "gst_mandatory",
  "hold_mandatory_with_ssr",
] as const satisfies readonly (keyof FareQuoteResult)[];

/** False if the offer does not have the flag, undefined if the flag cannot be read. */
type NeedFlags = Readonly<Record<(typeof needFlags)[number], boolean | undefined>>;

/**
 * A quote result whose lists are lists and whose segments are complete; its amounts and rules are still as received.
 */
export type NormalizedOffer = Omit<FareQuoteResult, "fare" | "fare_breakdown" | "mini_fare_rules" | keyof NeedFlags> &
  NeedFlags & {
    readonly fare_breakdown: readonly NormalizedEntry[];
    readonly mini_fare_rules: readonly unknown[];
  };

/** A row of `fare_breakdown`; its base fare is still as received. */
export type NormalizedEntry = Omit<FareBreakdownEntry, "basefare"> & { readonly basefare: unknown };

/**
 * Normalizes an offer. A quote that has drifted reaches the caller unchanged (docs/assumptions.md, A4): a list may be
 * null, a segment may lack its origin. The code that reads a quote reads it through this file, so that a missing field
 * counts as "not known" and does not break a checkout.
 */
export function normalizeOffer(offer: FareQuoteResult): NormalizedOffer {
  return {
    ...offer,
    ...needsOf(offer),
    segments: normalizeSegments(offer.segments),
    fare_breakdown: normalizeBreakdown(offer.fare_breakdown),
    mini_fare_rules: elementsOf(offer.mini_fare_rules),
  };
}

function needsOf(offer: FareQuoteResult): NeedFlags {
  const entries = needFlags.map((name) => [name, readFlag(field(offer, name) ?? false)]);
  return Object.fromEntries(entries);
}

/** Segments that have both ends, with empty strings for missing fields: an empty time reads as "not known". */
export function normalizeSegments(segments: unknown): readonly Segment[] {
  return elementsOf(segments).map(normalizeSegment);
}

/** The documented fields; others stay unchanged. */
function normalizeSegment(segment: unknown): Segment {
  const [origin, destination] = [field(segment, "origin"), field(segment, "destination")];
  return {
    ...fieldsOf(segment),
    trip_indicator: text(segment, "trip_indicator"),
    segment_indicator: text(segment, "segment_indicator"),
    flight_number: text(segment, "flight_number"),
    airline_code: text(segment, "airline_code"),
    airline_name: text(segment, "airline_name"),
    fare_class: text(segment, "fare_class"),
    operating_carrier: text(segment, "operating_carrier"),
    origin: { ...normalizePlace(origin), departure_time: text(origin, "departure_time") },
    destination: { ...normalizePlace(destination), arrival_time: text(destination, "arrival_time") },
    duration: text(segment, "duration"),
    baggage: normalizeBaggage(field(segment, "baggage")),
    flight_class: text(segment, "flight_class") || null,
    is_stopover: readFlag(field(segment, "is_stopover")) === true,
    "e-ticket_available": readFlag(field(segment, "e-ticket_available")) === true,
    flight_status: text(segment, "flight_status"),
  };
}

function normalizePlace(place: unknown): SegmentPlace {
  return {
    ...fieldsOf(place),
    airport_code: text(place, "airport_code"),
    airport_name: text(place, "airport_name"),
    terminal: text(place, "terminal"),
    city_code: text(place, "city_code"),
    city_name: text(place, "city_name"),
    country_code: text(place, "country_code"),
    country_name: text(place, "country_name"),
  };
}

function normalizeBaggage(baggage: unknown): Segment["baggage"] {
  return {
    ...fieldsOf(baggage),
    checked_baggage: text(baggage, "checked_baggage"),
    cabin_baggage: text(baggage, "cabin_baggage"),
  };
}

function fieldsOf(value: unknown): object {
  return isObject(value) ? value : {};
}

/** Returns a string unchanged, or a number as a string; an empty string for anything else. */
function text(holder: unknown, name: string): string {
  const value = field(holder, name);
  return typeof value === "string" ? value : trimmedScalar(value);
}

/** All rows or none: without the row that cannot be read, the others no longer say who was quoted. */
export function normalizeBreakdown(entries: unknown): readonly NormalizedEntry[] {
  const read = elementsOf(entries).map(normalizeEntry);
  return read.every((entry) => entry !== undefined) ? read : [];
}

/** A count may come as a string, as the numbers of other operations have been seen to. */
function normalizeEntry(entry: unknown): NormalizedEntry | undefined {
  const type = field(entry, "passenger_type");
  const count = Number(trimmedScalar(field(entry, "passenger_count")) || Number.NaN);
  if (typeof type !== "string" || !Number.isInteger(count) || count < 0) return undefined;
  return {
    currency: text(entry, "currency"),
    passenger_type: type,
    passenger_count: count,
    basefare: field(entry, "basefare"),
  };
}

/** Counts passengers by type in lower case: `Adult` and `adult` are one. */
export function countByType(
  rows: readonly (readonly [type: string, count: number])[],
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const [type, count] of rows) {
    const key = type.trim().toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return Object.fromEntries(counts);
}

/**
 * Returns a flag as a boolean, also one that comes as a string or a number; undefined if it is neither true nor false.
 */
export function readFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : flags.get(trimmedScalar(value).toLowerCase());
}

const flags = new Map([
  ["true", true],
  ["1", true],
  ["y", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["n", false],
  ["no", false],
]);
