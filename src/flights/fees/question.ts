import { ConfigurationError } from "../../errors/request.ts";
import { isObject } from "../../shared/json.ts";
import {
  anyOf,
  func,
  integer,
  listOf,
  nonEmptyString,
  type Rule,
  type Rules,
  readOptions,
} from "../../shared/options.ts";
import { quoteNames, refuseUnknownNames, similarName } from "../../shared/unknown-names.ts";
import { parseWallClock, timeZone, type WallClockTime } from "../quote/times.ts";
import type { PassengerType } from "../types/index.ts";
import type { FeeType } from "./rules.ts";

/** What is asked of `fees`. */
export interface FeeQuery {
  /** `Cancellation` or `Reissue`, in any case of letters. */
  readonly type: FeeType;
  /**
   * When it is changed or cancelled: what the clock on the wall of the first departure airport shows (`YYYY-MM-DD HH:mm:ss`), or
   * an instant, which needs `zone`. `timeOrNull` and `wallClockIn` return such a time.
   */
  readonly at: WallClockTime | Date;
  /**
   * For an instant: a function from airport code to time zone, or the time zone of the first departure airport
   * (`Asia/Kolkata`). A journey that begins in another time zone is then `unknownTime`, unless the fee is the same in all.
   */
  readonly zone?: string | ((airportCode: string) => string | undefined) | undefined;
  /** Who: passengers, or how many of each type. @default those of the quote's `fare_breakdown` */
  readonly passengers?: readonly { readonly passenger_type: PassengerType }[] | PassengerCounts | undefined;
}

/** How many of each type. */
export type PassengerCounts = Readonly<Partial<Record<PassengerType | (string & {}), number>>>;

const rules: Rules<FeeQuery> = {
  type: nonEmptyString,
  at: moment,
  zone: anyOf("must be a time zone that the runtime knows, such as Asia/Kolkata, or a function", timeZone, func),
  passengers: whoIsAsked,
};

/** Checks a question where it is asked. */
export function readQuestion(question: unknown): FeeQuery {
  const asked = readOptions<FeeQuery>("fees", question, rules, ["type", "at"]);
  if (asked.at instanceof Date && asked.zone === undefined) {
    throw new ConfigurationError(
      'fees: `at` is a Date, so `zone` is missing: the time zone of the first departure airport, such as "Asia/Kolkata".',
    );
  }
  return asked;
}

/** A wall-clock time that can be read, or a valid `Date`: what is neither would be answered with "not known". */
function moment(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "must be a valid Date" : undefined;
  if (parseWallClock(value) !== null) return undefined;
  return typeof value === "string" && /\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(value.trim())
    ? 'is an instant: pass a Date, such as new Date("2027-02-10T06:15:00Z"), and `zone`'
    : "must be a wall-clock time such as 2027-02-10 06:15:00, or a Date with `zone`";
}

const mustBeWho = "must be a non-empty list of passengers, or how many of each type, such as { adult: 2 }";

function whoIsAsked(value: unknown, name: string): string | undefined {
  if (Array.isArray(value)) return listOf(passenger)(value, name) === undefined ? undefined : mustBeWho;
  if (!isObject(value)) return mustBeWho;
  const counts = Object.entries(value).filter(([, count]) => count !== undefined);
  const wrong = counts.find(([type, count]) => integer(0)(count, type) !== undefined);
  if (wrong !== undefined)
    return `has an invalid count of ${quoteNames([wrong[0]])}: it must be an integer of at least 0`;
  return undefined;
}

const passenger: Rule = (value) => {
  const { passenger_type: type }: { readonly passenger_type?: unknown } = Object(value);
  return nonEmptyString(type, "passenger_type");
};

/** What the quote itself names, beside what the document names. */
export interface NamedByQuote {
  /** `type` of its rules. */
  readonly feeTypes: readonly string[];
  /** `passenger_type` of its `fare_breakdown`. */
  readonly passengerTypes: readonly string[];
}

/** Refuses names that are known to nobody, before they are looked for in rules and not found. */
export function refuseUnknownTypes({ type, passengers }: FeeQuery, quote: NamedByQuote): void {
  refuseMisspeltFee(type, quote.feeTypes);
  const asked = isList(passengers) ? passengers.map((one) => one.passenger_type) : Object.keys(passengers ?? {});
  const known = [...documentedPassengers, ...quote.passengerTypes.map(plain)];
  const unknown = asked.filter((name) => !known.includes(plain(name)));
  if (unknown.length === 0) return;
  refuseUnknownNames("fees", "type of passenger", Object.fromEntries(unknown.map((name) => [name, true])), [
    ...new Set(known),
  ]);
}

const documentedPassengers = ["adult", "child", "infant"];
const documentedFees = ["Cancellation", "Reissue"] as const satisfies readonly FeeType[];

/** A rule may have any type, so a word that no rule has is asked for in vain, not wrong; these are wrong. */
const otherWords: Readonly<Record<FeeType, RegExp>> = {
  Cancellation: /^(cancel|refund|void)/,
  Reissue: /^(re-?book|re-?schedul|change|date ?change|modif|amend|exchange)/,
};

function refuseMisspeltFee(type: string, ofQuote: readonly string[]): void {
  if ([...documentedFees, ...ofQuote].some((known) => plain(known) === plain(type))) return;
  const meant =
    documentedFees.find((known) => otherWords[known].test(plain(type))) ?? similarName(type.trim(), documentedFees);
  if (meant === undefined) return;
  throw new ConfigurationError(`fees: unknown \`type\` ${quoteNames([type])} (did you mean "${meant}"?).`);
}

function plain(name: string): string {
  return name.trim().toLowerCase();
}

function isList<T>(value: readonly T[] | PassengerCounts | undefined): value is readonly T[] {
  return Array.isArray(value);
}
