import {
  array,
  boolean,
  formatted,
  int,
  looseObject,
  matching,
  notEmpty,
  nullable,
  number,
  oneOf,
  optional,
  refined,
  type Schema,
  strictObject,
  string,
  stringOr,
  unknown,
} from "../shared/schema.ts";
import type {
  BookedFare,
  BookedPassenger,
  BookedSeat,
  Booking,
  BookingResult,
  BookParams,
  FareQuote,
  FareQuoteParams,
  FareQuoteResult,
  FareRule,
  FareRuleParams,
  FareRuleResult,
  GstDetails,
  MiniFareRule,
  Passenger,
  QuoteToken,
  SearchToken,
  Segment,
  ServiceChoice,
} from "./types/index.ts";

// Requests, which are strict.

const filled = <T extends string = string>(message: string) => notEmpty(stringOr<T>(message), message);
const text = filled("must be a non-empty string");

/** Tokens are opaque. */
const quoteToken = filled<QuoteToken>("must be the token of a fare quote result");

const request = {
  trace_id: filled("must be the trace_id of the flight search"),
  client_referenceId: optional(filled("must be a non-empty string; leave it out to have one generated")),
};
const searchToken = filled<SearchToken>("must be the token of a search result");

/** §4.4, §4.5. */
export const searchParamsSchema = strictObject<FareQuoteParams & FareRuleParams>({ ...request, token: searchToken });

/** §1: airport codes are 3-letter codes. */
const airportCode = matching(/^[A-Za-z]{3}$/, "must be a 3-letter airport code");

/** Seats, baggage or meals. */
const choice = strictObject<ServiceChoice>({ code: text, origin: airportCode, destination: airportCode });
const choices = optional(array(choice, "must be a list with one entry per leg"));

/** The document only calls them strings; `validatePassengers` checks that they are filled in if GST is mandatory. */
export const gstShape = {
  gst_company_name: string,
  gst_number: string,
  gst_company_address: string,
  gst_company_mobile: string,
  gst_company_email: string,
};

/**
 * A day that the calendar has, as `YYYY-MM-DD`: 29 February in leap years alone. The same pattern of zod brings all its others
 * into a bundle.
 */
const calendarDay =
  /^(?:(?:\d\d(?:[2468][048]|[13579][26]|0[48])|(?:[02468][048]|[13579][26])00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))$/;

export const passengerShape = {
  title: oneOf(["Mr", "Mrs", "Ms", "Mstr"]),
  fname: text,
  lname: text,
  mobile: text,
  email: matching(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address"),
  passenger_type: oneOf(["adult", "child", "infant"]),
  dob: matching(calendarDay, "must be a calendar date as YYYY-MM-DD"),
  gender: oneOf(["M", "F"]),
  address: text,
  city: text,
  country: text,
  country_code: text,
  seat: choices,
  baggage: choices,
  meal: choices,
  gst: optional(strictObject<GstDetails>(gstShape)),
};

/** §4.3, one passenger. */
export const passengerSchema = strictObject<Passenger>(passengerShape);

/** §4.3. */
export const bookParamsSchema = strictObject<BookParams>({
  ...request,
  token: quoteToken,
  passengers: notEmpty(array(passengerSchema, "must be a list of passengers"), "must have at least one passenger"),
});

// Responses. Another format is a warning.

/** §1. Empty if it does not apply. */
const timestamp = formatted(
  /^(?:\d{4}-[01]\d-[0-3]\d [0-2]\d:[0-5]\d:[0-5]\d)?$/,
  "is not a time as YYYY-MM-DD HH:mm:ss",
);
const date = formatted(/^\d{4}-[01]\d-[0-3]\d$/, "is not a date as YYYY-MM-DD");
const airport = formatted(/^[a-z]{3}$/i, "is not a 3-letter airport code");
/** Two letters or digits, rarely three. */
const airline = formatted(/^[a-z\d]{2,3}$/i, "is not the IATA code of an airline");
/** Empty at the end of a window that is open (§2.6). */
const numeric = formatted(/^\d*$/, "is not a number of digits");
const amount = refined(number, { test: (value) => value >= 0 }, "is negative", { code: "unexpected_format" });

const place = {
  airport_code: airport,
  airport_name: string,
  terminal: string,
  city_code: string,
  city_name: string,
  country_code: string,
  country_name: string,
};

/** §2.5. */
export const segmentSchema = looseObject<Segment>({
  trip_indicator: string,
  segment_indicator: string,
  flight_number: string,
  airline_code: airline,
  airline_name: string,
  fare_class: string,
  operating_carrier: string,
  origin: looseObject({ ...place, departure_time: timestamp }),
  destination: looseObject({ ...place, arrival_time: timestamp }),
  duration: string,
  baggage: looseObject({ checked_baggage: string, cabin_baggage: string }),
  flight_class: nullable(string),
  is_stopover: boolean,
  "e-ticket_available": boolean,
  flight_status: string,
});

const miniFareRule = looseObject<MiniFareRule>({
  journey_points: string,
  type: string,
  from: numeric,
  to: numeric,
  unit: string,
  charges: string,
  online_reissue_allowed: boolean,
  online_refund_allowed: boolean,
});

const price = { currency: string, basefare: amount, tax_and_surcharges: amount, total_fare: amount };

const result = looseObject<FareQuoteResult>({
  token: quoteToken,
  fname_format: string,
  lname_format: string,
  source: string,
  airline_code: airline,
  airline_remark: string,
  validating_airline: string,
  is_lcc: boolean,
  free_meal: boolean,
  refundable: boolean,
  coupon_applicable: boolean,
  pan_required_at_book: boolean,
  pan_required_at_ticket: boolean,
  passport_required_at_book: boolean,
  passport_required_at_ticket: boolean,
  hold_mandatory_with_ssr: boolean,
  gst_mandatory: boolean,
  last_ticket_date: timestamp,
  segments: array(segmentSchema),
  fare_type: string,
  fare: looseObject(price),
  fare_breakdown: array(
    looseObject({ currency: string, passenger_type: string, passenger_count: int, basefare: amount }),
  ),
  /** §2.4 shows an empty list and no more. */
  fare_inclusions: array(unknown),
  fare_rules: array(looseObject({ origin: airport, destination: airport, airline, fare_rules: string })),
  mini_fare_rules: array(miniFareRule),
});

const responseOf = <Result>(result: Schema<Result>) => ({
  status: string,
  status_code: string,
  message: string,
  data: looseObject<{ trace_id: string; result: Result }>({ trace_id: string, result }),
});

/** §4.4, §2.4. */
export const fareQuoteSchema = looseObject<FareQuote>(responseOf(array(result)));

const rule = looseObject<FareRuleResult>({
  origin: airport,
  destination: airport,
  airline,
  flight_id: int,
  departure_time: timestamp,
  return_time: timestamp,
  fare_rules: string,
  fare_inclusions: array(string),
  fare_restriction: nullable(string),
});

/** §4.5, §2.7. */
export const fareRuleSchema = looseObject<FareRule>(responseOf(array(rule)));

const fare = looseObject<BookedFare>({
  ...price,
  total_baggage_charges: amount,
  total_meal_charges: amount,
  total_seat_charges: amount,
  total_special_service_charges: amount,
});

const seat = looseObject<BookedSeat>({
  code: string,
  desc: string,
  airline_code: airline,
  flight_number: string,
  craft_type: string,
  row_no: string,
  seat_no: string,
  seat_type: string,
  price: amount,
  currency: string,
  origin: airport,
  destination: airport,
});

const passenger = looseObject<BookedPassenger>({
  passenger_id: int,
  barcode_details: looseObject({
    Id: int,
    Barcode: array(
      looseObject({
        Index: int,
        Format: string,
        Content: string,
        BarCodeInBase64: nullable(string),
        JourneyWayType: int,
      }),
    ),
  }),
  title: string,
  fname: string,
  lname: string,
  passenger_type: string,
  dob: date,
  gender: string,
  mobile: string,
  email: string,
  address: string,
  city: string,
  country_code: string,
  country: string,
  is_lead_passenger: boolean,
  fare,
  seat: array(seat),
});

const reservation = looseObject<BookingResult>({
  pnr: string,
  booking_id: int,
  price_changed: boolean,
  time_changed: boolean,
  seats_booked: boolean,
  domestic: boolean,
  source: string,
  origin: airport,
  destination: airport,
  airline_code: airline,
  airline_remark: string,
  last_ticket_date: timestamp,
  is_lcc: boolean,
  non_refundable: boolean,
  coupon_applicable: boolean,
  credit_note_no: nullable(string),
  segments: array(segmentSchema),
  passengers: array(passenger),
  fare,
});

/** §4.3, §2.8. */
export const bookingSchema = looseObject<Booking>(responseOf(reservation));
