import * as z from "zod/mini";
import type { Segment } from "../types/index.ts";
import { airline, airport, timestamp } from "./fields.ts";

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
