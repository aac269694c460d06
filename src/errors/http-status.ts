import { type ErrorKind, type Remedy, remedyOf, ServiceApiError } from "./base.ts";

/** The HTTP status for each kind, or else remedy, that the caller of a server can act on, or that is the server's own fault. */
const kindsByStatus: readonly (readonly [status: number, ...kinds: readonly (ErrorKind | Remedy)[]])[] = [
  [400, "request_validation", "correct"],
  [402, "insufficient_balance"],
  [404, "not_found"],
  [409, "lookUp", "search", "offer_changed", "price_above_limit"],
  [409, "booking_already_sent", "booking_in_flight", "booking_already_settled", "booking_incomplete"],
  [410, "session_expired"],
  [429, "rate_limited"],
  [499, "abort"],
  [500, "configuration", "journal"],
  [503, "retry"],
  [504, "timeout", "stream_stalled"],
];
/** The status for each issue code with which `relayTurn` refuses a question. */
export const turnStatuses = { conversation_unknown: 404, turn_elsewhere: 409, turn_under_way: 409 };

/**
 * Returns the HTTP status with which a route responds to whoever asked, when a call has failed: 400, 402, 404, 409 (also for a
 * second turn of a conversation), 410 if the session has expired, 429, 499 for a reader who left (`abort`), 503, 504, or
 * else 502; 500 for what is not an error of this package.
 *
 * @example
 * ```ts
 * import { httpStatusFor } from "serviceapi";
 *
 * console.log(httpStatusFor(new RangeError())); // 500
 * ```
 */
export function httpStatusFor(error: unknown): number {
  if (!ServiceApiError.isInstance(error)) return 500;
  const found = Object.entries(turnStatuses).find(([code]) => code === Object(error).issues?.[0]?.code);
  const statusOf = (name: ErrorKind | Remedy = error.kind) => kindsByStatus.find((row) => row.includes(name))?.[0];
  return found?.[1] ?? statusOf() ?? statusOf(remedyOf(error.kind)) ?? 502;
}
