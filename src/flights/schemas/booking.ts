import * as z from "zod/mini";
import type { BookedFare, BookedPassenger, BookedSeat, Booking } from "../types/index.ts";
import { airline, airport, amount, date, timestamp } from "./fields.ts";
import { segmentSchema } from "./segment.ts";

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
