import type { Segment } from "./segment.ts";
import type { QuoteToken, SearchToken } from "./tokens.ts";

/** What `fareQuote` takes (§4.4). */
export interface FareQuoteParams {
  /** From the flight search; the same for quote, rule and book. */
  readonly trace_id: string;
  /** Token of the flight in the search result. A {@link QuoteToken} is refused by the compiler. */
  readonly token: SearchToken;
  /** Your own unique reference. Made by the library where absent. */
  readonly client_referenceId?: string | undefined;
}

/** What `fareQuote` answers (§4.4). */
export interface FareQuote {
  /** `SUCCESS` on success. */
  readonly status: "SUCCESS" | "FAILED" | (string & {});
  /** `200` on success, as text. */
  readonly status_code: "200" | (string & {});
  /** Answer of the service in words. */
  readonly message: string;
  /** The offers and the search session that they belong to. */
  readonly data: FareQuoteData;
}

export interface FareQuoteData {
  /** The `trace_id` of the request. */
  readonly trace_id: string;
  /**
   * What can be booked, each under a token of its own: one for most trips, two for a round trip on two airlines,
   * none when nothing is left.
   */
  readonly result: readonly FareQuoteResult[];
}

/** One bookable offer (§2.4). */
export interface FareQuoteResult {
  /** What `book` takes. Opaque; send it as it came. */
  readonly token: QuoteToken;
  /** How to write first names, for the passenger form; may hold HTML line breaks. */
  readonly fname_format: string;
  /** How to write last names, for the passenger form; may hold HTML line breaks. */
  readonly lname_format: string;
  /** Name of the airline or supplier. */
  readonly source: string;
  /** IATA code of the airline. */
  readonly airline_code: string;
  /** Free text of the airline. */
  readonly airline_remark: string;
  /** IATA code of the airline on whose ticket the trip is sold. */
  readonly validating_airline: string;
  /** Low-cost carrier. */
  readonly is_lcc: boolean;
  /** Whether a meal is included. */
  readonly free_meal: boolean;
  /** Whether the fare can be had back on cancellation, less fees. */
  readonly refundable: boolean;
  /** Whether discount coupons can be applied. */
  readonly coupon_applicable: boolean;
  /** The tax number (PAN) of the passengers is needed to book. The document names no field for it: `extraBody`. */
  readonly pan_required_at_book: boolean;
  /** Whether ticketing wants the PAN of each passenger. */
  readonly pan_required_at_ticket: boolean;
  /** Passport details are needed to book. The document names no field for them: `extraBody`. */
  readonly passport_required_at_book: boolean;
  /** Whether ticketing wants the passport of each passenger. */
  readonly passport_required_at_ticket: boolean;
  /** Seats, baggage and meals can only be had on a booking that is held first. */
  readonly hold_mandatory_with_ssr: boolean;
  /** A passenger must carry a complete `gst`. */
  readonly gst_mandatory: boolean;
  /** Until when the ticket can be issued, `YYYY-MM-DD HH:mm:ss`; `0001-01-01 00:00:00` where that does not apply. */
  readonly last_ticket_date: string;
  /** The flights, in the order of travel (§2.5). */
  readonly segments: readonly Segment[];
  /** Kind of fare, such as a senior citizen's. */
  readonly fare_type: string;
  /** The price of all passengers together. */
  readonly fare: QuotedFare;
  /** The base fare by type of passenger. */
  readonly fare_breakdown: readonly FareBreakdownEntry[];
  /** What the fare includes. The document shows an empty list only. */
  readonly fare_inclusions: readonly unknown[];
  /** The rules in words, by journey; often empty until `fareRule` is asked. */
  readonly fare_rules: readonly QuotedFareRule[];
  /** Charges for change and cancellation as rows; `fees` of `serviceapi/flights` reads them. */
  readonly mini_fare_rules: readonly MiniFareRule[];
}

/** The price of an offer for all passengers of the search (§2.4). */
export interface QuotedFare {
  /** Such as `INR`. */
  readonly currency: string;
  /** Amount in `currency`. */
  readonly basefare: number;
  /** Amount in `currency`. */
  readonly tax_and_surcharges: number;
  /** Amount in `currency`: what the trip costs. */
  readonly total_fare: number;
}

/** The base fare by type of passenger (§2.4). */
export interface FareBreakdownEntry {
  /** Currency of the amounts here, such as `INR`. */
  readonly currency: string;
  /** `adult`, `child` or `infant`. */
  readonly passenger_type: "adult" | "child" | "infant" | (string & {});
  /** How many of this type the quote is for. */
  readonly passenger_count: number;
  /**
   * Amount in `currency`, of all passengers of the type or of one: the document does not say.
   * `fareBreakdown` of `serviceapi/flights` decides by arithmetic.
   */
  readonly basefare: number;
}

/** Fare rules in the words of the supplier (§2.4). */
export interface QuotedFareRule {
  /** 3-letter IATA code. */
  readonly origin: string;
  /** 3-letter IATA code. */
  readonly destination: string;
  /** IATA code of the airline. */
  readonly airline: string;
  /** May be empty, and may hold untrusted HTML: `fareRuleText` of `serviceapi/flights/rule-text` makes it readable. */
  readonly fare_rules: string;
}

/** What a change or a cancellation costs within a window before departure (§2.6). */
export interface MiniFareRule {
  /** The journey that it speaks of: `<ORIGIN>-<DEST>`. */
  readonly journey_points: string;
  /** `Reissue` (change) or `Cancellation`; other values may come. */
  readonly type: "Reissue" | "Cancellation" | (string & {});
  /** Where the window begins, a number as text in `unit`, counted back from departure. */
  readonly from: string;
  /** Where the window ends; empty when it is open. */
  readonly to: string;
  /** Of `from` and `to`: `DAYS` or `HOURS` before departure. */
  readonly unit: "DAYS" | "HOURS" | (string & {});
  /** An amount with its currency (`INR 3500`), or `Unchangeable`. */
  readonly charges: string;
  /** Whether the change can be made online. */
  readonly online_reissue_allowed: boolean;
  /** Whether the refund can be had online. */
  readonly online_refund_allowed: boolean;
}
