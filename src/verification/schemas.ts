import {
  array,
  formatted,
  literal,
  looseObject,
  notEmpty,
  number,
  optional,
  refined,
  strictObject,
  string,
} from "../shared/schema.ts";
import type { FindVpasParams, VpaResult } from "./types.ts";

/** §4.1. `operations.ts` checks the format of the number, which `validation.mobile: "asGiven"` disables. */
export const findVpasParamsSchema = strictObject<FindVpasParams>({
  vpa_mobile: string,
  consent: literal("Y", 'must be "Y", given by the account holder; it is never filled in for you'),
  clientData: optional(strictObject({ client_id: notEmpty(string) })),
});

/** `<mobile>@<handle>`; the part before the `@` may be a name. */
const vpa = (base = string) => formatted(/^[^\s@]+@[^\s@]+$/, "is not of the form <mobile>@<handle>", base);

/** §2.2 */
const fields = looseObject<VpaResult>({
  status: string,
  statusCode: string,
  partner_id: string,
  name: string,
  vpa: vpa(notEmpty(string)),
  vpaList: array(vpa()),
  count: number,
  description: string,
  accountStatus: string,
  clientData: looseObject({ client_id: string, mobile: string }),
  message: string,
});

export const vpaResultSchema = refined(fields, { test: countsVpas }, "is not the length of `vpaList`", {
  code: "unexpected_value",
  path: ["count"],
});

/** True if `count` is not a number, or there is no list: those fields have issues themselves. */
function countsVpas({ count, vpaList }: VpaResult): boolean {
  return typeof count !== "number" || !Array.isArray(vpaList) || count === vpaList.length;
}
