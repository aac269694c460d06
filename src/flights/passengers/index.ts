import { RequestValidationError } from "../../errors/request.ts";
import { isObject } from "../../shared/json.ts";
import { listOf, number, object, oneOf, type Rules, readOptions, requireObject } from "../../shared/options.ts";
import { countByType, normalizeOffer } from "../quote/normalize.ts";
import { timeZone, wallClockIn } from "../quote/times.ts";
import type { FareQuoteResult, Passenger } from "../types/index.ts";
import { checkAges } from "./ages.ts";
import { type CheckContext, type PassengerLimits, passengerLimitRules, tripDays } from "./context.ts";
import { checkCounts } from "./counts.ts";
import { checkDocuments, checkGst } from "./documents.ts";
import { checkFields, isPassengerShaped } from "./fields.ts";
import { type PassengerIssue, type PassengerIssueCode, severities } from "./issues.ts";
import { checkNames, checkTitles } from "./names.ts";
import { checkOffer } from "./offer.ts";
import { checkServices } from "./services.ts";

export type { PassengerLimits } from "./context.ts";
export { expectedPassengers } from "./counts.ts";
export type { PassengerIssue, PassengerIssueCode } from "./issues.ts";

/** Options of {@link validatePassengers}. */
export interface ValidatePassengersOptions extends PassengerLimits {
  /** Codes of accepted errors, which are reported as warnings. @default [] */
  readonly acceptIssues?: readonly PassengerIssueCode[] | undefined;
  /** The `extraBody` of `book`, which may contain passport and PAN. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** All offers of the trip, if this one is a part of it. @default this offer alone */
  readonly trip?: readonly FareQuoteResult[] | undefined;
  /**
   * Current time in milliseconds since 1970, for the ticket deadline and the departures. Without it they are not
   * checked, and dates of birth are compared with the clock of the machine.
   */
  readonly now?: number | undefined;
  /** Time zone of `last_ticket_date` and of today. @default "Asia/Kolkata" (docs/assumptions.md, F4) */
  readonly deadlineZone?: string | undefined;
}

const optionRules: Rules<ValidatePassengersOptions> = {
  ...passengerLimitRules,
  acceptIssues: listOf(oneOf(...Object.keys(severities)), 0),
  extraBody: object,
  trip: listOf(object),
  now: number(0, Date.UTC(9999, 0)),
  deadlineZone: timeZone,
};

const checks: readonly ((context: CheckContext) => PassengerIssue[])[] = [
  checkCounts,
  checkAges,
  checkTitles,
  checkNames,
  checkGst,
  checkDocuments,
  checkServices,
  checkOffer,
];

/**
 * Checks passengers against an offer, and reports everything at once (§4.3; docs/assumptions.md, F8 and F9).
 *
 * Nothing is sent and nothing is changed. docs/passenger-checks.md lists every code.
 *
 * @param offer - A fare quote result.
 * @param passengers - The passengers to book, or the unfinished input of a form.
 * @param options - See {@link ValidatePassengersOptions}.
 * @returns Every issue, in the order of the passengers' fields; empty if there is none.
 * @throws {@link ConfigurationError} if `offer` is not an object, or for an unknown or invalid option.
 * @throws {@link RequestValidationError} if `passengers` is not a list.
 *
 * @example
 * ```ts
 * import { validatePassengers } from "serviceapi/flights";
 *
 * for (const { severity, path, message, suggestion } of validatePassengers(offer, passengers)) {
 *   console.log(severity, path.join("."), message, suggestion ?? "");
 * }
 * ```
 */
export function validatePassengers(
  offer: FareQuoteResult,
  passengers: readonly unknown[],
  options: ValidatePassengersOptions = {},
): PassengerIssue[] {
  requireObject("validatePassengers", "offer", offer, "a fare quote result");
  const settings = readOptions("validatePassengers", options, optionRules);
  if (!Array.isArray(passengers)) throw noList();
  const context = makeContext(offer, Array.from<unknown>(passengers), settings);

  const fields = checkFields(context);
  const accepted = new Set<string>(settings.acceptIssues);
  const reported = new Set(
    fields
      .filter(({ code, problem }) => !accepted.has(code) && problem !== "unknown_field")
      .map(({ path }) => path.join()),
  );
  // An invalid field is reported by `checkFields` only, not again by a check that cannot read it.
  const isReported = (path: PassengerIssue["path"]) => path.some((_, i) => reported.has(path.slice(0, i + 1).join()));
  const others = checks.flatMap((check) => check(context)).filter(({ path }) => !isReported(path));
  return [...fields, ...others].map((one) => (accepted.has(one.code) ? { ...one, severity: "warning" } : one));
}

/**
 * Returns true if a value from a form has every field of a {@link Passenger} in the documented shape (§4.3). Check with
 * {@link validatePassengers} whether it can be booked on an offer.
 *
 * @param value - Anything.
 *
 * @example
 * ```ts
 * import { isPassenger } from "serviceapi/flights";
 *
 * const passenger: unknown = JSON.parse('{ "title": "Mr", "fname": "RAVI" }');
 * console.log(isPassenger(passenger)); // false: most fields are missing
 * ```
 */
export function isPassenger(value: unknown): value is Passenger {
  return isPassengerShaped(value);
}

function makeContext(
  offer: FareQuoteResult,
  given: readonly unknown[],
  options: ValidatePassengersOptions,
): CheckContext {
  const normalized = normalizeOffer(offer);
  const deadlineZone = options.deadlineZone ?? "Asia/Kolkata";
  const isReadable = normalized.fare_breakdown.length > 0 || isEmptyList(offer.fare_breakdown);
  return {
    offer: normalized,
    given,
    passengers: given.map((passenger) => (isObject(passenger) ? passenger : {}) as Partial<Passenger> as Passenger),
    quotedCounts: isReadable
      ? countByType(normalized.fare_breakdown.map((row) => [row.passenger_type, row.passenger_count]))
      : null,
    limits: {
      maxPassengers: options.maxPassengers ?? 9,
      infantUnder: options.infantUnder ?? 2,
      adultFrom: options.adultFrom ?? 12,
      seniorFrom: options.seniorFrom ?? 60,
    },
    ...tripDays(options.trip ?? [offer]),
    today: wallClockIn(options.now ?? Date.now(), deadlineZone).slice(0, 10),
    extraBody: options.extraBody,
    now: options.now,
    deadlineZone,
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function noList(): RequestValidationError {
  return new RequestValidationError({
    message: "The passengers must be a list, with one object for each passenger. Nothing was sent.",
    issues: [{ path: ["passengers"], message: "must be a list of passengers", code: "invalid_type" }],
  });
}
