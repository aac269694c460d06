import { decideFee, type Fee, indeterminate, type PassengerFee } from "./fees/decide.ts";
import { type FeeType, type JourneyRules, journeyRules, readWindow } from "./fees/rules.ts";
import { itinerary } from "./itinerary.ts";
import { sumMoney } from "./money.ts";
import { soundOffer } from "./sound.ts";
import { instantOf, minutesBetween, parseWallClock, timeOrNull } from "./times.ts";
import type { FareQuoteResult, MiniFareRule, PassengerType, SegmentOrigin } from "./types.ts";

export type { Charge, ChargeMeaning } from "./fees/charge.ts";
export { parseCharge } from "./fees/charge.ts";
export type { Fee, IndeterminateReason, PassengerFee } from "./fees/decide.ts";
export type { FeeType } from "./fees/rules.ts";

/** What is asked of {@link fees}. */
export interface FeeQuestion {
  /** `Cancellation` or `Reissue`. */
  readonly type: FeeType;
  /**
   * When it is changed or cancelled: what the clock on the wall of the departure airport shows (`YYYY-MM-DD HH:mm:ss`),
   * or an instant, which needs `zone`.
   */
  readonly at: string | Date;
  /** For an instant: the time zone of the departure airport (`Asia/Kolkata`), or a function from airport code to zone. */
  readonly zone?: string | ((airportCode: string) => string | undefined) | undefined;
  /** Who: passengers, or how many of each type. @default those of the quote's `fare_breakdown` */
  readonly passengers?: readonly { readonly passenger_type: PassengerType }[] | PassengerCounts | undefined;
}

/** How many of each type. */
export type PassengerCounts = Readonly<Partial<Record<PassengerType | (string & {}), number>>>;

/** What it costs, in all and by journey and type of passenger. */
export interface FeeReport {
  /** For all passengers on all journeys. */
  readonly fee: Fee;
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
  readonly passengers: readonly PassengerFee[];
  /** The rules of this journey and type, by window; those that cannot be read stand last. */
  readonly rules: readonly MiniFareRule[];
}

/**
 * Answers what a change or a cancellation costs at a moment, from the quote's `mini_fare_rules` (§2.6; docs/assumptions.md, F11).
 *
 * Windows count back from the departure of each journey's first flight, the beginning included, the end not; charges are per
 * passenger and journey. Where windows overlap the dearer charge counts and `overlap` says so. A gap, an unknown unit or an
 * unreadable text is `indeterminate`, never a number.
 *
 * @param offer - A fare quote result.
 * @param question - What, when and for whom.
 *
 * @example
 * ```ts
 * import { fees } from "serviceapi/flights";
 *
 * const { fee } = fees(offer, { type: "Cancellation", at: new Date(), zone: "Asia/Kolkata" });
 * if (fee.kind === "amount") console.log(`Cancelling now costs ${fee.total.currency} ${fee.total.amount}`);
 * ```
 */
export function fees(offer: FareQuoteResult, question: FeeQuestion): FeeReport {
  const { fare_breakdown, mini_fare_rules } = soundOffer(offer);
  const counts = countPassengers(fare_breakdown, question.passengers);
  const directions = itinerary(offer).legs.map((leg) => leg.segments);
  const all = journeyRules(mini_fare_rules, directions, question.type);
  const journeys = all.map((journey) => journeyFee(journey, question, counts));
  const flights = all.flatMap((journey) => journey.segments);
  // Rules for DEL-LHR beside rules for DEL-DXB would be counted twice.
  const countedTwice = new Set(flights).size < flights.length;
  return { fee: countedTwice ? indeterminate("mixed") : combine(journeys.map((journey) => journey.fee)), journeys };
}

function journeyFee(journey: JourneyRules, question: FeeQuestion, counts: PassengerCounts): JourneyFee {
  const origin = journey.segments[0]?.origin;
  const hours = origin === undefined ? null : hoursBefore(origin, question);
  const unknown = indeterminate(origin === undefined ? "unknownJourney" : "unknownTime");
  const passengers = Object.entries(counts)
    .map(([passengerType, count = 0]) => ({ passengerType, count }))
    .filter(({ count }) => count > 0)
    .map(
      (who): PassengerFee =>
        hours === null
          ? { ...who, fee: unknown, overlap: false }
          : decideFee(journey.rules, hours, who.passengerType, who.count),
    );
  return {
    journeyPoints: journey.journeyPoints,
    departure: timeOrNull(origin?.departure_time),
    fee: combine(passengers.map(({ fee }) => fee)),
    passengers,
    rules: orderRules(journey.rules),
  };
}

/** Hours from the moment to the departure; null where either cannot be told. */
function hoursBefore({ airport_code, departure_time }: SegmentOrigin, { at, zone }: FeeQuestion): number | null {
  if (typeof at === "string") {
    const [moment, departure] = [parseWallClock(at), parseWallClock(departure_time)];
    return moment && departure && minutesBetween(moment, departure) / 60;
  }
  const place = typeof zone === "function" ? zone(airport_code) : zone;
  // Between instants, a night on which the clocks change has its real length.
  const departure = place === undefined ? null : instantOf(departure_time, place);
  return departure === null ? null : (departure - at.getTime()) / 3_600_000;
}

function countPassengers(
  breakdown: FareQuoteResult["fare_breakdown"],
  passengers: FeeQuestion["passengers"],
): PassengerCounts {
  if (passengers === undefined) {
    return tally(breakdown.map((entry) => [entry.passenger_type, entry.passenger_count]));
  }
  return isList(passengers) ? tally(passengers.map((passenger) => [passenger.passenger_type, 1])) : passengers;
}

function tally(rows: readonly (readonly [type: string, count: number])[]): PassengerCounts {
  const counts: Record<string, number> = {};
  for (const [type, count] of rows) counts[type] = (counts[type] ?? 0) + count;
  return counts;
}

function isList<T>(value: readonly T[] | PassengerCounts): value is readonly T[] {
  return Array.isArray(value);
}

/** The parts as one answer; what is not of one kind is no one answer. Free parts beside amounts add nothing. */
function combine(parts: readonly Fee[]): Fee {
  const open = parts.find((fee) => fee.kind === "indeterminate");
  if (open !== undefined || parts.length === 0) return open ?? indeterminate("noRule");
  if (parts.every((fee) => fee.kind === "free" || fee.kind === "amount")) return addAmounts(parts);
  const [first] = parts;
  const alike = parts.every((fee) => fee.kind === first?.kind && percentOf(fee) === percentOf(first));
  return alike && first !== undefined ? first : indeterminate("mixed");
}

function addAmounts(parts: readonly Fee[]): Fee {
  const amounts = parts.filter((fee) => fee.kind === "amount");
  if (amounts.length === 0) return { kind: "free" };
  const total = sumMoney(amounts.map((fee) => fee.total));
  if (total === null) return indeterminate("mixed");
  return { kind: "amount", total, plusFareDifference: amounts.some((fee) => fee.plusFareDifference) };
}

function percentOf(fee: Fee | undefined): string | undefined {
  return fee?.kind === "percent" ? fee.percent : undefined;
}

function orderRules(rules: readonly MiniFareRule[]): MiniFareRule[] {
  const start = (rule: MiniFareRule) => readWindow(rule)?.from ?? Number.POSITIVE_INFINITY;
  return [...rules].sort((a, b) => start(a) - start(b) || 0);
}
