import type { ApiErrorKind } from "../../errors/base.ts";
import type { OperationResponse } from "../../operation.ts";
import { field, isObject, isObjectOrList, stringOf, trimmedScalar, valuesOf } from "../../shared/json.ts";
import { classify, effectiveCode } from "../../transport/classify.ts";
import { type BookingReference, findBookingReference, mayNameBooking, normalizeKey } from "./reference.ts";
import { bookedFlags } from "./strings.ts";
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
  ["booked", ({ named, response }) => named !== undefined && !saysNotBooked(response, named)],
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

/** A status of tomorrow ("CANCELLED") counts as well: a booking is returned only if nothing speaks against it. */
function saysNotBooked(response: OperationResponse, { booking }: BookingReference): boolean {
  const { verdict, body, httpStatus, statusCode, serviceMessage } = response;
  if (verdict === "failed" || verdict === "pending" || Number(statusCode) >= 400) return true;
  const data = field(body, "data");
  const around = [body, data, field(body, "result"), field(data, "result"), booking];
  if (around.some(isDenied)) return true;
  const messages = [serviceMessage, ...around.map((place) => stringOf(field(place, "message")))].join("\n");
  if (verdict === "unknown" && (httpStatus >= 400 || failure.test(messages))) return true;
  return bookingFailed.test([messages, ...around.flatMap(reasonsIn)].join("\n"));
}

/** Returns the reasons that an object names beside its message. */
function reasonsIn(place: unknown): string[] {
  if (!isObject(place)) return [];
  return Object.entries(place).flatMap(([key, value]) => (reasons.has(normalizeKey(key)) ? [stringOf(value)] : []));
}

const reasons = new Set("errormessage errormsg errordescription description reason remark remarks".split(" "));

/** Returns true if the object itself says that it is not a booking. */
function isDenied(place: unknown): boolean {
  if (!isObject(place)) return false;
  return Object.entries(place).some(([key, value]) => {
    const name = normalizeKey(key);
    if (bookedFlags.has(name)) return value === false || /^(false|no|n|0)$/i.test(trimmedScalar(value));
    if (name === "error" || name === "errors") return isError(value);
    if (name === "errorcode") return !noErrorCode.test(trimmedScalar(value));
    if (!statusKeys.has(name)) return false;
    const parts = isObjectOrList(value) ? valuesOf(value) : [value];
    return parts.some(
      (part) => part === false || Number(trimmedScalar(part)) >= 400 || denial.test(trimmedScalar(part)),
    );
  });
}

const noErrorCode = /^(0*|200|ok|success|none|null|na)$/i;

const statusKeys = new Set("status state bookingstatus bookingstate pnrstatus reservationstatus".split(" "));

const denial =
  /not|\bno\b|(^|[^a-z])un|fail|error|reject|cancel|declin|den(y|ied)|refus|pend|process|progress|queue|wait|time[ _-]?d?[ _-]?out|expire|partial|invalid|abort|\bvoid|revers|initiat|request|submit|receiv|review|^(hx|uc|us|xx)$/i;

const failure =
  /fail|error|reject|cancel|declin|den(y|ied)|\bvoid|pending|progress|\bnot (been )?(confirm|book|creat|generat|complet|success)|unable|could ?n[o']t|timed?[ -]?out|unconfirmed/i;

/** A message of a success that denies the booking itself, and not only a seat or a meal. */
const bookingFailed = new RegExp(
  [
    "^(sorry[,.!]? )?((the|your|flight|air) ){0,3}(booking|reservation) ((has|is|was) )?(been )?(failed|rejected|declined|cancel+ed|denied|not (made|created|confirmed|successful))",
    "^(sorry[,.!]? )?((the|your|flight|air) ){0,3}(booking|reservation) (could ?n[o']t|can ?not) be (made|created|completed|confirmed|processed)",
    "^(sorry[,.!]? )?((we|were|are) ){0,2}(unable|failed) to (book|create|make|complete|confirm|process) ((the|this|your|flight) ){0,3}(booking|reservation)",
  ].join("|"),
  "im",
);

/** Returns true if an error says something: some services send one with empty fields, or with the code 0. */
function isError(error: unknown): boolean {
  const parts = isObjectOrList(error) ? valuesOf(error) : [error];
  return parts.some((part) =>
    isObjectOrList(part) ? valuesOf(part).length > 0 : part === true || !/^0*$/.test(trimmedScalar(part)),
  );
}
