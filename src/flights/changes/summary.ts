import type { Money } from "../quote/money.ts";
import type { Passenger, Segment } from "../types/index.ts";

/** Differences between the quote that the user saw and the booking: computed, whatever the flags say (§3.4). */
export interface BookingChanges {
  /** Whether something differs, could not be compared, or is reported as changed by the service. */
  readonly changed: boolean;
  /** The differences in sentences for a person, without personal data; empty if there are none. */
  readonly summary: string;
  /** The prices, with and without extras. */
  readonly price: PriceChange;
  /** Flights that differ from the quote. */
  readonly flights: readonly FlightChange[];
  /** `time_changed` of the booking. It may be true although the times are the same, and false although they differ. */
  readonly timeFlagged: boolean;
  /** Baggage, fare class, cabin and refundability that differ from the quote. */
  readonly terms: readonly TermChange[];
  /** Passengers who differ from those who were sent. */
  readonly passengers: readonly PassengerChange[];
  /** Requested seats that are not in the booking. */
  readonly missingSeats: readonly MissingSeat[];
  /** Parts of the response that could not be compared: check them by hand. `flights` includes baggage and classes. */
  readonly notCompared: readonly ("price" | "flights" | "refundable" | "passengers")[];
}

/** The price of a booking compared with that of the quote. */
export interface PriceChange {
  /** `total_fare` of the quote; null if it cannot be read. */
  readonly quoted: Money | null;
  /** `total_fare` of the booking, with or without the `extras`, or what its parts add up to without one; null if unknown. */
  readonly booked: Money | null;
  /** Baggage, meals, seats and special services, which a quote does not contain. */
  readonly extras: Money | null;
  /**
   * `booked` less `quoted`, and less `extras` if the parts of the fare add up to `booked` only with them: positive if the
   * price rose. Null if it cannot be computed.
   */
  readonly difference: Money | null;
  /** `price_changed` of the booking. It has been seen false although the price differed. */
  readonly flagged: boolean;
}

/** A flight that differs from the quote. */
export interface FlightChange {
  /**
   * `time`: other departure or arrival time. `replaced`: another flight or route. `missing`: quoted, not booked.
   * `added`: booked, not quoted. `notConfirmed`: its `flight_status` is not `Confirmed`.
   */
  readonly kind: "time" | "replaced" | "missing" | "added" | "notConfirmed";
  /** Index in `segments`. */
  readonly index: number;
  /** The quoted flight; absent for `added`. */
  readonly quoted?: Segment;
  /** The booked flight; absent for `missing`. */
  readonly booked?: Segment;
  /** Difference of the departure in minutes, negative if earlier; null if it is not known. With `time` only. */
  readonly departureMinutes?: number | null;
  /** Difference of the arrival in minutes, negative if earlier; null if it is not known. With `time` only. */
  readonly arrivalMinutes?: number | null;
}

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
  readonly kind: keyof typeof terms;
  /** Index of the flight in `segments`; absent for a term of the whole offer. */
  readonly index?: number;
  /** The quoted value; empty if the quote had none. */
  readonly before: string;
  /** The current value; empty if there is none. */
  readonly after: string;
}

/** A passenger whose booking differs from the request. It has indexes and names of fields, no personal data. */
export interface PassengerChange {
  /** `missing`: sent, not booked. `added`: booked, not sent. `changed`: booked with other values of `fields`. */
  readonly kind: "missing" | "added" | "changed";
  /** Index of the passenger in the request; absent for `added`. */
  readonly passenger?: number;
  /** Index of the passenger in the booking; absent for `missing`. */
  readonly booked?: number;
  /** Names of the fields that differ, such as `["dob"]`. With `changed` only. */
  readonly fields?: readonly string[];
}

type Choice = NonNullable<Passenger["seat"]>[number];

/** A requested seat that is not in the booking. */
export interface MissingSeat extends Choice {
  /** Index of the passenger in the request. */
  readonly passenger: number;
}

/** Returns the changes in sentences for a person, without names of passengers; empty if there are none. */
export function summarizeChanges(changes: Omit<BookingChanges, "summary">, segments: readonly Segment[]): string {
  const { flights, terms, passengers, missingSeats, notCompared, timeFlagged } = changes;
  const timesKnown = flights.some(({ kind, departureMinutes: by }) => kind !== "notConfirmed" && by !== null);
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
  if (kind === "time" && !departureMinutes && !arrivalMinutes) return `A time of flight ${flight} cannot be compared.`;
  const arrival = departureMinutes === 0 && arrivalMinutes ? `arrives ${shift(arrivalMinutes)}` : "has other times";
  const texts = {
    missing: "is not booked",
    added: "is booked and was not quoted",
    replaced: `is replaced by ${flight}`,
    notConfirmed: "is not confirmed",
    time: departureMinutes ? `leaves ${shift(departureMinutes)}` : arrival,
  };
  return `Flight ${kind === "replaced" ? nameOf(quoted) : flight} ${texts[kind]}.`;
}

function shift(minutes: number): string {
  return `${Math.abs(minutes)} minute${Math.abs(minutes) === 1 ? "" : "s"} ${minutes < 0 ? "earlier" : "later"}`;
}

/** A term of a flight or an offer: its name in a sentence, and how it is read. */
export interface Term {
  readonly label: string;
  /** The paths of its values; without one it is compared on its own. */
  readonly in?: readonly string[];
  /** The words for a flag. */
  readonly yesOrNo?: readonly [yes: string, no: string];
  /** The quote in which a missing value is a change. @default none: suppliers omit fields at random */
  readonly missing?: "after" | "either";
}

export const terms = {
  baggage: { label: "baggage allowance", in: ["baggage.checked_baggage", "baggage.cabin_baggage"], missing: "either" },
  fareClass: { label: "fare class", in: ["fare_class"], missing: "either" },
  cabin: { label: "cabin", in: ["flight_class"] },
  refundable: { label: "refund rule", in: ["refundable"], yesOrNo: ["refundable", "non-refundable"], missing: "after" },
  fareType: { label: "fare type", in: ["fare_type"] },
  meal: { label: "meal", in: ["free_meal"], yesOrNo: ["included", "not included"] },
  airline: { label: "airline", in: ["airline_code"] },
  validatingAirline: { label: "validating airline", in: ["validating_airline"] },
  source: { label: "supplier", in: ["source"] },
  carrierType: { label: "kind of airline", in: ["is_lcc"], yesOrNo: ["low-cost", "full-service"] },
  charges: { label: "rule for changes and cancellations" },
} as const satisfies Readonly<Record<string, Term>>;

/** Returns the changed terms in sentences. */
export function summarizeTerms(changes: readonly TermChange[], segments: readonly Segment[]): string[] {
  return changes.map(({ kind, index, before, after }) => {
    const of = index === undefined ? "" : ` of flight ${nameOf(segments[index])}`;
    return `The ${terms[kind].label}${of} is ${after || "not given"} instead of ${before || "not given"}.`;
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
