import { ConfigurationError } from "../../errors/request.ts";
import { isList, isObject } from "../../shared/json.ts";
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
import { ignoreRejection } from "../../shared/promises.ts";
import { quoteNames, refuseUnknownNames, similarName } from "../../shared/unknown-names.ts";
import { directionsOf, maxFlights } from "../quote/itinerary.ts";
import { multiplyMoney } from "../quote/money.ts";
import { codeOf, countByType, normalizeOffer, oneOrAll } from "../quote/normalize.ts";
import {
  instantOf,
  isInstant,
  parseWallClock,
  requireTimeZone,
  timeOrNull,
  timeZone,
  type WallClockTime,
} from "../quote/times.ts";
import { passengerShape } from "../schemas.ts";
import type { FareQuoteResult, MiniFareRule, PassengerType, SegmentOrigin } from "../types/index.ts";
import {
  addFees,
  type Distance,
  decisionsOf,
  type Fee,
  type FeeType,
  feeText,
  indeterminate,
  type JourneyRules,
  journeyRules,
  type PassengerFee,
  readRules,
  readWindow,
} from "./rules.ts";

export { type Charge, parseCharge } from "./charge.ts";
export type { Fee, PassengerFee } from "./rules.ts";

/** The fee for a change or a cancellation: in total, by journey and by type of passenger. */
export interface FeeReport {
  /** For all passengers on all journeys. */
  readonly fee: Fee;
  /** The fee for a person to read, such as `INR 7000 plus the fare difference`; journey by journey if they do not add up. */
  readonly text: string;
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
 * are per passenger and journey. If windows overlap, the highest charge counts and `overlap` is true. A gap, an unknown
 * unit, an unreadable charge, or rules for only a part of the journey are `indeterminate`, never a number.
 *
 * @param offer - A fare quote result, or all those of one trip, in their order: their fees are added up.
 * @param query - What, when and for whom; see {@link FeeQuery}.
 * @throws {@link ConfigurationError} if `offer` is not an object, or for an unknown, missing or invalid part of the
 *   query: a `Date` without `zone`, a time that cannot be read, a misspelt `type`, a type of passenger that is neither
 *   documented nor in the quote.
 *
 * @example
 * ```ts
 * import { fees } from "serviceapi/flights";
 *
 * const { fee, text } = fees(offer, { type: "Cancellation", at: new Date(), zone: "Asia/Kolkata" });
 * console.log(`Cancelling now: ${text}`, fee.kind === "amount" ? fee.total.amount : fee.kind);
 * ```
 */
export function fees(offer: FareQuoteResult | readonly FareQuoteResult[], query: FeeQuery): FeeReport {
  const offers = oneOrAll("fees", "offer", offer, "a fare quote result").map(readOffer);
  const asked = readOptions<FeeQuery>("fees", query, queryRules, ["type", "at"]);
  if (asked.at instanceof Date && asked.zone === undefined) {
    throw new ConfigurationError(
      'fees: `at` is a Date, so `zone` is missing: the time zone of the first departure airport, such as "Asia/Kolkata".',
    );
  }
  refuseMisspeltFee(
    asked.type,
    offers.flatMap(({ rules }) => rules),
  );
  const knownTypes = new Set([
    ...passengerShape.passenger_type.choices,
    ...offers.flatMap((one) => Object.keys(one.quoted)),
  ]);
  // The clock on which the time of the query is read is the same for each offer.
  const home = offers[0]?.directions[0]?.[0]?.origin;
  const reports = offers.map(({ rules, directions, quoted }) => {
    const { passengers = quoted } = asked;
    const counts = countByType(isList(passengers) ? passengers : Object.entries(passengers).map(asRow));
    refuseUnknownNames("fees", "type of passenger", counts, [...knownTypes]);
    const found = journeyRules(rules, directions, asked.type);
    const journeys = found.map((journey) => journeyFee(journey, home, asked, counts));
    const flights = found.flatMap((journey) => journey.segments);
    // Rules for DEL-LHR beside rules for DEL-DXB would be counted twice.
    const areApart = new Set(flights).size === flights.length;
    const fee = areApart ? addFees(journeys.map((journey) => journey.fee)) : indeterminate("mixed");
    const parts = journeys.map((one) => `${one.journeyPoints}: ${feeText(one.fee)}`);
    return { fee, journeys, texts: areApart && parts.length > 0 ? parts : [feeText(fee)] };
  });
  const fee = addFees(reports.map((one) => one.fee));
  const text = fee.kind === "indeterminate" ? reports.flatMap(({ texts }) => texts).join("; ") : feeText(fee);
  return { fee, text, journeys: reports.flatMap(({ journeys }) => journeys) };
}

function readOffer(offer: FareQuoteResult) {
  const { quotedCounts, segments } = normalizeOffer(offer);
  // Each rule is compared with each flight: of more than a fare has, the fee is not known.
  const directions = directionsOf(segments.length <= maxFlights ? segments : []);
  return { rules: readRules(offer), directions, quoted: quotedCounts ?? {} };
}

const asRow = ([passenger_type, passenger_count = 0]: [string, number | undefined]) => ({
  passenger_type,
  passenger_count,
});

function journeyFee(
  journey: JourneyRules,
  home: SegmentOrigin | undefined,
  query: FeeQuery,
  counts: PassengerCounts,
): JourneyFee {
  const { journeyPoints, segments, rules } = journey;
  const origin = segments[0]?.origin;
  const distance = origin === undefined || home === undefined ? null : distanceTo(origin, home, query);
  const decisions = distance && decisionsOf(journey, distance);
  const unknown = indeterminate(origin === undefined ? "unknownJourney" : "unknownTime");
  const passengers = Object.entries(counts).flatMap(([passengerType, count = 0]): PassengerFee[] => {
    if (count === 0) return [];
    const decision = decisions?.get(passengerType) ?? decisions?.get(undefined) ?? { fee: unknown, overlap: false };
    const { fee } = decision;
    const total = fee.kind === "amount" ? { ...fee, total: multiplyMoney(fee.total, count) } : fee;
    return [{ ...decision, passengerType, count, fee: total }];
  });
  const startOf = (rule: MiniFareRule) => readWindow(rule)?.from ?? Number.POSITIVE_INFINITY;
  return {
    journeyPoints,
    departure: origin === undefined ? null : departureOf(origin),
    fee: addFees(passengers.map(({ fee }) => fee)),
    passengers,
    rules: rules.toSorted((a, b) => startOf(a) - startOf(b) || 0),
  };
}

/** Query of {@link fees}. */
export interface FeeQuery {
  /** `Cancellation` or `Reissue`, in upper or lower case. */
  readonly type: FeeType;
  /**
   * Time of the change or the cancellation: the wall-clock time at the first departure airport (`YYYY-MM-DD HH:mm:ss`),
   * or an instant, which needs `zone` and is exact on a night on which the clocks change. `timeOrNull` and `wallClockIn` return a wall-clock time.
   */
  readonly at: WallClockTime | Date;
  /**
   * Time zone of the first departure airport, such as `Asia/Kolkata`, or a function that returns the time zone of an
   * airport. With a single zone, a journey that begins in another one is `unknownTime`, unless the fee does not depend
   * on it. Only for an instant.
   */
  readonly zone?: string | ((airportCode: string) => string | undefined) | undefined;
  /** The passengers, or their number by type. @default those of the quote's `fare_breakdown` */
  readonly passengers?: readonly { readonly passenger_type: PassengerType }[] | PassengerCounts | undefined;
}

/** Number of passengers by type, such as `{ adult: 2, infant: 1 }`. */
export type PassengerCounts = Readonly<Partial<Record<PassengerType | (string & {}), number>>>;

export const queryRules: Rules<FeeQuery> = {
  type: nonEmptyString,
  at: moment,
  zone: anyOf("must be a time zone that the runtime knows, such as Asia/Kolkata, or a function", timeZone, func),
  passengers: passengersOrCounts,
};

/** A wall-clock time that can be read, or a valid `Date`: for anything else the fee would be "not known". */
function moment(value: unknown): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "must be a valid Date" : undefined;
  if (parseWallClock(value) !== null) return undefined;
  return typeof value === "string" && isInstant(value)
    ? 'is an instant: pass a Date, such as new Date("2027-02-10T06:15:00Z"), and `zone`'
    : "must be a wall-clock time such as 2027-02-10 06:15:00, or a Date with `zone`";
}

const mustBeWho = "must be a non-empty list of passengers, or how many of each type, such as { adult: 2 }";

function passengersOrCounts(value: unknown, name: string): string | undefined {
  if (Array.isArray(value)) return listOf(passenger)(value, name) === undefined ? undefined : mustBeWho;
  if (!isObject(value)) return mustBeWho;
  const wrong = Object.keys(value).find(
    (type) => value[type] !== undefined && integer(0)(value[type], type) !== undefined,
  );
  if (wrong === undefined) return undefined;
  return `has an invalid count of ${quoteNames([wrong])}: it must be an integer of at least 0`;
}

const passenger: Rule = (value, name) => nonEmptyString(Object(value).passenger_type, name);

const documentedFees = ["Cancellation", "Reissue"] as const satisfies readonly FeeType[];

/** A rule may have any type, so a word that no rule has is not an error. These are. */
const otherWords: Readonly<Record<FeeType, RegExp>> = {
  Cancellation: /^(cancel|refund|void)/i,
  Reissue: /^(re-?book|re-?schedul|change|date ?change|modif|amend|exchange)/i,
};

function refuseMisspeltFee(given: string, rules: readonly MiniFareRule[]): void {
  const type = given.trim();
  if ([...documentedFees, ...rules.map((rule) => rule.type)].some((known) => codeOf(known) === codeOf(type))) return;
  const meant = documentedFees.find((known) => otherWords[known].test(type)) ?? similarName(type, documentedFees);
  if (meant === undefined) return;
  throw new ConfigurationError(`fees: unknown \`type\` (did you mean "${meant}"?).`);
}

const hour = 3_600_000;

/**
 * Returns the time between the query's moment and the departure of a journey; null if either is not known.
 *
 * @param home - Origin of the first journey, whose clock the query's time is read on.
 */
function distanceTo(origin: SegmentOrigin, home: SegmentOrigin, { at, zone = "" }: FeeQuery): Distance | null {
  const departure = departureOf(origin);
  const wall = parseWallClock(departure);
  const isShared = sharesClock(origin, home);
  // Two clocks of the world are at most 26 hours apart.
  if (typeof at === "string") {
    // Hours that a night may be longer or shorter: two times of a clock do not say which. Asia and Africa keep theirs.
    const change = steadyClocks.has(codeOf(origin.country_code)) ? 0 : 1;
    return between(parseWallClock(at), wall, isShared ? change : 26);
  }
  // From fourteen hours ahead of UTC to twelve behind it.
  if (typeof zone === "string" && !isShared) return between(at.getTime(), wall, 14, 12);
  const place = typeof zone === "string" ? zone : zone(origin.airport_code);
  if (place === undefined || place === null) return null;
  ignoreRejection(place);
  requireTimeZone(`fees, for the airport ${origin.airport_code}`, place);
  // Between instants, a night on which the clocks change has its real length.
  return between(at.getTime(), instantOf(departure, place));
}

/** Returns a departure with its time of day: from a day alone nobody can count back. */
function departureOf({ departure_time }: SegmentOrigin): WallClockTime | null {
  return /\d[ T]\d/.test(departure_time) ? timeOrNull(departure_time) : null;
}

function between(moment: number | null, departure: number | null, ahead = 0, behind = ahead): Distance | null {
  if (moment === null || departure === null) return null;
  return { least: departure - moment - ahead * hour, most: departure - moment + behind * hour };
}

const steadyClocks = new Set(
  "AE AF BD BH BT CN HK ID IN JP KE KH KR KW LA LK MM MO MU MV MY NG NP OM PH PK QA SA SG TH TW TZ UG VN ZA".split(" "),
);

/** Countries in which the clocks of two airports may differ. */
const severalZones = new Set("AQ AU BR CA CD CL CY EC ES FM GL ID KI KZ MN MX MY NZ PF PG PT RU UA UM US".split(" "));

/** Returns true for the same airport or city, or a country with one time zone. */
function sharesClock(a: SegmentOrigin, b: SegmentOrigin): boolean {
  const same = (x: string, y: string) => codeOf(x) !== "" && codeOf(x) === codeOf(y);
  if (same(a.airport_code, b.airport_code) || same(a.city_code, b.city_code)) return true;
  return same(a.country_code, b.country_code) && !severalZones.has(codeOf(a.country_code));
}
