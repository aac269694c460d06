import type { Money } from "../quote/money.ts";
import type { Segment, ServiceChoice } from "../types/index.ts";
import type { PassengerChange } from "./passengers.ts";
import type { TermChange } from "./terms.ts";

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
  /** `total_fare` of the booking, with baggage, meals, seats and special services; null if it cannot be read. */
  readonly booked: Money | null;
  /** Baggage, meals, seats and special services in `booked`, which a quote does not contain. */
  readonly extras: Money | null;
  /** `booked` less `extras` less `quoted`: positive if the price rose. Null if it cannot be computed. */
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

/** A requested seat that is not in the booking. */
export interface MissingSeat extends ServiceChoice {
  /** Index of the passenger in the request. */
  readonly passenger: number;
}
