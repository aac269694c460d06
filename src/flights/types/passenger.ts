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
