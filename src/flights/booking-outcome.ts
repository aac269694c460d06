import type { ApiErrorKind } from "../errors/base.ts";
import type { OperationResponse } from "../operation.ts";
import { classifiable, classify, effectiveCode } from "../transport/classify.ts";
import { findBookingReference } from "./booking-reference.ts";

/** What a response to `book` proves. Only `rejected` lets somebody book again. */
export type BookingOutcome =
  /** It exists: the response is returned. */
  | "booked"
  /** It exists already, or another one does: look it up. */
  | "duplicate"
  /** It does not exist: the service says so. */
  | "rejected"
  /** Nobody knows. */
  | "unknown";

/** What the rows of the table look at. */
interface Facts {
  readonly response: OperationResponse;
  readonly httpStatus: number;
  /** The body's own code if it is one of a refusal, else the HTTP status. */
  readonly code: number;
  /** The kind as the caller sees it: `classifyError` may have chosen it. */
  readonly kind: ApiErrorKind;
  /** The kind as the service's own words have it. */
  readonly saidKind: ApiErrorKind;
  readonly isNamed: boolean;
}

/**
 * Decides what came of a booking; the first row that applies. A wrong `unknown` costs a telephone call, a wrong
 * `rejected` a second ticket: so whatever does not positively say "no" is unknown (docs/assumptions.md, F5).
 */
const table: readonly (readonly [BookingOutcome, (facts: Facts) => boolean])[] = [
  ["booked", ({ isNamed, response }) => isNamed && !saysNotBooked(response)],
  ["unknown", ({ isNamed }) => isNamed],
  ["duplicate", ({ kind, saidKind }) => kind === "duplicate" || saidKind === "duplicate"],
  ["unknown", ({ response, saidKind }) => response.verdict === "pending" || saidKind === "in_progress"],
  ["rejected", ({ kind, saidKind }) => saysNo.has(kind) && saysNo.has(saidKind)],
  ["unknown", isOpen],
  ["rejected", ({ kind }) => saysNo.has(kind)],
  ["rejected", (facts) => facts.kind === "invalid" && isInvalidRequest(facts)],
  ["rejected", ({ httpStatus, response }) => movedWithoutActing.has(httpStatus) && response.verdict === "none"],
];

/**
 * Decides what came of a booking.
 *
 * @param response - What came back.
 * @param kind - The kind of the refusal, if `classifyError` chose one.
 */
export function bookingOutcome(response: OperationResponse, kind?: ApiErrorKind): BookingOutcome {
  const saidKind = classify(response);
  const facts: Facts = {
    response,
    httpStatus: response.httpStatus,
    code: effectiveCode(response),
    kind: kind ?? saidKind,
    saidKind,
    isNamed: findBookingReference(response.body) !== undefined,
  };
  return table.find(([, applies]) => applies(facts))?.[0] ?? "unknown";
}

/** Kinds that say what stood in the way before anything could be booked. `invalid`, the catch-all of 400, has a row of its own. */
const saysNo: ReadonlySet<ApiErrorKind> = new Set([
  "authentication",
  "permission",
  "not_found",
  "rate_limited",
  "insufficient_balance",
  "session_expired",
  "offer_unavailable",
  "trace_mismatch",
]);

/** Statuses that leave it open whether the request was carried out. A 303 even says that it was (RFC 9110, 15.4.4). */
function isOpen({ httpStatus, code }: Facts): boolean {
  return [httpStatus, code].some((status) => status >= 500 || status === 408 || status === 302 || status === 303);
}

const movedWithoutActing: ReadonlySet<number> = new Set([301, 307, 308]);

/** What a refused request never speaks of: something under way, or broken. */
const underWayOrBroken =
  /process|pending|progress|await|queue|time[ds]?[ -]?out|internal|system|unavailable|try again|supplier|\bdown\b|not respond|no response|status (is )?(unknown|not known)|on hold|something went wrong|network|gateway/i;

function isInvalidRequest({ httpStatus, code, response }: Facts): boolean {
  const isRefused = [httpStatus, code].some((status) => status === 400 || status === 422);
  return isRefused && !underWayOrBroken.test(classifiable(response.serviceMessage ?? ""));
}

/** A status of tomorrow ("CANCELLED") counts as well: a booking is returned only if nothing speaks against it. */
function saysNotBooked({ verdict, body }: OperationResponse): boolean {
  if (verdict !== "none") return verdict !== "success";
  const { status } = Object(body);
  return (
    status === false ||
    (typeof status === "string" && /fail|error|reject|cancel|declin|pend|process|progress|queue|wait/i.test(status))
  );
}
