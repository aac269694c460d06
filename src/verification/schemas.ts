import * as s from "../shared/schema.ts";
import type { FindVpasParams, VpaResult } from "./types.ts";

/** §4.1. `operations.ts` checks the format of the number, which `validation.mobile: "asGiven"` disables. */
export const findVpasParamsSchema = s.strictObject<FindVpasParams>({
  vpa_mobile: s.string,
  consent: s.literal("Y", 'must be "Y", given by the account holder; it is never filled in for you'),
  clientData: s.optional(s.strictObject({ client_id: s.notEmpty(s.string) })),
});

/** `<mobile>@<handle>`; the part before the `@` may be a name. */
const vpa = (base = s.string) => s.formatted(/^[^\s@]+@[^\s@]+$/, "is not of the form <mobile>@<handle>", base);

/** §2.2 */
const fields = s.looseObject<VpaResult>({
  status: s.string,
  statusCode: s.string,
  partner_id: s.string,
  name: s.string,
  vpa: vpa(s.notEmpty(s.string)),
  vpaList: s.array(vpa()),
  count: s.number,
  description: s.string,
  accountStatus: s.string,
  clientData: s.looseObject({ client_id: s.string, mobile: s.string }),
  message: s.string,
});

export const vpaResultSchema = s.refined(fields, { test: countsVpas }, "is not the length of `vpaList`", {
  code: "unexpected_value",
  path: ["count"],
});

/** True if `count` is not a number, or there is no list: those fields have issues themselves. */
function countsVpas({ count, vpaList }: VpaResult): boolean {
  return typeof count !== "number" || !Array.isArray(vpaList) || count === vpaList.length;
}
