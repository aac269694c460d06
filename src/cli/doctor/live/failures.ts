import type { AnyApiError, AnyServiceApiError } from "../../../errors/any.ts";
import { ApiError } from "../../../errors/api.ts";
import type { CallRecord } from "./call-record.ts";

/** Returns a refusal by the service itself: not a redirect, and not a page of a gateway. */
export function refusalOf(error: AnyServiceApiError | undefined): AnyApiError | undefined {
  if (!ApiError.isInstance(error) || (error.httpStatus >= 300 && error.httpStatus < 400)) return undefined;
  return error as AnyApiError;
}

/** Whether no response came in time. */
export function isTimedOut(error: AnyServiceApiError | undefined): boolean {
  return error?.kind === "timeout";
}

/** Whether something in front of the service does not know the path: the service itself would have sent a status. */
export function isPathUnknown({ exchange, envelope }: CallRecord): boolean {
  const isRefused = exchange?.status === 404 || exchange?.status === 405;
  return isRefused && envelope.statusCode === undefined && envelope.verdict === "unknown";
}
