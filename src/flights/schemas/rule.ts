import * as z from "zod/mini";
import type { FareRule } from "../types/index.ts";

/** §4.5, §2.7. */
export const fareRuleSchema: z.ZodMiniType<FareRule, FareRule> = z.looseObject({
  status: z.string(),
  status_code: z.string(),
  message: z.string(),
  data: z.looseObject({
    trace_id: z.string(),
    result: z.array(
      z.looseObject({
        origin: z.string(),
        destination: z.string(),
        airline: z.string(),
        flight_id: z.int(),
        departure_time: z.string(),
        return_time: z.string(),
        fare_rules: z.string(),
        fare_inclusions: z.array(z.string()),
        fare_restriction: z.nullable(z.string()),
      }),
    ),
  }),
});
