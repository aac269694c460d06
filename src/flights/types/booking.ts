import type { Gender, Passenger, PassengerType, Title } from "./passenger.ts";
import type { Segment } from "./segment.ts";
import type { QuoteToken } from "./tokens.ts";

/** What `book` takes (§4.3). */
export interface BookParams {
  /** The `trace_id` that was quoted. */
  readonly trace_id: string;
  /** `token` of a fare quote result. A search token is refused by the compiler. */
  readonly token: QuoteToken;
  /** One or more, as many of each type as were searched for. */
  readonly passengers: readonly Passenger[];
  /** Your own unique reference, what to look the booking up by. Made by the library where absent. */
  readonly client_referenceId?: string | undefined;
}

/** What `book` answers: a reservation. The ticket must be issued before `last_ticket_date` (§3.4, §4.3). */
export interface Booking {
  readonly status: "SUCCESS" | (string & {});
  readonly status_code: "200" | (string & {});
  readonly message: string;
  readonly data: BookingData;
}

export interface BookingData {
  /** The `trace_id` of the request. */
  readonly trace_id: string;
  readonly result: BookingResult;
}

/** A reservation (§2.8). */
export interface BookingResult {
  /** The airline's confirmation number. */
  readonly pnr: string;
  /** The service's own number of the booking. */
  readonly booking_id: number;
  /** Whether the price differs from the quote's. Compare: the flag has been seen false where the price differed. */
  readonly price_changed: boolean;
  /** Whether a flight time differs from the quote's. */
  readonly time_changed: boolean;
  /** Whether the seats that were asked for are assigned. */
  readonly seats_booked: boolean;
  readonly domestic: boolean;
  /** Name of the supplier. */
  readonly source: string;
  /** 3-letter IATA code. */
  readonly origin: string;
  /** 3-letter IATA code. */
  readonly destination: string;
  readonly airline_code: string;
  readonly airline_remark: string;
  /** Until when the ticket must be issued, `YYYY-MM-DD HH:mm:ss`; `0001-01-01 00:00:00` where that does not apply. */
  readonly last_ticket_date: string;
  readonly is_lcc: boolean;
  readonly non_refundable: boolean;
  readonly coupon_applicable: boolean;
  readonly credit_note_no: string | null;
  readonly segments: readonly Segment[];
  readonly passengers: readonly BookedPassenger[];
  /** The price of the whole booking. */
  readonly fare: BookedFare;
}

/** A passenger as booked (§2.9). */
export interface BookedPassenger {
  readonly passenger_id: number;
  readonly barcode_details: BarcodeDetails;
  readonly title: Title | (string & {});
  readonly fname: string;
  readonly lname: string;
  readonly passenger_type: PassengerType | (string & {});
  /** `YYYY-MM-DD`. */
  readonly dob: string;
  readonly gender: Gender | (string & {});
  readonly mobile: string;
  readonly email: string;
  readonly address: string;
  readonly city: string;
  readonly country_code: string;
  readonly country: string;
  readonly is_lead_passenger: boolean;
  /** The price for this passenger. */
  readonly fare: BookedFare;
  readonly seat: readonly BookedSeat[];
}

/** What a boarding gate reads (§2.9). The capitals are the service's. */
export interface BarcodeDetails {
  readonly Id: number;
  readonly Barcode: readonly Barcode[];
}

export interface Barcode {
  readonly Index: number;
  /** Such as `PDF417`. */
  readonly Format: string;
  readonly Content: string;
  /** The picture in Base64, where there is one. */
  readonly BarCodeInBase64: string | null;
  readonly JourneyWayType: number;
}

/** A seat as assigned (§2.9). */
export interface BookedSeat {
  readonly code: string;
  readonly desc: string;
  readonly airline_code: string;
  readonly flight_number: string;
  readonly craft_type: string;
  readonly row_no: string;
  readonly seat_no: string;
  readonly seat_type: string;
  /** Amount in `currency`. */
  readonly price: number;
  readonly currency: string;
  readonly origin: string;
  readonly destination: string;
}

/** The price of a booking or of one passenger (§2.10). Amounts are in `currency`. */
export interface BookedFare {
  readonly currency: string;
  /** The ticket's price. */
  readonly basefare: number;
  /** Government taxes and airline surcharges. */
  readonly tax_and_surcharges: number;
  /** The final total, extras included. */
  readonly total_fare: number;
  readonly total_baggage_charges: number;
  readonly total_meal_charges: number;
  readonly total_seat_charges: number;
  readonly total_special_service_charges: number;
}
