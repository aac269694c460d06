import * as z from "zod/mini";
import { expected } from "../shared/expected.ts";
import { countsVpas, isVpa } from "./rules.ts";
import type { FindVpasParams, VpaResult } from "./types.ts";

/** §4.1. `operations.ts` checks the format of the number, which `validation.mobile: "asGiven"` disables. */
export const findVpasParamsSchema: z.ZodMiniType<FindVpasParams, FindVpasParams> = z.strictObject({
  vpa_mobile: z.string(),
  consent: z.literal("Y", { error: 'must be "Y", given by the account holder; it is never filled in for you' }),
  clientData: z.optional(z.strictObject({ client_id: z.string().check(z.minLength(1)) })),
});

const vpa = expected(isVpa, "is not of the form <mobile>@<handle>");

/** §2.2 */
export const vpaResultSchema: z.ZodMiniType<VpaResult, VpaResult> = z
  .looseObject({
    status: z.string(),
    statusCode: z.string(),
    partner_id: z.string(),
    name: z.string(),
    vpa: z.string().check(z.minLength(1), vpa),
    vpaList: z.array(z.string().check(vpa)),
    count: z.number(),
    description: z.string(),
    accountStatus: z.string(),
    clientData: z.looseObject({ client_id: z.string(), mobile: z.string() }),
    message: z.string(),
  })
  .check(expected(countsVpas, "is not the length of `vpaList`", { code: "unexpected_value", path: ["count"] }));
