/** How a passenger is addressed (§4.3). */
export type Title = "Mr" | "Mrs" | "Ms" | "Mstr";
/** What a passenger counts as (§4.3). */
export type PassengerType = "adult" | "child" | "infant";
/** §4.3. */
export type Gender = "M" | "F";

/** A person to be booked (§4.3). */
export interface Passenger {
  /** `Mr` (man), `Mrs` or `Ms` (woman or girl), `Mstr` (boy). */
  readonly title: Title;
  /** First name; the quote's `fname_format` says how to write it. */
  readonly fname: string;
  /** Last name; the quote's `lname_format` says how to write it. */
  readonly lname: string;
  /** Mobile number to reach the passenger. */
  readonly mobile: string;
  /** E-mail address to reach the passenger. */
  readonly email: string;
  /** By age on the first departure: `adult` from 12, `child` from 2, else `infant`. */
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
  /** Such as `IN`. */
  readonly country_code: string;
  /** One entry a leg. */
  readonly seat?: readonly ServiceChoice[] | undefined;
  /** One entry a leg. */
  readonly baggage?: readonly ServiceChoice[] | undefined;
  /** One entry a leg. */
  readonly meal?: readonly ServiceChoice[] | undefined;
  /** Who the tax invoice goes to. */
  readonly gst?: GstDetails | undefined;
}

/** A seat, a piece of baggage or a meal on one leg (§4.3). The codes come from a source that the document does not show. */
export interface ServiceChoice {
  /** Code of the seat, baggage or meal, from a source that the document does not show. */
  readonly code: string;
  /** 3-letter IATA code of where the leg begins. */
  readonly origin: string;
  /** 3-letter IATA code of where the leg ends. */
  readonly destination: string;
}

/** The company for the tax invoice (§4.3). */
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
