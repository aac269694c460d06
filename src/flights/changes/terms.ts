import type { Segment } from "../types/index.ts";
import type { PassengerChange } from "./passengers.ts";
import type { BookingChanges, FlightChange } from "./types.ts";

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

/** Returns the changes in sentences for a person, without names of passengers; empty if there are none. */
export function summarizeChanges(changes: Omit<BookingChanges, "summary">, segments: readonly Segment[]): string {
  const { flights, terms, passengers, missingSeats, notCompared, timeFlagged } = changes;
  const timesKnown = flights.some(({ kind }) => kind !== "notConfirmed");
  return [
    ...summarizePrice(changes.price),
    ...flights.map(summarizeFlight),
    ...(timeFlagged && !timesKnown
      ? ["The airline reports that flight times have changed: ask for the new ones."]
      : []),
    ...summarizeTerms(terms, segments),
    ...passengers.map(summarizePassenger),
    ...missingSeats.map((seat) => `Seat ${seat.code} (${seat.origin}-${seat.destination}) is not booked.`),
    ...(notCompared.length > 0 ? [`Not compared with the quote, check by hand: ${notCompared.join(", ")}.`] : []),
  ].join(" ");
}

function summarizePrice({ difference, flagged }: BookingChanges["price"]): string[] {
  if (difference === null || difference.amount === "0") {
    return flagged ? ["The airline reports that the price has changed."] : [];
  }
  const isLower = difference.amount.startsWith("-");
  const amount = difference.amount.replace("-", "");
  return [`The price is ${difference.currency} ${amount} ${isLower ? "lower" : "higher"} than quoted.`];
}

function summarizeFlight({ kind, quoted, booked, departureMinutes, arrivalMinutes }: FlightChange): string {
  const flight = nameOf(booked ?? quoted);
  switch (kind) {
    case "missing":
      return `Flight ${flight} is not booked.`;
    case "added":
      return `Flight ${flight} is booked and was not quoted.`;
    case "replaced":
      return `Flight ${nameOf(quoted)} is replaced by ${flight}.`;
    case "notConfirmed":
      return `Flight ${flight} is not confirmed.`;
    case "time":
      return departureMinutes
        ? `Flight ${flight} leaves ${shift(departureMinutes)}.`
        : departureMinutes === 0 && arrivalMinutes
          ? `Flight ${flight} arrives ${shift(arrivalMinutes)}.`
          : `Flight ${flight} has other times.`;
  }
}

function shift(minutes: number): string {
  return `${Math.abs(minutes)} minutes ${minutes < 0 ? "earlier" : "later"}`;
}

const labels: Readonly<Record<TermChange["kind"], string>> = {
  baggage: "baggage allowance",
  fareClass: "fare class",
  cabin: "cabin",
  refundable: "refund rule",
  fareType: "fare type",
  meal: "meal",
  airline: "airline",
  validatingAirline: "validating airline",
  source: "supplier",
  carrierType: "kind of airline",
  charges: "rule for changes and cancellations",
};

/** Returns the changed terms in sentences. */
export function summarizeTerms(terms: readonly TermChange[], segments: readonly Segment[]): string[] {
  return terms.map(({ kind, index, before, after }) => {
    const of = index === undefined ? "" : ` of flight ${nameOf(segments[index])}`;
    return `The ${labels[kind]}${of} is ${after || "not given"} instead of ${before || "not given"}.`;
  });
}

function summarizePassenger({ kind, passenger = 0, booked = 0, fields = [] }: PassengerChange): string {
  if (kind === "missing") return `Passenger ${passenger + 1} is not booked.`;
  if (kind === "added") return `Passenger ${booked + 1} of the booking was not sent.`;
  return `Passenger ${passenger + 1} is booked with another ${fields.join(", ")}.`;
}

function nameOf(segment: Segment | undefined): string {
  return segment === undefined ? "" : `${segment.airline_code} ${segment.flight_number}`.trim();
}
