import { operationOf } from "../operation.ts";
import { checkedSchema } from "../shared/validate.ts";
import { mobilePattern, normalizeMobile } from "./rules.ts";
import { findVpasParamsSchema, vpaResultSchema } from "./schemas.ts";
import type { FindVpasParams, VpaResult } from "./types.ts";

/** `POST verification/upimobile_multiple` (§4.1). */
export const findVpas = operationOf<FindVpasParams, VpaResult>({
  name: "verification.findVpas",
  area: "verification",
  path: "verification/upimobile_multiple",
  params: checkedSchema(findVpasParamsSchema),
  body: checkedSchema(vpaResultSchema),
  essential: ["vpa|vpaList"],
  echo: [
    {
      response: "clientData.mobile",
      request: "vpa_mobile",
      onMismatch: "refused",
      code: "mobile_mismatch",
      compare: "mobile",
    },
    {
      response: "clientData.client_id",
      request: "clientData.client_id",
      onMismatch: "warning",
      code: "client_id_mismatch",
    },
  ],
  retry: "safe",
  timeout: 30_000,
  autofill: ["clientData"],
  normalize(params, { validation }) {
    if (validation?.mobile === "asGiven" || typeof params.vpa_mobile !== "string") return params;
    return { ...params, vpa_mobile: normalizeMobile(params.vpa_mobile) };
  },
  validateParams({ vpa_mobile }, { validation }) {
    if (validation?.mobile === "asGiven" || typeof vpa_mobile !== "string" || mobilePattern.test(vpa_mobile)) return [];
    const message = "must be an Indian mobile number: ten digits, the first from 6 to 9";
    return [{ path: ["vpa_mobile"], message, code: "invalid_format" }];
  },
});
