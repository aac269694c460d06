import type { Segment } from "../types/index.ts";

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

/** Compares whether the fare can be refunded, if both say so. */
export function compareRefundable(before: boolean | undefined, after: boolean | undefined): TermChange[] {
  if (before === undefined || after === undefined || before === after) return [];
  return [{ kind: "refundable", before: inWords(before), after: inWords(after) }];
}

/** Returns the identity of a flight, without its times: `AI 101` and `ai101` are one. */
export function identity({ airline_code, flight_number, origin, destination }: Segment): string {
  return [airline_code, flight_number, origin.airport_code, destination.airport_code]
    .map((part) => part.trim().toUpperCase())
    .join();
}

export function inWords(refundable: boolean): string {
  return refundable ? "refundable" : "non-refundable";
}

export function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** `15 KG`, `15kg` and `15 Kgs` are one allowance. */
export function comparable(term: string): string {
  return term
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}+]/gu, "")
    .replaceAll(/kgs|kilos?|kilograms?/g, "kg");
}
