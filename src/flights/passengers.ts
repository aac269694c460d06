import { standardSchema } from "../schema.ts";
import { checkAges } from "./passengers/ages.ts";
import { type CheckContext, departures, type PassengerLimits } from "./passengers/context.ts";
import { checkCounts } from "./passengers/counts.ts";
import { checkDocuments, checkGst } from "./passengers/documents.ts";
import { issue, type PassengerIssue, type PassengerIssueCode } from "./passengers/issues.ts";
import { checkNames, checkTitles } from "./passengers/names.ts";
import { checkOffer, checkServices } from "./passengers/services.ts";
import { passengerSchema } from "./schemas.ts";
import { soundOffer } from "./sound.ts";
import type { FareQuoteResult, Passenger } from "./types.ts";

export type { PassengerLimits } from "./passengers/context.ts";
export type { PassengerIssue, PassengerIssueCode } from "./passengers/issues.ts";

/** Options of {@link validatePassengers}. */
export interface ValidateOptions extends PassengerLimits {
  /** Codes of errors that are known and wanted; they are reported as warnings. @default [] */
  readonly acceptIssues?: readonly PassengerIssueCode[] | undefined;
  /** What goes to `book` as `extraBody`: passport and PAN are looked for in it. */
  readonly extraBody?: unknown;
  /** All offers that are travelled together, when this one is a part of the trip. @default this offer alone */
  readonly trip?: readonly FareQuoteResult[] | undefined;
  /** Milliseconds since 1970, to see whether the ticket deadline is over. @default not looked at */
  readonly now?: number | undefined;
  /** The time zone of `last_ticket_date`. @default "Asia/Kolkata" (docs/assumptions.md, F4) */
  readonly deadlineZone?: string | undefined;
}

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

const fieldRules = standardSchema(passengerSchema);

/**
 * Checks passengers against the offer they want to book, and tells everything at once (§4.3; docs/assumptions.md, F8 and F9).
 *
 * A pure function: nothing is sent, nothing is changed. docs/passenger-checks.md lists every code.
 *
 * @param offer - A fare quote result.
 * @param passengers - The passengers as they would be booked.
 * @param options - Accepted codes, `extraBody`, other bounds.
 * @returns Every issue, in the order of the passengers' fields; empty when all is well.
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
  passengers: readonly Passenger[],
  options: ValidateOptions = {},
): PassengerIssue[] {
  const context: CheckContext = {
    offer: soundOffer(offer),
    passengers,
    limits: {
      maxPassengers: options.maxPassengers ?? 9,
      infantUnder: options.infantUnder ?? 2,
      adultFrom: options.adultFrom ?? 12,
      seniorFrom: options.seniorFrom ?? 60,
    },
    ...departures(options.trip ?? [offer]),
    extraBody: options.extraBody,
    now: options.now,
    deadlineZone: options.deadlineZone ?? "Asia/Kolkata",
  };
  const fields = passengers.flatMap(checkFields);
  const taken = new Set(fields.map((field) => field.path.join()));
  // A field that is no valid value is said to be so once, not again by a check that could not make sense of it.
  const found = [...fields, ...checks.flatMap((check) => check(context)).filter(({ path }) => !taken.has(path.join()))];
  const accepted = new Set<string>(options.acceptIssues);
  return found.map((one) => (accepted.has(one.code) ? { ...one, severity: "warning" } : one));
}

/** What §4.3 itself says of each field. */
function checkFields(passenger: Passenger, index: number): PassengerIssue[] {
  const result = fieldRules["~standard"].validate(passenger);
  if (result instanceof Promise || !result.issues) return [];
  return result.issues.map(({ path = [], message }) =>
    issue("invalid_field", ["passengers", index, ...path.map(toKey)], message),
  );
}

function toKey(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === "object" ? segment.key : segment;
  return typeof key === "number" ? key : String(key);
}
