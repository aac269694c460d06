import { elementsOf, field, isObject, stringOf } from "../../shared/json.ts";
import { each, merge } from "../../shared/objects.ts";
import { integer, listOf, number, object, oneOf, type Rules } from "../../shared/options.ts";
import { type NormalizedOffer, normalizeSegments } from "../quote/normalize.ts";
import { dayOf, timeZone, wallClockIn } from "../quote/times.ts";
import type { FareQuoteResult, Passenger } from "../types/index.ts";
import { checks, type issue, type PassengerIssueCode } from "./issues.ts";

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
  ...each(number(0, 150), "infantUnder", "adultFrom", "seniorFrom"),
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

export const optionRules: Rules<ValidatePassengersOptions> = {
  ...passengerLimitRules,
  acceptIssues: listOf(oneOf(...Object.keys(checks)), 0),
  extraBody: object,
  trip: listOf(object),
  now: number(0, Date.UTC(9999, 0)),
  deadlineZone: timeZone,
};

/** The input of the checks, and where they report. */
export interface CheckContext extends ReturnType<typeof readTrip> {
  readonly offer: NormalizedOffer;
  readonly report: (...found: Parameters<typeof issue>) => void;
}

/** Returns the passengers that are sent: `extraBody` takes precedence. */
export function peopleSent(passengers: readonly unknown[], extraBody: object | undefined): unknown {
  const extra = field(extraBody, "passengers");
  return extra === undefined ? passengers : merge(passengers, extra);
}

/** Reads the input that is the same for each offer of a trip. */
export function readTrip(
  trip: readonly FareQuoteResult[],
  own: readonly unknown[],
  options: ValidatePassengersOptions,
) {
  const { maxPassengers = 9, infantUnder = 2, adultFrom = 12, seniorFrom = 60, now } = options;
  const { deadlineZone = "Asia/Kolkata", extraBody } = options;
  const sent = elementsOf(peopleSent(own, extraBody));
  // One whom `extraBody` alone has is a passenger like the others.
  const given = [...own.slice(0, sent.length), ...sent.slice(own.length)];
  const parts = trip.map(({ segments }) => normalizeSegments(segments));
  const flights = parts.flat();
  const departures = flights.map(({ origin }) => dayOf(origin.departure_time));
  const arrivals = flights.map(({ destination }) => dayOf(destination.arrival_time));
  const days = departures.filter(Boolean).sort();
  const passengers = given.map((one) => (isObject(one) ? one : {}) as Partial<Passenger> as Passenger);
  return {
    /** The passengers as the caller passed them, without the undocumented fields that `extraBody` adds to one. */
    given,
    /** The same, with an empty object for each element that is not an object. */
    passengers,
    types: sent.map((one) => stringOf(field(one, "passenger_type")).trim().toLowerCase()),
    // Days as `YYYY-MM-DD`, which sort as strings; of the whole trip, which may be more than this offer.
    today: wallClockIn(now ?? Date.now(), deadlineZone).slice(0, 10),
    firstDay: days[0],
    lastDay: days.at(-1),
    endDay: [...departures, ...arrivals].sort().at(-1) || undefined,
    departuresKnown: parts.every((part) => part.length > 0) && !departures.includes(""),
    limits: { maxPassengers, infantUnder, adultFrom, seniorFrom },
    extraBody,
    now,
    deadlineZone,
  };
}
