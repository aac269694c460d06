import { elementsOf, field, isInteger, isList, isObject, stringOf, trimmedScalar } from "../../shared/json.ts";
import { escapeLoneBrackets } from "../../shared/markup.ts";
import { requireObject } from "../../shared/options.ts";
import { boolean, type Schema } from "../../shared/schema.ts";
import { needFlags, segmentSchema } from "../schemas.ts";
import type { FareBreakdownEntry, FareQuoteResult, Segment } from "../types/index.ts";

/** False if the offer does not have the flag, undefined if the flag cannot be read. */
type NeedFlags = Readonly<Record<(typeof needFlags)[number], boolean | undefined>>;

/** A quote result whose segments are a list of complete ones, without what is still as received. */
export type NormalizedOffer = Omit<FareQuoteResult, "fare" | "fare_breakdown" | "mini_fare_rules" | keyof NeedFlags> &
  NeedFlags & {
    /** Number of passengers by type; empty if the quote has none, null if it cannot be read. */
    readonly quotedCounts: Readonly<Record<string, number>> | null;
  };

/** A row of `fare_breakdown`; its base fare is still as received. */
type NormalizedEntry = Omit<FareBreakdownEntry, "basefare"> & { readonly basefare: unknown };

/**
 * Normalizes an offer. A quote that has drifted reaches the caller unchanged (docs/assumptions.md, A4): a list may be
 * null, a segment may lack its origin. The code that reads a quote reads it through this file, so that a missing field
 * counts as "not known" and does not break a checkout.
 */
export function normalizeOffer(offer: FareQuoteResult): NormalizedOffer {
  const needs = needFlags.map((name) => [name, readFlag(field(offer, name) ?? false)]);
  const { fare_breakdown } = offer;
  const rows = normalizeBreakdown(fare_breakdown);
  return {
    ...offer,
    ...(Object.fromEntries(needs) as NeedFlags),
    segments: normalizeSegments(offer.segments),
    quotedCounts: isList(fare_breakdown) && rows.length === fare_breakdown.length ? countByType(rows) : null,
  };
}

/** Reads an argument that is one offer, or all those of one trip. */
export function oneOrAll<T>(owner: string, name: string, given: T | readonly T[], what: string): readonly T[] {
  const all = (Array.isArray(given) && given.length > 0 ? given : [given]) as readonly T[];
  for (const one of all) requireObject(owner, name, one, what);
  return all;
}

/** Segments that have both ends, with empty strings for missing fields: an empty time reads as "not known". */
export function normalizeSegments(segments: unknown): readonly Segment[] {
  return elementsOf(segments).map((segment) => normalize(segment, segmentSchema) as Segment);
}

/** Returns a value of the documented type: an object with the documented fields and its other ones, a flag or a string. */
function normalize(value: unknown, schema: Schema<unknown>): unknown {
  if (schema === boolean) return readFlag(value) === true;
  if (schema.fields === undefined) return textOf(value) || (value !== "" && schema.passes(null) ? null : "");
  const read = Object.entries(schema.fields).map(([name, inner]) => [name, normalize(field(value, name), inner)]);
  return { ...(isObject(value) && value), ...Object.fromEntries(read) };
}

/** Returns a string unchanged, or a number as a string; an empty string for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : trimmedScalar(value);
}

/** All rows or none: without the row that cannot be read, the others no longer say who was quoted. */
export function normalizeBreakdown(entries: unknown): readonly NormalizedEntry[] {
  const read: NormalizedEntry[] = [];
  for (const entry of elementsOf(entries)) {
    const passenger_type = field(entry, "passenger_type");
    // As a string, too: the numbers of other operations have been seen to come as one.
    const passenger_count = Number(trimmedScalar(field(entry, "passenger_count")) || Number.NaN);
    if (typeof passenger_type !== "string" || !isInteger(passenger_count) || passenger_count < 0) return [];
    const currency = textOf(field(entry, "currency"));
    read.push({ currency, passenger_type, passenger_count, basefare: field(entry, "basefare") });
  }
  return read;
}

/** Counts passengers, or the rows of a breakdown, by type in lower case: `Adult` and `adult` are one. */
export function countByType(
  rows: Iterable<{ readonly passenger_type: string; readonly passenger_count?: number }>,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { passenger_type, passenger_count = 1 } of rows) {
    const key = passenger_type.trim().toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + passenger_count);
  }
  return Object.fromEntries(counts);
}

/** Returns a code or a word in one spelling: `25a ` and `25A` are one. */
export function codeOf(value: unknown): string {
  return trimmedScalar(value).toUpperCase();
}

/** `Confirmed` in any case. */
export function isConfirmed(status: string): boolean {
  return codeOf(status) === "CONFIRMED";
}

const entities: Record<string, string> = { nbsp: " ", amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** Returns the airline's guidance without HTML. It is shown as text, so it needs no parser to be safe. */
export function plainGuidance(html: unknown): string | undefined {
  const lines = escapeLoneBrackets(stringOf(html))
    .replaceAll(/<br\b[^<>]{0,1000}>/gi, "\n")
    .replaceAll(/<[a-z/][^<>]{0,1000}>/gi, " ")
    .replaceAll(/&(nbsp|amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? " ")
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "");
  return lines.length > 0 ? lines.join("\n") : undefined;
}

/**
 * Returns a flag as a boolean, also one that comes as a string or a number; undefined if it is neither true nor false.
 */
export function readFlag(value: unknown): boolean | undefined {
  const word = typeof value === "boolean" ? String(value) : trimmedScalar(value);
  if (/^(true|1|y|yes)$/i.test(word)) return true;
  return /^(false|0|n|no)$/i.test(word) ? false : undefined;
}
