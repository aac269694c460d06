import type { Money } from "../quote/money.ts";
import type { Segment, ServiceChoice } from "../types/index.ts";
import type { PassengerChange } from "./passengers.ts";
import type { TermChange } from "./terms.ts";

/** What differs between the quote that the user saw and what was booked, computed, whatever the flags say (§3.4). */
export interface BookingChanges {
  /** Something differs, could not be compared, or is reported as changed by the service. */
  readonly changed: boolean;
  /** All of it in sentences for a person, without personal data; empty if nothing changed. */
  readonly summary: string;
  /** The price, with and without extras. */
  readonly price: PriceChange;
  /** Flights that are not as they were quoted. */
  readonly flights: readonly FlightChange[];
  /** `time_changed` of the booking. It may be true although no difference can be seen, and false although there is one. */
  readonly timeFlagged: boolean;
  /** Baggage, fare class, cabin and refundability that are not as they were quoted. */
  readonly terms: readonly TermChange[];
  /** Passengers who are not booked as they were sent. */
  readonly passengers: readonly PassengerChange[];
  /** Seats that were asked for and are not in the booking. */
  readonly missingSeats: readonly MissingSeat[];
  /** What the response is too odd to compare: look at it. With `flights` go their baggage and classes. */
  readonly notCompared: readonly ("price" | "flights" | "refundable" | "passengers")[];
}

/** The price of a booking against that of the quote. */
export interface PriceChange {
  /** `total_fare` of the quote. */
  readonly quoted: Money | null;
  /** `total_fare` of the booking, with baggage, meals, seats and special services. */
  readonly booked: Money | null;
  /** Baggage, meals, seats and special services in it, which no quote contains. */
  readonly extras: Money | null;
  /** What was booked less extras less what was quoted: positive when it became dearer. Null where that cannot be computed. */
  readonly difference: Money | null;
  /** `price_changed` of the booking. It has been seen false where the price differed. */
  readonly flagged: boolean;
}

/** A flight that is not as it was quoted. */
export interface FlightChange {
  /**
   * `time`: leaves or arrives at another time. `replaced`: another flight or route. `missing` and `added`: one of the two has none at
   * this place. `notConfirmed`: its `flight_status` is not `Confirmed`.
   */
  readonly kind: "time" | "replaced" | "missing" | "added" | "notConfirmed";
  /** Its place in `segments`. */
  readonly index: number;
  /** As it was quoted; absent for `added`. */
  readonly quoted?: Segment;
  /** As it is booked; absent for `missing`. */
  readonly booked?: Segment;
  /** Minutes by which it leaves later (negative: earlier); null where that is not known. With `time` only. */
  readonly departureMinutes?: number | null;
  /** Minutes by which it arrives later (negative: earlier); null where that is not known. With `time` only. */
  readonly arrivalMinutes?: number | null;
}

/** A seat that was asked for and is not in the booking. */
export interface MissingSeat extends ServiceChoice {
  /** Place of the passenger in the request. */
  readonly passenger: number;
}
