// Generated from the zod schemas by scripts/generate-checks.ts: do not edit.
import { hasOnlyFields, isBoolean, isInteger, isListOf, isNumber, isObject, isString } from "../shared/checks.ts";
import {
  isAirlineCode,
  isAirportCode,
  isDate,
  isNotNegative,
  isNumeric,
  isTimestamp,
  isToken,
} from "./schemas/rules.ts";

export function isBookParams(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.trace_id) &&
    value.trace_id.length > 0 &&
    isToken(value.token) &&
    isListOf(value.passengers, isPassenger) &&
    value.passengers.length > 0 &&
    (value.client_referenceId === undefined ||
      (isString(value.client_referenceId) && value.client_referenceId.length > 0)) &&
    hasOnlyFields(value, ["trace_id", "token", "passengers", "client_referenceId"])
  );
}

function isBookingDataResultSegmentsOrigin(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.airport_code) &&
    isAirportCode(value.airport_code) &&
    isString(value.airport_name) &&
    isString(value.terminal) &&
    isString(value.city_code) &&
    isString(value.city_name) &&
    isString(value.country_code) &&
    isString(value.country_name) &&
    isString(value.departure_time) &&
    isTimestamp(value.departure_time)
  );
}

function isBookingDataResultSegmentsDestination(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.airport_code) &&
    isAirportCode(value.airport_code) &&
    isString(value.airport_name) &&
    isString(value.terminal) &&
    isString(value.city_code) &&
    isString(value.city_name) &&
    isString(value.country_code) &&
    isString(value.country_name) &&
    isString(value.arrival_time) &&
    isTimestamp(value.arrival_time)
  );
}

function isBookingDataResultSegmentsBaggage(value: unknown): boolean {
  return isObject(value) && isString(value.checked_baggage) && isString(value.cabin_baggage);
}

function isBookingDataResultSegments(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.trip_indicator) &&
    isString(value.segment_indicator) &&
    isString(value.flight_number) &&
    isString(value.airline_code) &&
    isAirlineCode(value.airline_code) &&
    isString(value.airline_name) &&
    isString(value.fare_class) &&
    isString(value.operating_carrier) &&
    isBookingDataResultSegmentsOrigin(value.origin) &&
    isBookingDataResultSegmentsDestination(value.destination) &&
    isString(value.duration) &&
    isBookingDataResultSegmentsBaggage(value.baggage) &&
    (value.flight_class === null || isString(value.flight_class)) &&
    isBoolean(value.is_stopover) &&
    isBoolean(value["e-ticket_available"]) &&
    isString(value.flight_status)
  );
}

function isBookingDataResultPassengersBarcodeDetailsBarcode(value: unknown): boolean {
  return (
    isObject(value) &&
    isInteger(value.Index) &&
    isString(value.Format) &&
    isString(value.Content) &&
    (value.BarCodeInBase64 === null || isString(value.BarCodeInBase64)) &&
    isInteger(value.JourneyWayType)
  );
}

function isBookingDataResultPassengersBarcodeDetails(value: unknown): boolean {
  return (
    isObject(value) &&
    isInteger(value.Id) &&
    isListOf(value.Barcode, isBookingDataResultPassengersBarcodeDetailsBarcode)
  );
}

function isBookingDataResultPassengersFare(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.currency) &&
    isNumber(value.basefare) &&
    isNotNegative(value.basefare) &&
    isNumber(value.tax_and_surcharges) &&
    isNotNegative(value.tax_and_surcharges) &&
    isNumber(value.total_fare) &&
    isNotNegative(value.total_fare) &&
    isNumber(value.total_baggage_charges) &&
    isNotNegative(value.total_baggage_charges) &&
    isNumber(value.total_meal_charges) &&
    isNotNegative(value.total_meal_charges) &&
    isNumber(value.total_seat_charges) &&
    isNotNegative(value.total_seat_charges) &&
    isNumber(value.total_special_service_charges) &&
    isNotNegative(value.total_special_service_charges)
  );
}

function isBookingDataResultPassengersSeat(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.code) &&
    isString(value.desc) &&
    isString(value.airline_code) &&
    isAirlineCode(value.airline_code) &&
    isString(value.flight_number) &&
    isString(value.craft_type) &&
    isString(value.row_no) &&
    isString(value.seat_no) &&
    isString(value.seat_type) &&
    isNumber(value.price) &&
    isNotNegative(value.price) &&
    isString(value.currency) &&
    isString(value.origin) &&
    isAirportCode(value.origin) &&
    isString(value.destination) &&
    isAirportCode(value.destination)
  );
}

function isBookingDataResultPassengers(value: unknown): boolean {
  return (
    isObject(value) &&
    isInteger(value.passenger_id) &&
    isBookingDataResultPassengersBarcodeDetails(value.barcode_details) &&
    isString(value.title) &&
    isString(value.fname) &&
    isString(value.lname) &&
    isString(value.passenger_type) &&
    isString(value.dob) &&
    isDate(value.dob) &&
    isString(value.gender) &&
    isString(value.mobile) &&
    isString(value.email) &&
    isString(value.address) &&
    isString(value.city) &&
    isString(value.country_code) &&
    isString(value.country) &&
    isBoolean(value.is_lead_passenger) &&
    isBookingDataResultPassengersFare(value.fare) &&
    isListOf(value.seat, isBookingDataResultPassengersSeat)
  );
}

function isBookingDataResult(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.pnr) &&
    isInteger(value.booking_id) &&
    isBoolean(value.price_changed) &&
    isBoolean(value.time_changed) &&
    isBoolean(value.seats_booked) &&
    isBoolean(value.domestic) &&
    isString(value.source) &&
    isString(value.origin) &&
    isAirportCode(value.origin) &&
    isString(value.destination) &&
    isAirportCode(value.destination) &&
    isString(value.airline_code) &&
    isAirlineCode(value.airline_code) &&
    isString(value.airline_remark) &&
    isString(value.last_ticket_date) &&
    isTimestamp(value.last_ticket_date) &&
    isBoolean(value.is_lcc) &&
    isBoolean(value.non_refundable) &&
    isBoolean(value.coupon_applicable) &&
    (value.credit_note_no === null || isString(value.credit_note_no)) &&
    isListOf(value.segments, isBookingDataResultSegments) &&
    isListOf(value.passengers, isBookingDataResultPassengers) &&
    isBookingDataResultPassengersFare(value.fare)
  );
}

function isBookingData(value: unknown): boolean {
  return isObject(value) && isString(value.trace_id) && isBookingDataResult(value.result);
}

export function isBooking(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.status) &&
    isString(value.status_code) &&
    isString(value.message) &&
    isBookingData(value.data)
  );
}

export function isFareQuoteParams(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.trace_id) &&
    value.trace_id.length > 0 &&
    isToken(value.token) &&
    (value.client_referenceId === undefined ||
      (isString(value.client_referenceId) && value.client_referenceId.length > 0)) &&
    hasOnlyFields(value, ["trace_id", "token", "client_referenceId"])
  );
}

function isFareQuoteDataResultFare(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.currency) &&
    isNumber(value.basefare) &&
    isNotNegative(value.basefare) &&
    isNumber(value.tax_and_surcharges) &&
    isNotNegative(value.tax_and_surcharges) &&
    isNumber(value.total_fare) &&
    isNotNegative(value.total_fare)
  );
}

function isFareQuoteDataResultFareBreakdown(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.currency) &&
    isString(value.passenger_type) &&
    isInteger(value.passenger_count) &&
    isNumber(value.basefare) &&
    isNotNegative(value.basefare)
  );
}

function isFareQuoteDataResultFareRules(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.origin) &&
    isAirportCode(value.origin) &&
    isString(value.destination) &&
    isAirportCode(value.destination) &&
    isString(value.airline) &&
    isAirlineCode(value.airline) &&
    isString(value.fare_rules)
  );
}

function isFareQuoteDataResultMiniFareRules(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.journey_points) &&
    isString(value.type) &&
    isString(value.from) &&
    isNumeric(value.from) &&
    isString(value.to) &&
    isNumeric(value.to) &&
    isString(value.unit) &&
    isString(value.charges) &&
    isBoolean(value.online_reissue_allowed) &&
    isBoolean(value.online_refund_allowed)
  );
}

function isFareQuoteDataResult(value: unknown): boolean {
  return (
    isObject(value) &&
    isToken(value.token) &&
    isString(value.fname_format) &&
    isString(value.lname_format) &&
    isString(value.source) &&
    isString(value.airline_code) &&
    isAirlineCode(value.airline_code) &&
    isString(value.airline_remark) &&
    isString(value.validating_airline) &&
    isBoolean(value.is_lcc) &&
    isBoolean(value.free_meal) &&
    isBoolean(value.refundable) &&
    isBoolean(value.coupon_applicable) &&
    isBoolean(value.pan_required_at_book) &&
    isBoolean(value.pan_required_at_ticket) &&
    isBoolean(value.passport_required_at_book) &&
    isBoolean(value.passport_required_at_ticket) &&
    isBoolean(value.hold_mandatory_with_ssr) &&
    isBoolean(value.gst_mandatory) &&
    isString(value.last_ticket_date) &&
    isTimestamp(value.last_ticket_date) &&
    isListOf(value.segments, isBookingDataResultSegments) &&
    isString(value.fare_type) &&
    isFareQuoteDataResultFare(value.fare) &&
    isListOf(value.fare_breakdown, isFareQuoteDataResultFareBreakdown) &&
    Array.isArray(value.fare_inclusions) &&
    isListOf(value.fare_rules, isFareQuoteDataResultFareRules) &&
    isListOf(value.mini_fare_rules, isFareQuoteDataResultMiniFareRules)
  );
}

function isFareQuoteData(value: unknown): boolean {
  return isObject(value) && isString(value.trace_id) && isListOf(value.result, isFareQuoteDataResult);
}

export function isFareQuote(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.status) &&
    isString(value.status_code) &&
    isString(value.message) &&
    isFareQuoteData(value.data)
  );
}

export function isFareRuleParams(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.trace_id) &&
    value.trace_id.length > 0 &&
    isToken(value.token) &&
    (value.client_referenceId === undefined ||
      (isString(value.client_referenceId) && value.client_referenceId.length > 0)) &&
    hasOnlyFields(value, ["trace_id", "token", "client_referenceId"])
  );
}

function isFareRuleDataResult(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.origin) &&
    isAirportCode(value.origin) &&
    isString(value.destination) &&
    isAirportCode(value.destination) &&
    isString(value.airline) &&
    isAirlineCode(value.airline) &&
    isInteger(value.flight_id) &&
    isString(value.departure_time) &&
    isTimestamp(value.departure_time) &&
    isString(value.return_time) &&
    isTimestamp(value.return_time) &&
    isString(value.fare_rules) &&
    isListOf(value.fare_inclusions, isString) &&
    (value.fare_restriction === null || isString(value.fare_restriction))
  );
}

function isFareRuleData(value: unknown): boolean {
  return isObject(value) && isString(value.trace_id) && isListOf(value.result, isFareRuleDataResult);
}

export function isFareRule(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.status) &&
    isString(value.status_code) &&
    isString(value.message) &&
    isFareRuleData(value.data)
  );
}

function isPassengerSeat(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.code) &&
    value.code.length > 0 &&
    isString(value.origin) &&
    /^[A-Za-z]{3}$/.test(value.origin) &&
    isString(value.destination) &&
    /^[A-Za-z]{3}$/.test(value.destination) &&
    hasOnlyFields(value, ["code", "origin", "destination"])
  );
}

function isPassengerGst(value: unknown): boolean {
  return (
    isObject(value) &&
    isString(value.gst_company_name) &&
    isString(value.gst_number) &&
    isString(value.gst_company_address) &&
    isString(value.gst_company_mobile) &&
    isString(value.gst_company_email) &&
    hasOnlyFields(value, [
      "gst_company_name",
      "gst_number",
      "gst_company_address",
      "gst_company_mobile",
      "gst_company_email",
    ])
  );
}

export function isPassenger(value: unknown): boolean {
  return (
    isObject(value) &&
    (value.title === "Mr" || value.title === "Mrs" || value.title === "Ms" || value.title === "Mstr") &&
    isString(value.fname) &&
    value.fname.length > 0 &&
    isString(value.lname) &&
    value.lname.length > 0 &&
    isString(value.mobile) &&
    value.mobile.length > 0 &&
    isString(value.email) &&
    /^[^\s@]+@[^\s@]+$/.test(value.email) &&
    (value.passenger_type === "adult" || value.passenger_type === "child" || value.passenger_type === "infant") &&
    isString(value.dob) &&
    /^(?:(?:\d\d(?:[2468][048]|[13579][26]|0[48])|(?:[02468][048]|[13579][26])00)-02-29|\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))$/.test(
      value.dob,
    ) &&
    (value.gender === "M" || value.gender === "F") &&
    isString(value.address) &&
    value.address.length > 0 &&
    isString(value.city) &&
    value.city.length > 0 &&
    isString(value.country) &&
    value.country.length > 0 &&
    isString(value.country_code) &&
    value.country_code.length > 0 &&
    (value.seat === undefined || isListOf(value.seat, isPassengerSeat)) &&
    (value.baggage === undefined || isListOf(value.baggage, isPassengerSeat)) &&
    (value.meal === undefined || isListOf(value.meal, isPassengerSeat)) &&
    (value.gst === undefined || isPassengerGst(value.gst)) &&
    hasOnlyFields(value, [
      "title",
      "fname",
      "lname",
      "mobile",
      "email",
      "passenger_type",
      "dob",
      "gender",
      "address",
      "city",
      "country",
      "country_code",
      "seat",
      "baggage",
      "meal",
      "gst",
    ])
  );
}
