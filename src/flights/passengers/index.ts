import { RequestValidationError } from "../../errors/request.ts";
import { readOptions, requireObject } from "../../shared/options.ts";
import { normalizeOffer } from "../quote/normalize.ts";
import { passengerSchema } from "../schemas.ts";
import type { FareQuoteResult, Passenger } from "../types/index.ts";
import { checkCounts, checkDocuments, checkOffer, checkServices } from "./booking.ts";
import { type CheckContext, optionRules, readTrip, type ValidatePassengersOptions } from "./context.ts";
import { checkAges, checkFields, checkGst, checkNames, checkTitles } from "./fields.ts";
import { issue, type PassengerIssue } from "./issues.ts";

export { optionRules, type PassengerLimits, passengerLimitRules, type ValidatePassengersOptions } from "./context.ts";
export type { PassengerIssue, PassengerIssueCode } from "./issues.ts";

/**
 * Checks passengers against an offer, and reports everything at once (§4.3; docs/assumptions.md, F8 and F9).
 *
 * Nothing is sent or changed. docs/passenger-checks.md lists every code.
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
  const settings = readOptions<ValidatePassengersOptions>("validatePassengers", options, optionRules);
  if (!Array.isArray(passengers)) {
    throw new RequestValidationError({
      message: "The passengers must be a list, with one object for each passenger. Nothing was sent.",
      issues: [{ path: ["passengers"], message: "must be a list of passengers", code: "invalid_type" }],
    });
  }
  return validateOffers([offer], passengers, settings);
}

/** Checks passengers against several offers of a trip, which is read once. */
export function validateOffers(
  offers: readonly FareQuoteResult[],
  passengers: readonly unknown[],
  options: ValidatePassengersOptions,
): PassengerIssue[] {
  const accepted = new Set<string>(options.acceptIssues);
  const trip = readTrip(options.trip ?? offers, Array.from<unknown>(passengers), options);
  return offers.flatMap((offer) => issuesOf({ ...trip, offer: normalizeOffer(offer) }, accepted));
}

function issuesOf(input: Omit<CheckContext, "report">, accepted: ReadonlySet<string>): PassengerIssue[] {
  const found: PassengerIssue[] = [];
  const invalid = new Set<string>();
  const report: CheckContext["report"] = (...about) => {
    const one = issue(...about);
    // A check that cannot read an invalid field, or anything in it, says nothing about it.
    if (one.path.some((_, i) => invalid.has(one.path.slice(0, i + 1).join()))) return;
    found.push(accepted.has(one.code) ? { ...one, severity: "warning" } : one);
  };
  const context = { ...input, report };
  checkFields(context);
  for (const { code, problem, path } of found) {
    if (!accepted.has(code) && problem !== "unknown_field") invalid.add(path.join());
  }
  const people = [checkCounts, checkAges, checkTitles, checkNames, checkGst];
  for (const check of [...people, checkDocuments, checkServices, checkOffer]) check(context);
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
