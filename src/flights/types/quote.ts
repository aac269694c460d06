import type { Segment } from "./segment.ts";
import type { QuoteToken, SearchToken } from "./tokens.ts";

/** The parameters of `fareQuote` (§4.4). */
export interface FareQuoteParams {
  /** From the flight search; the same for quote, rule and book. */
  readonly trace_id: string;
  /** Token of the flight in the search result. The compiler refuses a {@link QuoteToken}. */
  readonly token: SearchToken;
  /** Your own unique reference. Generated if it is left out. */
  readonly client_referenceId?: string | undefined;
}

/** The response of `fareQuote` (§4.4). */
export interface FareQuote {
  /** `SUCCESS` on success. */
  readonly status: "SUCCESS" | "FAILED" | (string & {});
  /** `200` on success, as text. */
  readonly status_code: "200" | (string & {});
  /** What the service says, in words. */
  readonly message: string;
  /** The offers and the search session that they belong to. */
  readonly data: FareQuoteData;
}

/** The offers with their search session (§2.4). */
export interface FareQuoteData {
  /** The `trace_id` of the request. */
  readonly trace_id: string;
  /**
   * What can be booked, each under a token of its own: usually one; two for a round trip on two airlines have been seen, and
   * none if nothing is left.
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
  /** The airline responsible for validation, usually the one on whose ticket the trip is sold. */
  readonly validating_airline: string;
  /** Whether the airline is a low-cost carrier. */
  readonly is_lcc: boolean;
  /** Whether a meal is included. */
  readonly free_meal: boolean;
  /** Whether the fare is refundable, usually less fees. */
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
  /** Usually: seats, baggage and meals need a booking that is held first. The document does not explain the flag. */
  readonly hold_mandatory_with_ssr: boolean;
  /** Whether GST details are mandatory: a passenger must carry a complete `gst`. */
  readonly gst_mandatory: boolean;
  /** Until when the ticket can be issued, `YYYY-MM-DD HH:mm:ss`; `0001-01-01 00:00:00` where that does not apply. */
  readonly last_ticket_date: string;
  /** The flights, in the order of travel (§2.5). */
  readonly segments: readonly Segment[];
  /** Kind of fare, such as a senior citizen's. */
  readonly fare_type: string;
  /** The price, usually of all passengers together. */
  readonly fare: QuotedFare;
  /** The base fare by type of passenger. */
  readonly fare_breakdown: readonly FareBreakdownEntry[];
  /** What the fare includes. The document shows an empty list only. */
  readonly fare_inclusions: readonly unknown[];
  /** The rules in words, by journey; may be empty until `fareRule` is called. */
  readonly fare_rules: readonly QuotedFareRule[];
  /** Charges for change and cancellation as rows; `fees` of `serviceapi/flights` reads them. */
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
  /** What the offer costs, in `currency`. */
  readonly total_fare: number;
}

/** The base fare by type of passenger (§2.4). */
export interface FareBreakdownEntry {
  /** Currency of the amounts here, such as `INR`. */
  readonly currency: string;
  /** Such as `adult`; the document shows it as an example, and other spellings may come. */
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
  /** 3-letter code of the airport where the journey begins. */
  readonly origin: string;
  /** 3-letter code of the airport where it ends. */
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
  /** Where the window begins: a number as text, in `unit`, usually counted back from departure. */
  readonly from: string;
  /** Where the window ends; empty when it is open. */
  readonly to: string;
  /** Unit of `from` and `to`: `DAYS` or `HOURS`; other values may come. */
  readonly unit: "DAYS" | "HOURS" | (string & {});
  /** An amount with its currency (`INR 3500`), or `Unchangeable`. */
  readonly charges: string;
  /** Whether the change can be made online. */
  readonly online_reissue_allowed: boolean;
  /** Whether the refund can be had online. */
  readonly online_refund_allowed: boolean;
}
