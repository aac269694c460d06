import * as z from "zod/mini";
import type {
  BookedFare,
  BookedPassenger,
  BookedSeat,
  Booking,
  FareQuote,
  FareQuoteResult,
  FareRule,
  MiniFareRule,
  Segment,
} from "../types/index.ts";
import { airline, airport, amount, date, numeric, quoteToken, timestamp } from "./fields.ts";

const place = {
  airport_code: airport,
  airport_name: z.string(),
  terminal: z.string(),
  city_code: z.string(),
  city_name: z.string(),
  country_code: z.string(),
  country_name: z.string(),
};

/** §2.5. */
export const segmentSchema: z.ZodMiniType<Segment, Segment> = z.looseObject({
  trip_indicator: z.string(),
  segment_indicator: z.string(),
  flight_number: z.string(),
  airline_code: airline,
  airline_name: z.string(),
  fare_class: z.string(),
  operating_carrier: z.string(),
  origin: z.looseObject({ ...place, departure_time: timestamp }),
  destination: z.looseObject({ ...place, arrival_time: timestamp }),
  duration: z.string(),
  baggage: z.looseObject({ checked_baggage: z.string(), cabin_baggage: z.string() }),
  flight_class: z.nullable(z.string()),
  is_stopover: z.boolean(),
  "e-ticket_available": z.boolean(),
  flight_status: z.string(),
});

const miniFareRule: z.ZodMiniType<MiniFareRule, MiniFareRule> = z.looseObject({
  journey_points: z.string(),
  type: z.string(),
  from: numeric,
  to: numeric,
  unit: z.string(),
  charges: z.string(),
  online_reissue_allowed: z.boolean(),
  online_refund_allowed: z.boolean(),
});

const result: z.ZodMiniType<FareQuoteResult, FareQuoteResult> = z.looseObject({
  token: quoteToken,
  fname_format: z.string(),
  lname_format: z.string(),
  source: z.string(),
  airline_code: airline,
  airline_remark: z.string(),
  validating_airline: z.string(),
  is_lcc: z.boolean(),
  free_meal: z.boolean(),
  refundable: z.boolean(),
  coupon_applicable: z.boolean(),
  pan_required_at_book: z.boolean(),
  pan_required_at_ticket: z.boolean(),
  passport_required_at_book: z.boolean(),
  passport_required_at_ticket: z.boolean(),
  hold_mandatory_with_ssr: z.boolean(),
  gst_mandatory: z.boolean(),
  last_ticket_date: timestamp,
  segments: z.array(segmentSchema),
  fare_type: z.string(),
  fare: z.looseObject({
    currency: z.string(),
    basefare: amount,
    tax_and_surcharges: amount,
    total_fare: amount,
  }),
  fare_breakdown: z.array(
    z.looseObject({
      currency: z.string(),
      passenger_type: z.string(),
      passenger_count: z.int(),
      basefare: amount,
    }),
  ),
  /** §2.4 shows an empty list and no more. */
  fare_inclusions: z.array(z.unknown()),
  fare_rules: z.array(z.looseObject({ origin: airport, destination: airport, airline, fare_rules: z.string() })),
  mini_fare_rules: z.array(miniFareRule),
});

/** §4.4, §2.4. */
export const fareQuoteSchema: z.ZodMiniType<FareQuote, FareQuote> = z.looseObject({
  status: z.string(),
  status_code: z.string(),
  message: z.string(),
  data: z.looseObject({ trace_id: z.string(), result: z.array(result) }),
});

/** §4.5, §2.7. */
export const fareRuleSchema: z.ZodMiniType<FareRule, FareRule> = z.looseObject({
  status: z.string(),
  status_code: z.string(),
  message: z.string(),
  data: z.looseObject({
    trace_id: z.string(),
    result: z.array(
      z.looseObject({
        origin: airport,
        destination: airport,
        airline,
        flight_id: z.int(),
        departure_time: timestamp,
        return_time: timestamp,
        fare_rules: z.string(),
        fare_inclusions: z.array(z.string()),
        fare_restriction: z.nullable(z.string()),
      }),
    ),
  }),
});

const fare: z.ZodMiniType<BookedFare, BookedFare> = z.looseObject({
  currency: z.string(),
  basefare: amount,
  tax_and_surcharges: amount,
  total_fare: amount,
  total_baggage_charges: amount,
  total_meal_charges: amount,
  total_seat_charges: amount,
  total_special_service_charges: amount,
});

const seat: z.ZodMiniType<BookedSeat, BookedSeat> = z.looseObject({
  code: z.string(),
  desc: z.string(),
  airline_code: airline,
  flight_number: z.string(),
  craft_type: z.string(),
  row_no: z.string(),
  seat_no: z.string(),
  seat_type: z.string(),
  price: amount,
  currency: z.string(),
  origin: airport,
  destination: airport,
});

const passenger: z.ZodMiniType<BookedPassenger, BookedPassenger> = z.looseObject({
  passenger_id: z.int(),
  barcode_details: z.looseObject({
    Id: z.int(),
    Barcode: z.array(
      z.looseObject({
        Index: z.int(),
        Format: z.string(),
        Content: z.string(),
        BarCodeInBase64: z.nullable(z.string()),
        JourneyWayType: z.int(),
      }),
    ),
  }),
  title: z.string(),
  fname: z.string(),
  lname: z.string(),
  passenger_type: z.string(),
  dob: date,
  gender: z.string(),
  mobile: z.string(),
  email: z.string(),
  address: z.string(),
  city: z.string(),
  country_code: z.string(),
  country: z.string(),
  is_lead_passenger: z.boolean(),
  fare,
  seat: z.array(seat),
});

/** §4.3, §2.8. */
export const bookingSchema: z.ZodMiniType<Booking, Booking> = z.looseObject({
  status: z.string(),
  status_code: z.string(),
  message: z.string(),
  data: z.looseObject({
    trace_id: z.string(),
    result: z.looseObject({
      pnr: z.string(),
      booking_id: z.int(),
      price_changed: z.boolean(),
      time_changed: z.boolean(),
      seats_booked: z.boolean(),
      domestic: z.boolean(),
      source: z.string(),
      origin: airport,
      destination: airport,
      airline_code: airline,
      airline_remark: z.string(),
      last_ticket_date: timestamp,
      is_lcc: z.boolean(),
      non_refundable: z.boolean(),
      coupon_applicable: z.boolean(),
      credit_note_no: z.nullable(z.string()),
      segments: z.array(segmentSchema),
      passengers: z.array(passenger),
      fare,
    }),
  }),
});
