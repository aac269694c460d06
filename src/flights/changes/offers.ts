import { elementsOf, field, trimmedScalar } from "../../shared/json.ts";
import { normalizeSegments, readFlag } from "../quote/normalize.ts";
import type { FareQuoteResult } from "../types/index.ts";
import { comparable, compareRefundable, compareTerms, inWords, type TermChange, text } from "./terms.ts";

/**
 * Compares a fresh quote of the same flights with the one that was shown: the terms of each flight, then those of the
 * whole offer.
 */
export function compareOffers(shown: FareQuoteResult, fresh: FareQuoteResult): TermChange[] {
  return [
    ...compareTerms(normalizeSegments(shown.segments), normalizeSegments(fresh.segments)),
    ...compareRefunds(readFlag(shown.refundable), readFlag(fresh.refundable)),
    ...ofOffer.flatMap(([kind, read]) => compareTerm(kind, read(shown), read(fresh))),
    ...compareCharges(rowsOf(shown), rowsOf(fresh)),
  ];
}

/**
 * Suppliers omit fields at random, so a field that only one of two quotes has is not a change. A lost promise of a
 * refund is one.
 */
function compareRefunds(before: boolean | undefined, after: boolean | undefined): TermChange[] {
  if (before === undefined || after !== undefined) return compareRefundable(before, after);
  return [{ kind: "refundable", before: inWords(before), after: "" }];
}

const ofOffer: readonly (readonly [TermChange["kind"], (offer: FareQuoteResult) => string])[] = [
  ["fareType", ({ fare_type }) => text(fare_type)],
  ["meal", ({ free_meal }) => words(free_meal, "included", "not included")],
  ["airline", ({ airline_code }) => text(airline_code)],
  ["validatingAirline", ({ validating_airline }) => text(validating_airline)],
  ["source", ({ source }) => text(source)],
  ["carrierType", ({ is_lcc }) => words(is_lcc, "low-cost", "full-service")],
];

function words(value: unknown, yes: string, no: string): string {
  const isSet = readFlag(value);
  return isSet === undefined ? "" : isSet ? yes : no;
}

function compareTerm(kind: TermChange["kind"], before: string, after: string): TermChange[] {
  const isSaid = before !== "" && after !== "";
  return isSaid && comparable(before) !== comparable(after) ? [{ kind, before, after }] : [];
}

/** A row of `mini_fare_rules`: how it reads, and what two spellings of it have in common. */
interface Row {
  readonly words: string;
  readonly key: string;
}

/** The rows that only one of the two has, whatever their order. */
function compareCharges(before: readonly Row[], after: readonly Row[]): TermChange[] {
  if (before.length === 0 || after.length === 0) return [];
  const change = { before: onlyIn(before, after), after: onlyIn(after, before) };
  return change.before === "" && change.after === "" ? [] : [{ kind: "charges", ...change }];
}

function onlyIn(rows: readonly Row[], others: readonly Row[]): string {
  const known = new Set(others.map(({ key }) => key));
  return rows
    .filter(({ key }) => !known.has(key))
    .map(({ words }) => words)
    .join("; ");
}

const columns = ["journey_points", "type", "from", "to", "unit", "charges"] as const;

/** The rows, which have been seen nested: `DEL-BOM Cancellation 0 24 HOURS INR 3500`. */
function rowsOf({ mini_fare_rules }: FareQuoteResult): Row[] {
  return elementsOf(mini_fare_rules)
    .flat(2)
    .map((row) => {
      const cells = columns.map((column) => trimmedScalar(field(row, column)));
      return { words: cells.filter((text) => text !== "").join(" "), key: JSON.stringify(cells.map(spell)) };
    });
}

/** `INR 3,500.00` and `inr 3500` are one charge, `IDR 350.000` and `IDR 350` are not. */
function spell(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s,]/g, "")
    .replace(/\.00?$/, "");
}
