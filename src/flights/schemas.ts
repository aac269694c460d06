import { each } from "../shared/objects.ts";
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
  Barcode,
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
export const gstFields = [
  "gst_company_name",
  "gst_number",
  "gst_company_address",
  "gst_company_mobile",
  "gst_company_email",
] as const satisfies readonly (keyof GstDetails)[];

/**
 * A day that the calendar has, as `YYYY-MM-DD`: 29 February in leap years alone. The same pattern of zod brings all its others
 * into a bundle.
 */
const calendarDay =
  /^(?:(?:\d\d(?:[2468][048]|[13579][26]|0[48])|(?:[02468][048]|[13579][26])00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))$/;

export const passengerShape = {
  title: oneOf(["Mr", "Mrs", "Ms", "Mstr"]),
  ...each(text, "fname", "lname", "mobile"),
  email: matching(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address"),
  passenger_type: oneOf(["adult", "child", "infant"]),
  dob: matching(calendarDay, "must be a calendar date as YYYY-MM-DD"),
  gender: oneOf(["M", "F"]),
  ...each(text, "address", "city", "country", "country_code"),
  ...each(choices, "seat", "baggage", "meal"),
  gst: optional(strictObject<GstDetails>(each(string, ...gstFields))),
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
  ...each(string, "airport_name", "terminal", "city_code", "city_name", "country_code", "country_name"),
};

/** §2.5. */
export const segmentSchema = looseObject<Segment>({
  ...each(string, "trip_indicator", "segment_indicator", "flight_number"),
  airline_code: airline,
  ...each(string, "airline_name", "fare_class", "operating_carrier"),
  origin: looseObject({ ...place, departure_time: timestamp }),
  destination: looseObject({ ...place, arrival_time: timestamp }),
  duration: string,
  baggage: looseObject(each(string, "checked_baggage", "cabin_baggage")),
  flight_class: nullable(string),
  ...each(boolean, "is_stopover", "e-ticket_available"),
  flight_status: string,
});

const miniFareRule = looseObject<MiniFareRule>({
  ...each(string, "journey_points", "type", "unit", "charges"),
  ...each(numeric, "from", "to"),
  ...each(boolean, "online_reissue_allowed", "online_refund_allowed"),
});

const price = { currency: string, ...each(amount, "basefare", "tax_and_surcharges", "total_fare") };

/** The flags of an offer that say what it wants (§2.4). */
export const needFlags = [
  "passport_required_at_book",
  "passport_required_at_ticket",
  "pan_required_at_book",
  "pan_required_at_ticket",
  "gst_mandatory",
  "hold_mandatory_with_ssr",
] as const satisfies readonly (keyof FareQuoteResult)[];

/** The fields that a quote and a booking have in common. */
const trip = {
  ...each(string, "source", "airline_remark"),
  airline_code: airline,
  ...each(boolean, "is_lcc", "coupon_applicable"),
  last_ticket_date: timestamp,
  segments: array(segmentSchema),
};

const quotedRule = { ...each(airport, "origin", "destination"), airline, fare_rules: string };

const result = looseObject<FareQuoteResult>({
  ...trip,
  token: quoteToken,
  ...each(string, "fname_format", "lname_format", "validating_airline", "fare_type"),
  ...each(boolean, "free_meal", "refundable", ...needFlags),
  fare: looseObject(price),
  fare_breakdown: array(
    looseObject({ currency: string, passenger_type: string, passenger_count: int, basefare: amount }),
  ),
  /** §2.4 shows an empty list and no more. */
  fare_inclusions: array(unknown),
  fare_rules: array(looseObject(quotedRule)),
  mini_fare_rules: array(miniFareRule),
});

const responseOf = <Result>(result: Schema<Result>) => ({
  ...each(string, "status", "status_code", "message"),
  data: looseObject<{ trace_id: string; result: Result }>({ trace_id: string, result }),
});

/** §4.4, §2.4. */
export const fareQuoteSchema = looseObject<FareQuote>(responseOf(array(result)));

const rule = looseObject<FareRuleResult>({
  ...quotedRule,
  flight_id: int,
  departure_time: timestamp,
  return_time: timestamp,
  fare_inclusions: array(string),
  fare_restriction: nullable(string),
});

/** §4.5, §2.7. */
export const fareRuleSchema = looseObject<FareRule>(responseOf(array(rule)));

/** Extras, which a quote does not have (§2.10). */
export const extraFares = [
  "total_baggage_charges",
  "total_meal_charges",
  "total_seat_charges",
  "total_special_service_charges",
] as const;

const fare = looseObject<BookedFare>({ ...price, ...each(amount, ...extraFares) });

const seat = looseObject<BookedSeat>({
  ...each(string, "code", "desc", "flight_number", "craft_type", "row_no", "seat_no", "seat_type", "currency"),
  airline_code: airline,
  price: amount,
  ...each(airport, "origin", "destination"),
});

const barcode = looseObject<Barcode>({
  ...each(int, "Index", "JourneyWayType"),
  ...each(string, "Format", "Content"),
  BarCodeInBase64: nullable(string),
});

const passenger = looseObject<BookedPassenger>({
  passenger_id: int,
  barcode_details: looseObject({ Id: int, Barcode: array(barcode) }),
  ...each(string, "title", "passenger_type", "gender", "email", "fname", "lname", "mobile"),
  ...each(string, "address", "city", "country", "country_code"),
  dob: date,
  is_lead_passenger: boolean,
  fare,
  seat: array(seat),
});

const reservation = looseObject<BookingResult>({
  ...trip,
  pnr: string,
  booking_id: int,
  ...each(boolean, "price_changed", "time_changed", "seats_booked", "domestic", "non_refundable"),
  ...each(airport, "origin", "destination"),
  credit_note_no: nullable(string),
  passengers: array(passenger),
  fare,
});

/** §4.3, §2.8. */
export const bookingSchema = looseObject<Booking>(responseOf(reservation));
