import * as z from "zod/mini";
import type { FareRule } from "../types/index.ts";
import { airline, airport, timestamp } from "./fields.ts";

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
