import type { ApiErrorKind } from "../../errors/base.ts";
import type { OperationResponse } from "../../operation.ts";
import { classify, effectiveCode } from "../../transport/classify.ts";
import { deniesBooking } from "./denial.ts";
import { type BookingReference, findBookingReference, mayNameBooking } from "./reference.ts";
import { type BookingWords, readWords } from "./words.ts";

/** The proven outcome of a booking. Only `rejected` allows another one. */
export type BookingOutcome =
  /** The booking exists: the response is returned. */
  | "booked"
  /** This booking or another one exists already: look it up. */
  | "duplicate"
  /** The booking does not exist: the service says so. */
  | "rejected"
  /** The booking may exist. */
  | "unknown";

/** The facts that the rows of the table test. */
interface Facts {
  readonly response: OperationResponse;
  readonly httpStatus: number;
  /** The body's own code if it is one of a refusal, else the HTTP status. */
  readonly code: number;
  /** The kind as the caller sees it: `classifyError` may have chosen it. */
  readonly kind: ApiErrorKind;
  /** The kind as the service's own words have it. */
  readonly saidKind: ApiErrorKind;
  /** The booking that the response names. */
  readonly named: BookingReference | undefined;
  readonly words: BookingWords;
}

/**
 * The outcome of a booking; the first row that applies decides. A wrong `unknown` costs a telephone call, a wrong
 * `rejected` a second ticket: so whatever does not positively say "no" is unknown (docs/assumptions.md, F5).
 */
const table: readonly (readonly [BookingOutcome, (facts: Facts) => boolean])[] = [
  ["booked", ({ named, response }) => named !== undefined && !deniesBooking(response, named)],
  ["unknown", ({ named }) => named !== undefined],
  ["duplicate", ({ kind, saidKind }) => kind === "duplicate" || saidKind === "duplicate"],
  ["unknown", ({ response, saidKind }) => response.verdict === "pending" || saidKind === "in_progress"],
  ["unknown", (facts) => saysOtherThanNo(facts)],
  ["unknown", ({ response }) => mayNameBooking(response.body)],
  ["unknown", ({ words }) => words.isUnderWay],
  ["unknown", (facts) => isOpen(facts) && !refusals.has(Number(facts.response.statusCode))],
  ["rejected", ({ kind, saidKind }) => saysNo.has(kind) && kind !== saidKind],
  ["unknown", ({ words }) => words.isBroken],
  ["rejected", ({ kind, saidKind }) => saysNo.has(kind) && saysNo.has(saidKind)],
  ["rejected", (facts) => facts.kind === "invalid" && isInvalidRequest(facts)],
  ["rejected", ({ httpStatus, response }) => movedWithoutActing.has(httpStatus) && response.verdict === "unknown"],
];

/**
 * Returns the outcome of a booking.
 *
 * @param response - The response to `book`.
 * @param kind - The kind of the refusal, if `classifyError` chose one.
 */
export function bookingOutcome(response: OperationResponse, kind?: ApiErrorKind): BookingOutcome {
  const saidKind = classify(response);
  let words: BookingWords | undefined;
  const facts: Facts = {
    response,
    httpStatus: response.httpStatus,
    code: effectiveCode(response),
    kind: kind ?? saidKind,
    saidKind,
    named: findBookingReference(response.body),
    // Most bookings are decided without them.
    get words() {
      words ??= readWords(response);
      return words;
    },
  };
  return table.find(([, applies]) => applies(facts))?.[0] ?? "unknown";
}

/** Kinds that name an obstacle before anything could be booked. `invalid`, the catch-all of 400, has its own row. */
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

/** A 409 says that something is there already, unless the words name the obstacle. */
const obstacles: ReadonlySet<ApiErrorKind> = new Set([
  "session_expired",
  "offer_unavailable",
  "trace_mismatch",
  "insufficient_balance",
]);

/** Returns true for a status or code that says that something was or is being done, whatever the other one says. */
function saysOtherThanNo({ response, httpStatus, saidKind }: Facts): boolean {
  const code = Number(response.statusCode);
  if ([httpStatus, code].some((status) => status >= 100 && status < 300 && status !== 200)) return true;
  return (httpStatus >= 400 && code === 200) || (httpStatus === 409 && !obstacles.has(saidKind));
}

/** Statuses that leave it open whether the request was carried out. A 303 even says that it was (RFC 9110, 15.4.4). */
function isOpen({ httpStatus, code }: Facts): boolean {
  return [httpStatus, code].some((status) => status >= 500 || status === 408 || status === 302 || status === 303);
}

const movedWithoutActing: ReadonlySet<number> = new Set([301, 307, 308]);

/**
 * Codes of a body that say "no" even under an HTTP status that leaves it open: a gateway sent the one, the service the
 * other.
 */
const refusals: ReadonlySet<number> = new Set([401, 402, 403, 404, 429]);

/**
 * The code 400 is the catch-all of this service, so it says "no" only with a message that names the fault. HTTP 400 and
 * 422 without a word do, too: the request was not understood (RFC 9110, 15.5.1).
 */
function isInvalidRequest({ httpStatus, code, words }: Facts): boolean {
  const isRefused = (status: number) => status === 400 || status === 422;
  if (words.isSilent) return isRefused(httpStatus);
  return (isRefused(httpStatus) || isRefused(code)) && words.namesFault;
}
