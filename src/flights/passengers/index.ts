import { RequestValidationError } from "../../errors/request.ts";
import { isList, isObject, stringOf } from "../../shared/json.ts";
import {
  integer,
  listOf,
  number,
  object,
  oneOf,
  type Rules,
  readOptions,
  requireObject,
} from "../../shared/options.ts";
import { countQuoted, normalizeOffer, normalizeSegments } from "../quote/normalize.ts";
import { timeOrNull, timeZone, wallClockIn } from "../quote/times.ts";
import { passengerSchema } from "../schemas.ts";
import type { FareQuoteResult, Passenger } from "../types/index.ts";
import { checkAges } from "./ages.ts";
import { checkCounts, checkDocuments, checkOffer, checkServices } from "./booking.ts";
import { checkFields, checkGst, checkNames, checkTitles } from "./fields.ts";
import { type CheckContext, checks, issue, type PassengerIssue, type PassengerIssueCode } from "./issues.ts";

export type { PassengerIssue, PassengerIssueCode } from "./issues.ts";

/** Limits of the passenger checks, which the document does not state (docs/assumptions.md, F8). */
export interface PassengerLimits {
  /** Maximum number of passengers in one booking. @default 9 */
  readonly maxPassengers?: number | undefined;
  /** Age in years below which a passenger is an infant, at the last departure. @default 2 */
  readonly infantUnder?: number | undefined;
  /** Minimum age of an adult in years, at the first departure. @default 12 */
  readonly adultFrom?: number | undefined;
  /** Minimum age for a senior fare in years, at the first departure. @default 60 */
  readonly seniorFrom?: number | undefined;
}

/** Rules of the limits, for the public functions that accept them. */
export const passengerLimitRules: Rules<PassengerLimits> = {
  maxPassengers: integer(1),
  infantUnder: number(0, 150),
  adultFrom: number(0, 150),
  seniorFrom: number(0, 150),
};

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
  acceptIssues: listOf(oneOf(...Object.keys(checks)), 0),
  extraBody: object,
  trip: listOf(object),
  now: number(0, Date.UTC(9999, 0)),
  deadlineZone: timeZone,
};

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
  const accepted = new Set<string>(settings.acceptIssues);
  const found: PassengerIssue[] = [];
  const invalid = new Set<string>();
  const report: CheckContext["report"] = (...about) => {
    const one = issue(...about);
    // A check that cannot read an invalid field, or anything in it, says nothing about it.
    if (one.path.some((_, i) => invalid.has(one.path.slice(0, i + 1).join()))) return;
    found.push(accepted.has(one.code) ? { ...one, severity: "warning" } : one);
  };
  const context = makeContext(offer, Array.from<unknown>(passengers), settings, report);
  checkFields(context);
  for (const { code, problem, path } of found) {
    if (!accepted.has(code) && problem !== "unknown_field") invalid.add(path.join());
  }
  checkCounts(context);
  checkAges(context);
  checkTitles(context);
  checkNames(context);
  checkGst(context);
  checkDocuments(context);
  checkServices(context);
  checkOffer(context);
  return found;
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
  return passengerSchema.passes(value);
}

function makeContext(
  offer: FareQuoteResult,
  given: readonly unknown[],
  options: ValidatePassengersOptions,
  report: CheckContext["report"],
): CheckContext {
  const normalized = normalizeOffer(offer);
  const { maxPassengers = 9, infantUnder = 2, adultFrom = 12, seniorFrom = 60, now, trip = [offer] } = options;
  const { deadlineZone = "Asia/Kolkata", extraBody } = options;
  const { fare_breakdown } = normalized;
  const isCountKnown = fare_breakdown.length > 0 || (isList(offer.fare_breakdown) && offer.fare_breakdown.length === 0);
  const flights = trip.flatMap(({ segments }) => normalizeSegments(segments));
  const departures = sortDays(flights.map(({ origin }) => origin.departure_time));
  const arrivals = sortDays(flights.map(({ destination }) => destination.arrival_time));
  const passengers = given.map((one) => (isObject(one) ? one : {}) as Partial<Passenger> as Passenger);
  return {
    report,
    offer: normalized,
    given,
    passengers,
    types: passengers.map(({ passenger_type }) => stringOf(passenger_type).trim().toLowerCase()),
    quotedCounts: isCountKnown ? countQuoted(fare_breakdown) : null,
    today: wallClockIn(now ?? Date.now(), deadlineZone).slice(0, 10),
    firstDay: departures[0],
    lastDay: departures.at(-1),
    endDay: [...departures, ...arrivals].sort().at(-1),
    departuresKnown: departures.length > 0 && departures.length === flights.length,
    limits: { maxPassengers, infantUnder, adultFrom, seniorFrom },
    extraBody,
    now,
    deadlineZone,
  };
}

/** The days of the times that can be read, the earliest first. */
function sortDays(times: readonly string[]): string[] {
  return times.flatMap((time) => timeOrNull(time)?.slice(0, 10) ?? []).sort();
}

function noList(): RequestValidationError {
  return new RequestValidationError({
    message: "The passengers must be a list, with one object for each passenger. Nothing was sent.",
    issues: [{ path: ["passengers"], message: "must be a list of passengers", code: "invalid_type" }],
  });
}
