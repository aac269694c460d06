import type { OperationResponse } from "../../operation.ts";
import { field, isObject, isObjectOrList, stringOf, trimmedScalar, valuesOf } from "../../shared/json.ts";
import { type BookingReference, normalizeKey } from "./reference.ts";
import { bookedFlags } from "./strings.ts";
import { bookingFailed, denyingMessage, denyingStatus } from "./vocabulary.ts";

/**
 * Returns true if a response denies the booking that it names: by its verdict, or by a field or a message around the
 * booking. An undocumented status ("CANCELLED") counts as well: a booking is returned only if nothing speaks against it.
 */
export function deniesBooking(response: OperationResponse, { booking }: BookingReference): boolean {
  const { verdict, body, httpStatus, statusCode, serviceMessage } = response;
  if (verdict === "failed" || verdict === "pending" || Number(statusCode) >= 400) return true;
  const data = field(body, "data");
  const around = [body, data, field(body, "result"), field(data, "result"), booking].filter(isObject);
  const fields = around.flatMap(Object.entries<unknown>).map(([key, value]) => [normalizeKey(key), value] as const);
  if (fields.some(([name, value]) => denials.get(name)?.(value))) return true;
  const messages = [serviceMessage, ...around.map((place) => stringOf(field(place, "message")))].join("\n");
  if (verdict === "unknown" && (httpStatus >= 400 || denyingMessage.test(messages))) return true;
  const reasons = fields.flatMap(([name, value]) => (reasonKeys.has(name) ? [stringOf(value)] : []));
  return bookingFailed.test([messages, ...reasons].join("\n"));
}

/** Fields in which an object says that it is not a booking, and how. */
const denials: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...[...bookedFlags].map((flag) => [flag, isNo] as const),
  ...["error", "errors"].map((key) => [key, isError] as const),
  ["errorcode", isErrorCode] as const,
  ..."status state bookingstatus bookingstate pnrstatus reservationstatus"
    .split(" ")
    .map((key) => [key, isDenyingStatus] as const),
]);

const reasonKeys = new Set("errormessage errormsg errordescription description reason remark remarks".split(" "));

function isNo(value: unknown): boolean {
  return value === false || /^(false|no|n|0)$/i.test(trimmedScalar(value));
}

/** Some services send an error with empty fields, or with the code 0, which says nothing. */
function isError(error: unknown): boolean {
  return parts(error).some((part) =>
    isObjectOrList(part) ? valuesOf(part).length > 0 : part === true || !/^0*$/.test(trimmedScalar(part)),
  );
}

function isErrorCode(code: unknown): boolean {
  return !/^(0*|200|ok|success|none|null|na)$/i.test(trimmedScalar(code));
}

function isDenyingStatus(status: unknown): boolean {
  return parts(status).some((part) => {
    const text = trimmedScalar(part);
    return part === false || Number(text) >= 400 || denyingStatus.test(text);
  });
}

function parts(value: unknown): readonly unknown[] {
  return isObjectOrList(value) ? valuesOf(value) : [value];
}
