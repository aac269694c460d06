import { ConfigurationError } from "../../errors/request.ts";
import { elementsOf, isObject } from "../../shared/json.ts";
import type { FareBreakdownEntry, FareQuoteResult, QuotedFare, Segment, SegmentPlace } from "../types/index.ts";
import { type Money, readMoney } from "./money.ts";

/**
 * A quote that has drifted is handed to the caller as it came (docs/assumptions.md, A4): a list may be null, a segment may lack its origin.
 * What reads a quote reads it through these, so that a checkout says "not known" where a field is gone instead of breaking.
 */
export function soundOffer(offer: FareQuoteResult): SoundOffer {
  return {
    ...offer,
    segments: soundSegments(offer.segments),
    fare: soundFare(offer.fare),
    fare_breakdown: soundBreakdown(offer.fare_breakdown),
    mini_fare_rules: elementsOf(offer.mini_fare_rules),
  };
}

/** A fare whose amounts are still what came. */
export function soundFare(fare: unknown): Partial<QuotedFare> {
  return objectOr<QuotedFare>(fare, {});
}

/** What an offer costs; null where its price cannot be read. */
export function priceOf(offer: FareQuoteResult): Money | null {
  const { total_fare, currency } = soundFare(offer.fare);
  return readMoney(total_fare, currency);
}

/** A quote result whose lists are lists; amounts and rules are still what came. */
export type SoundOffer = Omit<FareQuoteResult, "fare" | "mini_fare_rules"> & {
  readonly fare: Partial<QuotedFare>;
  readonly mini_fare_rules: readonly unknown[];
};

/** Segments that have both ends, with empty texts where something is missing: an empty time reads as "not known". */
export function soundSegments(segments: unknown): readonly Segment[] {
  return elementsOf(segments).map((value) => {
    const { origin, destination, baggage, flight_class = null } = objectOr<Segment>(value, {});
    return {
      ...repair(value, blankSegment),
      origin: repair(origin, { ...blankPlace, departure_time: "" }),
      destination: repair(destination, { ...blankPlace, arrival_time: "" }),
      baggage: repair(baggage, { checked_baggage: "", cabin_baggage: "" }),
      flight_class,
    };
  });
}

/** An object with every field of `blank`: a number is read as text, and a value of any other kind is as good as missing. */
function repair<T extends object>(value: unknown, blank: T): T {
  const given = objectOr<T>(value, {});
  const wrong = Object.entries(blank).filter(([key, empty]) => typeof Reflect.get(given, key) !== typeof empty);
  const repaired = wrong.map(([key, empty]) => {
    const field: unknown = Reflect.get(given, key);
    return [key, typeof empty === "string" && typeof field === "number" ? String(field) : empty];
  });
  return { ...blank, ...given, ...Object.fromEntries(repaired) };
}

const blankPlace: SegmentPlace = {
  airport_code: "",
  airport_name: "",
  terminal: "",
  city_code: "",
  city_name: "",
  country_code: "",
  country_name: "",
};

const blankSegment: Omit<Segment, "origin" | "destination" | "baggage" | "flight_class"> = {
  trip_indicator: "",
  segment_indicator: "",
  flight_number: "",
  airline_code: "",
  airline_name: "",
  fare_class: "",
  operating_carrier: "",
  duration: "",
  is_stopover: false,
  "e-ticket_available": false,
  flight_status: "",
};

/** All of it or nothing: with a row that cannot be read, the others no longer say who was quoted. */
export function soundBreakdown(entries: unknown): readonly FareBreakdownEntry[] {
  const read = elementsOf(entries).map(soundEntry);
  return read.every((entry) => entry !== undefined) ? read : [];
}

/** A count may come as text, as the numbers of other operations have been seen to. */
function soundEntry(value: unknown): FareBreakdownEntry | undefined {
  const {
    passenger_type,
    passenger_count,
    currency = "",
    basefare = Number.NaN,
  } = objectOr<FareBreakdownEntry>(value, {});
  const count = typeof passenger_count === "object" ? Number.NaN : Number(`${passenger_count}` || Number.NaN);
  if (typeof passenger_type !== "string" || !Number.isInteger(count) || count < 0) return undefined;
  return { currency, passenger_type, passenger_count: count, basefare };
}

/** How many of each type, written in lower case: `Adult` and `adult` are one. */
export function tallyTypes(
  rows: readonly (readonly [type: string, count: number])[],
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const [type, count] of rows) {
    const key = type.trim().toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return Object.fromEntries(counts);
}

/** Refuses an argument that is not an object, before a property of it is read. */
export function requireObject(owner: string, name: string, value: unknown, what: string): void {
  if (isObject(value)) return;
  throw new ConfigurationError(`${owner}: \`${name}\` must be ${what}.`);
}

function objectOr<T extends object>(value: unknown, otherwise: Partial<T>): Partial<T> {
  return isObject(value) ? (value as Partial<T>) : otherwise;
}
