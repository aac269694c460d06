import type { Segment } from "../types/index.ts";
import type { PassengerChange } from "./passengers.ts";
import type { TermChange } from "./terms.ts";
import type { BookingChanges, FlightChange } from "./types.ts";

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
