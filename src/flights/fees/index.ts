import { isList } from "../../shared/json.ts";
import { requireObject } from "../../shared/options.ts";
import { itinerary } from "../quote/itinerary.ts";
import { sumMoney } from "../quote/money.ts";
import { countByType, countQuoted, type NormalizedEntry, normalizeOffer } from "../quote/normalize.ts";
import { timeOrNull } from "../quote/times.ts";
import type { FareQuoteResult, MiniFareRule, SegmentOrigin } from "../types/index.ts";
import { decideFees, type Fee, indeterminate, type PassengerFee } from "./decide.ts";
import { distanceTo, type FeeQuery, type PassengerCounts, readQuery, refuseUnknownTypes } from "./query.ts";
import { feeTypesOf, type JourneyRules, journeyRules, readWindow } from "./rules.ts";

export { type Charge, parseCharge } from "./charge.ts";
export type { Fee, IndeterminateReason, PassengerFee } from "./decide.ts";
export type { FeeQuery } from "./query.ts";

/** The fee for a change or a cancellation: in total, by journey and by type of passenger. */
export interface FeeReport {
  /** For all passengers on all journeys. */
  readonly fee: Fee;
  /** One for each journey, with rules or without. */
  readonly journeys: readonly JourneyFee[];
}

/** The fee on one journey. */
export interface JourneyFee {
  /** First and last airport, such as `DEL-LHR`. */
  readonly journeyPoints: string;
  /** Wall-clock time of the first departure; null if it is not known. */
  readonly departure: string | null;
  /** For all passengers on this journey. */
  readonly fee: Fee;
  /** The fees by type of passenger. */
  readonly passengers: readonly PassengerFee[];
  /** The rules of this journey and type, ordered by window. Rules that cannot be read come last. */
  readonly rules: readonly MiniFareRule[];
}

/**
 * Returns the fee for a change or a cancellation at a given time, from the quote's `mini_fare_rules` (§2.6;
 * docs/assumptions.md, F11).
 *
 * Windows count back from the departure of each journey's first flight; the start is included, the end is not. Charges
 * are per passenger and journey. If windows overlap, the higher charge counts and `overlap` is true. A gap, an unknown
 * unit, an unreadable charge, or rules for only a part of the journey are `indeterminate`, never a number.
 *
 * @param offer - A fare quote result.
 * @param query - What, when and for whom; see {@link FeeQuery}.
 * @throws {@link ConfigurationError} if `offer` is not an object, or for an unknown, missing or invalid part of the
 *   query: a `Date` without `zone`, a time that cannot be read, a misspelt `type`, a type of passenger that is neither
 *   documented nor in the quote.
 *
 * @example
 * ```ts
 * import { fees } from "serviceapi/flights";
 *
 * const { fee } = fees(offer, { type: "Cancellation", at: new Date(), zone: "Asia/Kolkata" });
 * if (fee.kind === "amount") console.log(`Cancelling now costs ${fee.total.currency} ${fee.total.amount}`);
 * ```
 */
export function fees(offer: FareQuoteResult, query: FeeQuery): FeeReport {
  requireObject("fees", "offer", offer, "a fare quote result");
  const asked = readQuery(query);
  const { fare_breakdown, mini_fare_rules, segments } = normalizeOffer(offer);
  refuseUnknownTypes(asked, {
    feeTypes: feeTypesOf(mini_fare_rules),
    passengerTypes: fare_breakdown.map((entry) => entry.passenger_type),
  });
  const counts = countPassengers(fare_breakdown, asked.passengers);
  const directions = itinerary({ segments }).legs.map((leg) => leg.segments);
  const all = journeyRules(mini_fare_rules, directions, asked.type);
  const home = directions[0]?.[0]?.origin;
  const journeys = all.map((journey) => journeyFee(journey, home, asked, counts));
  const flights = all.flatMap((journey) => journey.segments);
  // Rules for DEL-LHR beside rules for DEL-DXB would be counted twice.
  const countedTwice = new Set(flights).size < flights.length;
  return { fee: countedTwice ? indeterminate("mixed") : combine(journeys.map((journey) => journey.fee)), journeys };
}

function journeyFee(
  journey: JourneyRules,
  home: SegmentOrigin | undefined,
  query: FeeQuery,
  counts: PassengerCounts,
): JourneyFee {
  const origin = journey.segments[0]?.origin;
  const distance = origin === undefined || home === undefined ? null : distanceTo(origin, home, query);
  const unknown = indeterminate(origin === undefined ? "unknownJourney" : "unknownTime");
  const who = Object.entries(counts)
    .map(([passengerType, count = 0]) => ({ passengerType, count }))
    .filter(({ count }) => count > 0);
  const passengers =
    distance === null
      ? who.map((one): PassengerFee => ({ ...one, fee: unknown, overlap: false }))
      : decideFees(journey.rules, distance, who);
  return {
    journeyPoints: journey.journeyPoints,
    departure: timeOrNull(origin?.departure_time),
    fee: combine(passengers.map(({ fee }) => fee)),
    passengers,
    rules: orderRules(journey.rules),
  };
}

function countPassengers(breakdown: readonly NormalizedEntry[], passengers: FeeQuery["passengers"]): PassengerCounts {
  if (passengers === undefined) return countQuoted(breakdown);
  if (isList(passengers)) return countByType(Array.from(passengers, (passenger) => [passenger.passenger_type, 1]));
  return countByType(Object.entries(passengers).map(([type, count = 0]) => [type, count]));
}

/** Combines the parts into one fee; mixed kinds are `indeterminate`. Free parts beside amounts add nothing. */
function combine(parts: readonly Fee[]): Fee {
  const open = parts.find((fee) => fee.kind === "indeterminate");
  if (open !== undefined || parts.length === 0) return open ?? indeterminate("noRule");
  if (parts.every((fee) => fee.kind === "free" || fee.kind === "amount")) return addAmounts(parts);
  const [first] = parts;
  const alike = parts.every((fee) => fee.kind === first?.kind && percentOf(fee) === percentOf(first));
  const whole = parts.find((fee) => fee.kind === "percent" && fee.andMore) ?? first;
  return alike && whole !== undefined ? whole : indeterminate("mixed");
}

function addAmounts(parts: readonly Fee[]): Fee {
  const amounts = parts.filter((fee) => fee.kind === "amount");
  if (amounts.length === 0) return { kind: "free" };
  const total = sumMoney(amounts.map((fee) => fee.total));
  if (total === null) return indeterminate("mixed");
  return {
    kind: "amount",
    total,
    plusFareDifference: amounts.some((fee) => fee.plusFareDifference),
    ...(amounts.some((fee) => fee.andMore) && { andMore: true }),
  };
}

function percentOf(fee: Fee | undefined): string | undefined {
  return fee?.kind === "percent" ? fee.percent : undefined;
}

function orderRules(rules: readonly MiniFareRule[]): MiniFareRule[] {
  return rules
    .map((rule) => ({ rule, start: readWindow(rule)?.from ?? Number.POSITIVE_INFINITY }))
    .sort((a, b) => a.start - b.start || 0)
    .map(({ rule }) => rule);
}
