import type { QuoteToken, SearchToken } from "./tokens.ts";

/** The airport of a segment (§2.5). */
export interface SegmentPlace {
  /** 3-letter IATA code of the airport. */
  readonly airport_code: string;
  /** Name of the airport. */
  readonly airport_name: string;
  /** Terminal of the airport; may be empty. */
  readonly terminal: string;
  /** Code of the city; it may differ from the airport's (`LON` for `LHR`). */
  readonly city_code: string;
  /** Name of the city. */
  readonly city_name: string;
  /** Code of the country, such as `IN`. */
  readonly country_code: string;
  /** Name of the country. */
  readonly country_name: string;
}

/** Airport and time of a departure (§2.5). */
export interface SegmentOrigin extends SegmentPlace {
  /** Usually wall-clock time at this airport, `YYYY-MM-DD HH:mm:ss`, without a time zone. */
  readonly departure_time: string;
}

/** Airport and time of an arrival (§2.5). */
export interface SegmentDestination extends SegmentPlace {
  /**
   * Usually wall-clock time at this airport, `YYYY-MM-DD HH:mm:ss`. It may lie before the departure by the clock,
   * across time zones.
   */
  readonly arrival_time: string;
}

/** The baggage allowance of a segment (§2.5). */
export interface SegmentBaggage {
  /** Checked baggage, such as `15 KG`. */
  readonly checked_baggage: string;
  /** Cabin baggage, such as `7 KG`. */
  readonly cabin_baggage: string;
}

/** One flight of an itinerary, in a quote and in a booking (§2.5). */
export interface Segment {
  /** Direction of the trip that it belongs to; only `outbound` is documented. */
  readonly trip_indicator: "outbound" | (string & {});
  /** Usually the direction again; only `outbound` is documented. */
  readonly segment_indicator: "outbound" | (string & {});
  /** Usually digits; leading zeros are kept (`007`). */
  readonly flight_number: string;
  /** IATA code of the airline, usually the one that sells the flight. */
  readonly airline_code: string;
  /** Name of that airline. */
  readonly airline_name: string;
  /** Fare class, usually the letter of a booking class. */
  readonly fare_class: string;
  /** Usually the IATA code of the airline that operates the flight. May be empty. */
  readonly operating_carrier: string;
  /** Airport and time of the departure. */
  readonly origin: SegmentOrigin;
  /** Airport and time of the arrival. */
  readonly destination: SegmentDestination;
  /**
   * Duration in hours and minutes, usually of the flight alone, such as `2h 15m`; `durationMinutes` of
   * `serviceapi/flights` parses it.
   */
  readonly duration: string;
  /** Baggage allowance, usually for each passenger. */
  readonly baggage: SegmentBaggage;
  /** Usually the cabin, such as `Economy`; null if the supplier does not say. */
  readonly flight_class: string | null;
  /** Whether there is a stopover; the document does not say at which end, or how long a stopover is. */
  readonly is_stopover: boolean;
  /** Whether an electronic ticket is issued. The field's name has a hyphen. */
  readonly "e-ticket_available": boolean;
  /** Only `Confirmed` is documented. Treat any other value as a flight that is not confirmed. */
  readonly flight_status: "Confirmed" | (string & {});
}

/** The parameters of `fareQuote` (§4.4). */
export interface FareQuoteParams {
  /** `trace_id` of the flight search, the same for quote, rule and book. */
  readonly trace_id: string;
  /** Token of the flight in the search result. The compiler refuses a {@link QuoteToken}. */
  readonly token: SearchToken;
  /** Your unique reference. @default generated */
  readonly client_referenceId?: string | undefined;
}

/** A response of the flight operations, with its search session (§4.3–§4.5). */
export interface FlightResponse<Result> {
  /** `SUCCESS` on success. */
  readonly status: "SUCCESS" | "FAILED" | (string & {});
  /** `200` on success, as a string. */
  readonly status_code: "200" | (string & {});
  /** Message of the service. */
  readonly message: string;
  /** The result and the search session that it belongs to. */
  readonly data: {
    /** The `trace_id` of the request. */
    readonly trace_id: string;
    /** The offers, the rules or the reservation. */
    readonly result: Result;
  };
}

/**
 * The response of `fareQuote` (§4.4): the offers, each with its own token. Usually it is one; two have been seen for a
 * round trip on two airlines, and none if nothing is left.
 */
export interface FareQuote extends FlightResponse<readonly FareQuoteResult[]> {}

/** The fields that an offer and a reservation have in common (§2.4, §2.8). */
export interface FlightTrip {
  /** Name of the airline or supplier. */
  readonly source: string;
  /** IATA code of the airline. */
  readonly airline_code: string;
  /** Free text of the airline. */
  readonly airline_remark: string;
  /** Whether the airline is a low-cost carrier. */
  readonly is_lcc: boolean;
  /** Whether discount coupons can be applied. */
  readonly coupon_applicable: boolean;
  /** Deadline of the ticket, `YYYY-MM-DD HH:mm:ss`; `0001-01-01 00:00:00` if it does not apply. */
  readonly last_ticket_date: string;
  /** The flights, in the order of travel (§2.5). */
  readonly segments: readonly Segment[];
}

/** One bookable offer (§2.4). */
export interface FareQuoteResult extends FlightTrip {
  /** Token for `book`. Opaque: pass it unchanged. */
  readonly token: QuoteToken;
  /** Format of first names, for the passenger form. May contain HTML line breaks. */
  readonly fname_format: string;
  /** Format of last names, for the passenger form. May contain HTML line breaks. */
  readonly lname_format: string;
  /** The airline responsible for validation, usually the one on whose ticket the trip is sold. */
  readonly validating_airline: string;
  /** Whether a meal is included. */
  readonly free_meal: boolean;
  /** Whether the fare is refundable, usually less fees. */
  readonly refundable: boolean;
  /**
   * Whether booking needs the tax number (PAN) of each passenger. The field is not documented: pass it in `extraBody`.
   */
  readonly pan_required_at_book: boolean;
  /** Whether ticketing needs the PAN of each passenger. */
  readonly pan_required_at_ticket: boolean;
  /** Whether booking needs passport details. The fields are not documented: pass them in `extraBody`. */
  readonly passport_required_at_book: boolean;
  /** Whether ticketing needs the passport of each passenger. */
  readonly passport_required_at_ticket: boolean;
  /**
   * Usually, whether seats, baggage and meals need a booking that is held first. The document does not explain the
   * flag.
   */
  readonly hold_mandatory_with_ssr: boolean;
  /** Whether GST details are mandatory: a passenger must carry a complete `gst`. */
  readonly gst_mandatory: boolean;
  /** Kind of fare, such as a senior citizen's. */
  readonly fare_type: string;
  /** The price, usually of all passengers together. */
  readonly fare: QuotedFare;
  /** The base fare by type of passenger. */
  readonly fare_breakdown: readonly FareBreakdownEntry[];
  /** Services that the fare includes. The document shows an empty list only. */
  readonly fare_inclusions: readonly unknown[];
  /** The rules by journey; may be empty until `fareRule` is called. */
  readonly fare_rules: readonly QuotedFareRule[];
  /** Charges for changes and cancellations, for `fees` of `serviceapi/flights`. */
  readonly mini_fare_rules: readonly MiniFareRule[];
}

/** The price of an offer, usually for all passengers of the search (§2.4). */
export interface QuotedFare {
  /** Currency of every amount here, such as `INR`. */
  readonly currency: string;
  /** Base fare, in `currency`. */
  readonly basefare: number;
  /** Taxes and surcharges, in `currency`. */
  readonly tax_and_surcharges: number;
  /** Total price, in `currency`. */
  readonly total_fare: number;
}

/** The base fare by type of passenger (§2.4). */
export interface FareBreakdownEntry {
  /** Currency of the amounts here, such as `INR`. */
  readonly currency: string;
  /** Passenger type, such as `adult`. The document shows it as an example; other spellings may occur. */
  readonly passenger_type: "adult" | "child" | "infant" | (string & {});
  /** Number of passengers of this type. */
  readonly passenger_count: number;
  /**
   * Amount in `currency`, for all passengers of the type or for one: the document does not say.
   * `fareBreakdown` of `serviceapi/flights` decides by arithmetic.
   */
  readonly basefare: number;
}

/** Fare rules as the supplier words them (§2.4). */
export interface QuotedFareRule {
  /** 3-letter IATA code of the airport where the journey begins. */
  readonly origin: string;
  /** 3-letter IATA code of the airport where the journey ends. */
  readonly destination: string;
  /** IATA code of the airline. */
  readonly airline: string;
  /**
   * May be empty, and may contain untrusted HTML: `fareRuleText` of `serviceapi/flights/rule-text` turns it into text.
   */
  readonly fare_rules: string;
}

/** The charge for a change or a cancellation within a window before departure (§2.6). */
export interface MiniFareRule {
  /** The journey that it applies to: `<ORIGIN>-<DEST>`. */
  readonly journey_points: string;
  /** `Reissue` (change) or `Cancellation`; other values may come. */
  readonly type: "Reissue" | "Cancellation" | (string & {});
  /** Start of the window: a number as a string, in `unit`, usually counted back from departure. */
  readonly from: string;
  /** End of the window; empty if it is open. */
  readonly to: string;
  /** Unit of `from` and `to`: `DAYS` or `HOURS`; other values may come. */
  readonly unit: "DAYS" | "HOURS" | (string & {});
  /** An amount with its currency (`INR 3500`), or `Unchangeable`. */
  readonly charges: string;
  /** Whether the change can be made online. */
  readonly online_reissue_allowed: boolean;
  /** Whether the refund can be requested online. */
  readonly online_refund_allowed: boolean;
}

/** The parameters of `fareRule` (§4.5): those of `fareQuote`. */
export interface FareRuleParams extends FareQuoteParams {}

/** The response of `fareRule` (§4.5): usually one element for each direction. */
export interface FareRule extends FlightResponse<readonly FareRuleResult[]> {}

/** The rules of one journey (§2.7). `fare_rules` is as the airline words it: never put it into a page as it is. */
export interface FareRuleResult extends QuotedFareRule {
  /** `0` if not applicable. */
  readonly flight_id: number;
  /** `YYYY-MM-DD HH:mm:ss`; `0001-01-01 00:00:00` if it does not apply. */
  readonly departure_time: string;
  /** `YYYY-MM-DD HH:mm:ss`, for round trips; `0001-01-01 00:00:00` if it does not apply. */
  readonly return_time: string;
  /** Services that the fare includes. */
  readonly fare_inclusions: readonly string[];
  /** Restrictions as text; null if there are none. */
  readonly fare_restriction: string | null;
}
