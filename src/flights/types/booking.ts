import type { FlightResponse, FlightTrip, QuotedFare } from "./quote.ts";
import type { QuoteToken } from "./tokens.ts";

/** The title of a passenger (§4.3). */
export type Title = "Mr" | "Mrs" | "Ms" | "Mstr";
/** The type of a passenger (§4.3). The document states no ages; see {@link Passenger.passenger_type}. */
export type PassengerType = "adult" | "child" | "infant";
/** `M` (male) or `F` (female) (§4.3). */
export type Gender = "M" | "F";

/** A person to be booked (§4.3). */
export interface Passenger {
  /** Usually `Mr` for a man, `Mrs` or `Ms` for a woman or girl, `Mstr` for a boy. */
  readonly title: Title;
  /** First name, in the format of the quote's `fname_format`. */
  readonly fname: string;
  /** Last name, in the format of the quote's `lname_format`. */
  readonly lname: string;
  /** Mobile number, 7 to 15 digits. */
  readonly mobile: string;
  /** E-mail address. */
  readonly email: string;
  /**
   * By age: airlines usually count `adult` from 12 years, `child` from 2 and `infant` below (docs/assumptions.md, F8).
   */
  readonly passenger_type: PassengerType;
  /** Date of birth, `YYYY-MM-DD`. */
  readonly dob: string;
  /** `M` or `F`. */
  readonly gender: Gender;
  /** Postal address. */
  readonly address: string;
  /** City of the address. */
  readonly city: string;
  /** Name of the country. */
  readonly country: string;
  /** Code of the country, such as `IN`. */
  readonly country_code: string;
  /** Seats, one entry per flight. */
  readonly seat?: readonly ServiceChoice[] | undefined;
  /** Extra baggage, one entry per leg. */
  readonly baggage?: readonly ServiceChoice[] | undefined;
  /** Meals, one entry per leg. */
  readonly meal?: readonly ServiceChoice[] | undefined;
  /** GST details of a company. */
  readonly gst?: GstDetails | undefined;
}

/** A seat, a piece of baggage or a meal on one leg (§4.3). */
export interface ServiceChoice {
  /** Code of the seat, baggage or meal, from a source that the document does not show. */
  readonly code: string;
  /** 3-letter IATA code of the airport where the leg begins. */
  readonly origin: string;
  /** 3-letter IATA code of the airport where the leg ends. */
  readonly destination: string;
}

/** GST details of a company (§4.3). */
export interface GstDetails {
  /** Name of the company. */
  readonly gst_company_name: string;
  /** The company's GST number. */
  readonly gst_number: string;
  /** Address of the company. */
  readonly gst_company_address: string;
  /** Mobile number of the company. */
  readonly gst_company_mobile: string;
  /** E-mail address of the company. */
  readonly gst_company_email: string;
}

/** The parameters of `book` (§4.3). */
export interface BookParams {
  /** The `trace_id` that was quoted. */
  readonly trace_id: string;
  /** `token` of a fare quote result. The compiler refuses a search token. */
  readonly token: QuoteToken;
  /** The passengers: one or more, as many of each type as in the search. */
  readonly passengers: readonly Passenger[];
  /** Your unique reference, for a look-up of the booking. @default generated */
  readonly client_referenceId?: string | undefined;
}

/** The response of `book`: a reservation. The ticket must be issued before `last_ticket_date` (§3.4, §4.3). */
export interface Booking extends FlightResponse<BookingResult> {}

/** A reservation (§2.8), with the flights as booked. */
export interface BookingResult extends FlightTrip {
  /** The airline's confirmation number. */
  readonly pnr: string;
  /** The service's own number of the booking. */
  readonly booking_id: number;
  /**
   * Whether the price differs from the quote. Compare the prices too: the flag has been seen false although they
   * differed.
   */
  readonly price_changed: boolean;
  /** Whether a flight time differs from the quote. */
  readonly time_changed: boolean;
  /** Whether the requested seats are assigned. */
  readonly seats_booked: boolean;
  /** Whether it is a domestic trip. */
  readonly domestic: boolean;
  /** 3-letter IATA code. */
  readonly origin: string;
  /** 3-letter IATA code. */
  readonly destination: string;
  /** Whether the fare is not refundable. */
  readonly non_refundable: boolean;
  /** Number of a credit note; null if there is none. */
  readonly credit_note_no: string | null;
  /** The passengers as booked (§2.9). */
  readonly passengers: readonly BookedPassenger[];
  /** The price of the whole booking. */
  readonly fare: BookedFare;
}

/** The fields of a passenger that a booking repeats as they were sent. */
type SentFields = "fname" | "lname" | "dob" | "mobile" | "email" | "address" | "city" | "country_code" | "country";

/** A passenger as booked (§2.9). */
export interface BookedPassenger extends Pick<Passenger, SentFields> {
  /** The service's own number of the passenger. */
  readonly passenger_id: number;
  /** Barcodes of the boarding documents. */
  readonly barcode_details: BarcodeDetails;
  /** As sent: `Mr`, `Mrs`, `Ms` or `Mstr`. */
  readonly title: Title | (string & {});
  /** As sent: `adult`, `child` or `infant`. */
  readonly passenger_type: PassengerType | (string & {});
  /** As sent: `M` or `F`. */
  readonly gender: Gender | (string & {});
  /** Whether the booking is in this passenger's name. */
  readonly is_lead_passenger: boolean;
  /** The price for this passenger. */
  readonly fare: BookedFare;
  /** Seats assigned, one entry for each leg; empty if none was requested. */
  readonly seat: readonly BookedSeat[];
}

/** The barcodes of a passenger (§2.9). The capitals are the service's. */
export interface BarcodeDetails {
  /** The service's own number of the barcodes. */
  readonly Id: number;
  /** One entry for each barcode; may be empty. */
  readonly Barcode: readonly Barcode[];
}

/** A barcode of a boarding document (§2.9). */
export interface Barcode {
  /** Index, as the service numbers them. */
  readonly Index: number;
  /** Format of the barcode, usually a name such as `PDF417`. */
  readonly Format: string;
  /** Content of the barcode. */
  readonly Content: string;
  /** The image in Base64; null if there is none. */
  readonly BarCodeInBase64: string | null;
  /** Direction of the journey, as a number that is not documented. */
  readonly JourneyWayType: number;
}

/** A seat as assigned on a leg (§2.9). Its code is usually row and letter, such as `12A`. */
export interface BookedSeat extends ServiceChoice {
  /** Description of the seat. */
  readonly desc: string;
  /** IATA code of the airline. */
  readonly airline_code: string;
  /** Number of the flight, usually without the airline's code. */
  readonly flight_number: string;
  /** Type of the aircraft. */
  readonly craft_type: string;
  /** Row, such as `12`. */
  readonly row_no: string;
  /** Seat in the row, such as `A`. */
  readonly seat_no: string;
  /** Kind of seat, as text. */
  readonly seat_type: string;
  /** Amount in `currency`. */
  readonly price: number;
  /** Currency of the price, such as `INR`. */
  readonly currency: string;
}

/** The price of a booking or of one passenger (§2.10). Amounts are in `currency`; `total_fare` is the final total. */
export interface BookedFare extends QuotedFare {
  /** Extra baggage, in `currency`. */
  readonly total_baggage_charges: number;
  /** Meals, in `currency`. */
  readonly total_meal_charges: number;
  /** Seats, in `currency`. */
  readonly total_seat_charges: number;
  /** Other special services, in `currency`. */
  readonly total_special_service_charges: number;
}
