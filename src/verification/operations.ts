import { defineOperation } from "../operation.ts";
import { standardSchema } from "../shared/standard-schema.ts";
import { mobilePattern, normalizeMobile } from "./mobile.ts";
import { findVpasParamsSchema, vpaResultSchema } from "./schemas.ts";
import type { FindVpasParams, VpaResult } from "./types.ts";

/** `POST verification/upimobile_multiple` (§4.1). */
export const findVpas = defineOperation<FindVpasParams, VpaResult>({
  name: "verification.findVpas",
  area: "verification",
  path: "verification/upimobile_multiple",
  params: standardSchema(findVpasParamsSchema),
  body: standardSchema(vpaResultSchema),
  essential: ["vpa|vpaList"],
  retry: "safe",
  timeout: 30_000,
  autofill: ["clientData"],
  normalize(params, { mobile }) {
    if (mobile === "asGiven" || typeof params.vpa_mobile !== "string") return params;
    return { ...params, vpa_mobile: normalizeMobile(params.vpa_mobile) };
  },
  validateParams({ vpa_mobile }, { mobile }) {
    if (mobile === "asGiven" || typeof vpa_mobile !== "string" || mobilePattern.test(vpa_mobile)) return [];
    const message = "must be an Indian mobile number: ten digits, the first from 6 to 9";
    return [{ path: ["vpa_mobile"], message, code: "invalid_format" }];
  },
});
