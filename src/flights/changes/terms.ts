import { elementsOf, field, stringOf, trimmedScalar } from "../../shared/json.ts";
import { normalizeSegments, readFlag } from "../quote/normalize.ts";
import type { FareQuoteResult, Segment } from "../types/index.ts";

/** A condition of the fare that differs from the quote. */
export interface TermChange {
  /**
   * `baggage`: the allowance. `fareClass`: the booking class. `cabin`: the class of travel (`flight_class`).
   * `refundable`: whether the fare can be refunded.
   *
   * Only between two quotes, for the whole offer: `fareType`, `meal` (whether one is included), `airline`,
   * `validatingAirline`, `source` (the supplier), `carrierType` (low-cost or not), and `charges` (the rows of
   * `mini_fare_rules`).
   */
  readonly kind:
    | "baggage"
    | "fareClass"
    | "cabin"
    | "refundable"
    | "fareType"
    | "meal"
    | "airline"
    | "validatingAirline"
    | "source"
    | "carrierType"
    | "charges";
  /** Index of the flight in `segments`; absent for a term of the whole offer. */
  readonly index?: number;
  /** The quoted value; empty if the quote had none. */
  readonly before: string;
  /** The current value; empty if there is none. */
  readonly after: string;
}

/**
 * The terms of each flight. Those of a flight that was replaced by another are not compared: the flight itself differs.
 */
const ofFlight: readonly (readonly [TermChange["kind"], (segment: Segment) => unknown])[] = [
  ["baggage", ({ baggage }) => baggage.checked_baggage],
  ["baggage", ({ baggage }) => baggage.cabin_baggage],
  ["fareClass", ({ fare_class }) => fare_class],
  ["cabin", ({ flight_class }) => flight_class],
];

/** Compares the terms of flights that are the same, in their order. */
export function compareTerms(before: readonly Segment[], after: readonly Segment[]): TermChange[] {
  return before.flatMap((quoted, index) => {
    const other = after[index];
    if (other === undefined || identity(quoted) !== identity(other)) return [];
    return (
      ofFlight
        .map(([kind, read]) => ({ kind, index, before: text(read(quoted)), after: text(read(other)) }))
        .filter((one) => comparable(one.before) !== comparable(one.after))
        // Some suppliers leave the cabin out.
        .filter((one) => one.kind !== "cabin" || (one.before !== "" && one.after !== ""))
    );
  });
}

/** Compares whether the fare can be refunded. That it is no longer said is a change too. */
export function compareRefundable(before: boolean | undefined, after: boolean | undefined): TermChange[] {
  if (before === undefined || before === after) return [];
  const inWords = (flag: boolean | undefined) => words(flag, "refundable", "non-refundable");
  return [{ kind: "refundable", before: inWords(before), after: inWords(after) }];
}

/** Returns the identity of a flight, without its times: `AI 101` and `ai101` are one. */
export function identity({ airline_code, flight_number, origin, destination }: Segment): string {
  return [airline_code, flight_number, origin.airport_code, destination.airport_code]
    .map((part) => part.trim().toUpperCase())
    .join();
}

function text(value: unknown): string {
  return stringOf(value).trim();
}

/** `15 KG`, `15kg` and `15 Kgs` are one allowance. */
function comparable(term: string): string {
  return term
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}+]/gu, "")
    .replaceAll(/kgs|kilos?|kilograms?/g, "kg");
}

/**
 * Compares a fresh quote of the same flights with the one that was shown: the terms of each flight, then those of the
 * whole offer.
 */
export function compareOffers(shown: FareQuoteResult, fresh: FareQuoteResult): TermChange[] {
  return [
    ...compareTerms(normalizeSegments(shown.segments), normalizeSegments(fresh.segments)),
    ...compareRefundable(readFlag(shown.refundable), readFlag(fresh.refundable)),
    ...ofOffer.flatMap(([kind, read]) => compareTerm(kind, read(shown), read(fresh))),
    ...compareCharges(rowsOf(shown), rowsOf(fresh)),
  ];
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

/** Suppliers omit fields at random, so a field that only one of two quotes has is not a change. */
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
