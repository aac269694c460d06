import * as z from "zod/mini";
import type { FareQuote, FareQuoteResult, MiniFareRule } from "../types/index.ts";
import { airline, airport, amount, numeric, quoteToken, timestamp } from "./fields.ts";
import { segmentSchema } from "./segment.ts";

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
