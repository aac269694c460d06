import { requireObject } from "../../shared/options.ts";
import { itinerary } from "../quote/itinerary.ts";
import { sumMoney } from "../quote/money.ts";
import { countByType, type NormalizedEntry, normalizeOffer } from "../quote/normalize.ts";
import { timeOrNull } from "../quote/times.ts";
import type { FareQuoteResult, MiniFareRule, SegmentOrigin } from "../types/index.ts";
import { decideFee, type Fee, indeterminate, type PassengerFee } from "./decide.ts";
import { distanceTo } from "./moment.ts";
import { type FeeQuery, type PassengerCounts, readQuestion, refuseUnknownTypes } from "./question.ts";
import { feeTypesOf, type JourneyRules, journeyRules, readWindow } from "./rules.ts";

export { type Charge, type ChargeMeaning, parseCharge } from "./charge.ts";
export type { Fee, IndeterminateReason, PassengerFee } from "./decide.ts";
export type { FeeQuery, PassengerCounts } from "./question.ts";
export type { FeeType } from "./rules.ts";

/** What it costs, in all and by journey and type of passenger. */
export interface FeeReport {
  /** For all passengers on all journeys. */
  readonly fee: Fee;
  /** One for each journey that rules speak of, and for each that none does. */
  readonly journeys: readonly JourneyFee[];
}

/** What it costs on one journey. */
export interface JourneyFee {
  /** `DEL-LHR`. */
  readonly journeyPoints: string;
  /** Wall-clock time of the first departure; null where it is not known. */
  readonly departure: string | null;
  /** For all passengers on this journey. */
  readonly fee: Fee;
  /** By type of passenger. */
  readonly passengers: readonly PassengerFee[];
  /** The rules of this journey and type, by window; those that cannot be read stand last. */
  readonly rules: readonly MiniFareRule[];
}

/**
 * Returns what a change or a cancellation costs at a moment, from the quote's `mini_fare_rules` (§2.6; docs/assumptions.md, F11).
 *
 * Windows count back from the departure of each journey's first flight, the beginning included, the end not; charges are per
 * passenger and journey. If windows overlap the dearer charge counts and `overlap` says so. A gap, an unknown unit, an
 * unreadable text, or rules that cover only a part of the journey are `indeterminate`, never a number.
 *
 * @param offer - A fare quote result.
 * @param question - What, when and for whom.
 * @throws {@link ConfigurationError} if `offer` is not an object, or for an unknown, missing or invalid part of the question: a
 *   `Date` without `zone`, a time that cannot be read, a misspelt `type`, a type of passenger that neither the document nor the
 *   quote names.
 *
 * @example
 * ```ts
 * import { fees } from "serviceapi/flights";
 *
 * const { fee } = fees(offer, { type: "Cancellation", at: new Date(), zone: "Asia/Kolkata" });
 * if (fee.kind === "amount") console.log(`Cancelling now costs ${fee.total.currency} ${fee.total.amount}`);
 * ```
 */
export function fees(offer: FareQuoteResult, question: FeeQuery): FeeReport {
  requireObject("fees", "offer", offer, "a fare quote result");
  const asked = readQuestion(question);
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
  question: FeeQuery,
  counts: PassengerCounts,
): JourneyFee {
  const origin = journey.segments[0]?.origin;
  const distance = origin === undefined || home === undefined ? null : distanceTo(origin, home, question);
  const unknown = indeterminate(origin === undefined ? "unknownJourney" : "unknownTime");
  const passengers = Object.entries(counts)
    .map(([passengerType, count = 0]) => ({ passengerType, count }))
    .filter(({ count }) => count > 0)
    .map(
      (who): PassengerFee =>
        distance === null
          ? { ...who, fee: unknown, overlap: false }
          : decideFee(journey.rules, distance, who.passengerType, who.count),
    );
  return {
    journeyPoints: journey.journeyPoints,
    departure: timeOrNull(origin?.departure_time),
    fee: combine(passengers.map(({ fee }) => fee)),
    passengers,
    rules: orderRules(journey.rules),
  };
}

function countPassengers(breakdown: readonly NormalizedEntry[], passengers: FeeQuery["passengers"]): PassengerCounts {
  if (passengers === undefined) {
    return countByType(breakdown.map((entry) => [entry.passenger_type, entry.passenger_count]));
  }
  if (isList(passengers)) return countByType(Array.from(passengers, (passenger) => [passenger.passenger_type, 1]));
  return countByType(Object.entries(passengers).map(([type, count = 0]) => [type, count]));
}

function isList<T>(value: readonly T[] | PassengerCounts): value is readonly T[] {
  return Array.isArray(value);
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
  const start = (rule: MiniFareRule) => readWindow(rule)?.from ?? Number.POSITIVE_INFINITY;
  return [...rules].sort((a, b) => start(a) - start(b) || 0);
}
