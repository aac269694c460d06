import { elementsOf, isObject, isString, stringOf } from "../../shared/json.ts";
import { runsBetween } from "../quote/itinerary.ts";
import { compareMoney, type Money, moneyText, sumMoney } from "../quote/money.ts";
import { codeOf } from "../quote/normalize.ts";
import type { MiniFareRule, PassengerType, Segment, SegmentPlace } from "../types/index.ts";
import { type More, type PlainFee, parseCharge } from "./charge.ts";

/** The documented types of fee. At run time any `type` of a rule is accepted. */
export type FeeType = "Reissue" | "Cancellation";

/** The rules of one journey and one type, with their flights. */
export interface JourneyRules {
  /** `DEL-LHR`. */
  readonly journeyPoints: string;
  /** The flights from the first point to the second; empty if the itinerary does not have the journey. */
  readonly segments: readonly Segment[];
  readonly rules: readonly MiniFareRule[];
}

const unitMs: Record<string, number> = { HOURS: 3_600_000, DAYS: 86_400_000 };

/**
 * Returns the window of a rule, from `from` up to but not including `to`, in milliseconds before departure; `to` is
 * Infinity for an open window. Null for an unknown unit, an invalid number or an end before the start.
 */
export function readWindow(rule: MiniFareRule): { readonly from: number; readonly to: number } | null {
  const unit = unitMs[codeOf(rule.unit)];
  const from = readNumber(rule.from);
  const to = isString(rule.to) && rule.to.trim() === "" ? Number.POSITIVE_INFINITY : readNumber(rule.to);
  if (unit === undefined || from === null || to === null || to < from) return null;
  // Whole milliseconds: 0.1 days are 2.4000000000000004 hours as a float.
  return { from: Math.round(from * unit), to: Math.round(to * unit) };
}

/**
 * Groups the rules of a type by journey. Flights without a rule form journeys without rules, so that the fee of a part is
 * not taken for that of the whole.
 */
export function journeyRules(
  rules: readonly MiniFareRule[],
  directions: readonly (readonly Segment[])[],
  type: string,
): JourneyRules[] {
  const groups = Map.groupBy(
    rules.filter((rule) => codeOf(rule.type) === codeOf(type)),
    ({ journey_points }) => codeOf(journey_points).replaceAll(/\s/g, ""),
  );
  const journeys = Array.from(groups, ([journeyPoints, rules]) => {
    return { journeyPoints, rules, segments: findJourney(directions, journeyPoints) };
  });
  const covered = new Set(journeys.flatMap((journey) => journey.segments));
  const bare = directions.flatMap((segments) => {
    const runs: Segment[][] = [[]];
    for (const segment of segments) {
      if (covered.has(segment)) runs.push([]);
      else runs.at(-1)?.push(segment);
    }
    return runs.filter(({ length }) => length > 0);
  });
  const withoutRules = bare.map((segments) => {
    const journeyPoints = `${segments[0]?.origin.airport_code}-${segments.at(-1)?.destination.airport_code}`;
    return { journeyPoints, rules: [], segments };
  });
  return [...journeys, ...withoutRules];
}

/**
 * Returns the mini fare rules of a quote in one list: they have been seen nested one level deeper. Elements without a
 * journey and charges are left out; rules with odd values stay (docs/assumptions.md, A4).
 */
export function readRules({ mini_fare_rules }: { readonly mini_fare_rules?: unknown }): MiniFareRule[] {
  const isRule = (value: unknown) => isObject(value) && ("journey_points" in value || "charges" in value);
  const rows: readonly unknown[] = elementsOf(mini_fare_rules).flat(2);
  return rows.filter((value): value is MiniFareRule => isRule(value));
}

/** Returns the flights within one direction from the first point to the second, which are airports or cities. */
function findJourney(directions: readonly (readonly Segment[])[], journeyPoints: string): readonly Segment[] {
  const codesOf = ({ airport_code, city_code }: SegmentPlace) => [codeOf(airport_code), codeOf(city_code)];
  const runs = [...runsBetween(directions, journeyPoints.split("-"), codesOf)];
  return runs.sort((a, b) => a.length - b.length)[0] ?? [];
}

function readNumber(text: unknown): number | null {
  const trimmed = codeOf(text);
  return /^\d{1,6}(?:\.\d{1,6})?$/.test(trimmed) ? Number(trimmed) : null;
}

/** The fee for a change or a cancellation. Only `amount` has a figure. `indeterminate` means ask, not free. */
export type Fee =
  | ({
      readonly kind: "amount";
      /** Exact sum for all passengers of the query: the minimum, with `andMore`. */
      readonly total: Money;
      /** Whether the difference to the new fare is added. */
      readonly plusFareDifference: boolean;
    } & More)
  | PlainFee
  | {
      readonly kind: "indeterminate";
      /** Machine-readable code. */
      readonly reason: keyof typeof reasons;
    };

/** The fee of one type of passenger on one journey. */
export interface PassengerFee {
  /** `adult`, `child` or `infant`. */
  readonly passengerType: PassengerType | (string & {});
  /** Number of passengers of this type. */
  readonly count: number;
  /** The fee for all passengers of this type. */
  readonly fee: Fee;
  /** The rule that decided; absent if none did. */
  readonly rule?: MiniFareRule;
  /** Whether several windows contained the time, so that the highest charge was taken. */
  readonly overlap: boolean;
}

/** Bounds of the time before a departure, in milliseconds. Both are equal if the departure is known exactly. */
export interface Distance {
  readonly least: number;
  readonly most: number;
}

export type Decision = Pick<PassengerFee, "fee" | "rule" | "overlap">;

type ReadRule = ReturnType<typeof readRule>;

/** A sector may be each flight or the whole journey: on several flights the charge is not known. */
function readRule(rule: MiniFareRule, flights: number) {
  const { charges } = rule;
  const { passengerType, ...charge } = parseCharge(charges);
  const isPerFlight = flights > 1 && /sector/i.test(stringOf(charges));
  return { rule, window: readWindow(rule), passengerType, fee: feeOf(charge, isPerFlight) };
}

/** Returns the decision for each type of passenger that the rules name, and for all others under `undefined`. */
export function decisionsOf(
  { rules, segments }: JourneyRules,
  distance: Distance,
): ReadonlyMap<string | undefined, Decision> {
  const read = rules.map((rule) => readRule(rule, segments.length));
  const types = new Set<string | undefined>([undefined, ...read.map(({ passengerType }) => passengerType)]);
  const applyTo = (type: string | undefined) =>
    read.filter(({ passengerType }) => passengerType === undefined || passengerType === type);
  return new Map(Array.from(types, (type) => [type, decide(applyTo(type), distance)]));
}

function decide(rules: readonly ReadRule[], { least, most }: Distance): Decision {
  // With a departure that is known exactly there is one moment.
  const first = decideAt(rules, least);
  const fee = JSON.stringify(first.fee);
  // One moment on each side of every edge of a window, at which the fee may change.
  const edges = rules.flatMap(({ window }) => (window === null ? [] : [window.from, window.to]));
  const between = [0, ...edges].flatMap((edge) => [edge - 1, edge]).filter((edge) => edge > least && edge < most);
  const others = [...new Set([most, ...between])];
  return others.length < maxMoments && others.every((before) => JSON.stringify(decideAt(rules, before).fee) === fee)
    ? first
    : { fee: indeterminate("unknownTime"), overlap: false };
}

/** More than the windows of any airline have. All rules are read at each moment. */
const maxMoments = 200;

function decideAt(rules: readonly ReadRule[], before: number): Decision {
  const unknown = (reason: keyof typeof reasons, one?: ReadRule): Decision => ({
    fee: indeterminate(reason),
    ...(one && { rule: one.rule }),
    overlap: reason === "overlap",
  });

  if (rules.length === 0) return unknown("noRule");
  const unreadable = rules.find(({ window }) => window === null);
  if (unreadable) return unknown("unreadableWindow", unreadable);
  if (before < 0) return unknown("afterDeparture");

  const matching = rules.filter(({ window }) => window && window.from <= before && before < window.to);
  const odd = matching.find(({ fee }) => fee.kind === "indeterminate");
  if (odd) return unknown("unreadableCharge", odd);

  const [first] = matching;
  if (first === undefined) return unknown("gap");
  const dearest = matching.reduce((best, one) => (isAtLeast(best.fee, one.fee) ? best : one));
  if (!matching.every(({ fee }) => isAtLeast(dearest.fee, fee))) return unknown("overlap", first);
  return { fee: dearest.fee, rule: dearest.rule, overlap: matching.length > 1 };
}

export function indeterminate(reason: keyof typeof reasons): Fee {
  return { kind: "indeterminate", reason };
}

function feeOf(charge: ReturnType<typeof parseCharge>, isPerFlight: boolean): Fee {
  if (charge.kind === "unreadable" || (isPerFlight && charge.kind !== "free")) return indeterminate("unreadableCharge");
  if (charge.kind !== "amount") return charge;
  const { money: total, ...more } = charge;
  return { ...more, total };
}

const ranks: Record<Fee["kind"], number> = { free: 0, amount: 1, percent: 1, indeterminate: 1, notAllowed: 2 };

/**
 * Whether one fee is certainly as high as another: of a percentage and an amount, or of two currencies, neither is.
 * Additions are not known, so it has to have those of the other as well.
 */
function isAtLeast(a: Fee, b: Fee): boolean {
  if (a.kind !== b.kind) return ranks[a.kind] > ranks[b.kind];
  if (hasMore(b) && !hasMore(a)) return false;
  if (a.kind !== "amount" || b.kind !== "amount") return Number(partOf(a)) >= Number(partOf(b));
  return (a.plusFareDifference || !b.plusFareDifference) && (compareMoney(a.total, b.total) ?? -1) >= 0;
}

function partOf(fee: Fee): string {
  return fee.kind === "percent" ? fee.percent : "0";
}

function hasMore(fee: Fee): boolean {
  return "andMore" in fee && fee.andMore === true;
}

/** Adds up fees: free ones beside amounts add nothing, and other fees of different kinds are `indeterminate`. */
export function addFees(fees: readonly Fee[]): Fee {
  const [first = indeterminate("noRule"), ...others] = fees;
  return fees.find(({ kind }) => kind === "indeterminate") ?? others.reduce(addFee, first);
}

function addFee(a: Fee, b: Fee): Fee {
  if (a.kind === "free" && b.kind === "amount") return b;
  if (a.kind === "amount" && b.kind === "free") return a;
  if (a.kind === "amount" && b.kind === "amount") {
    const total = sumMoney([a.total, b.total]);
    const plusFareDifference = a.plusFareDifference || b.plusFareDifference;
    if (total === null) return indeterminate("mixed");
    return { kind: "amount", total, plusFareDifference, ...((hasMore(a) || hasMore(b)) && { andMore: true }) };
  }
  if (a.kind !== b.kind || partOf(a) !== partOf(b)) return indeterminate("mixed");
  return hasMore(a) ? a : b;
}

/** Returns a fee for a person to read. Whatever is not known is not free. */
export function feeText(fee: Fee): string {
  const least = hasMore(fee) ? "at least " : "";
  switch (fee.kind) {
    case "amount":
      return `${least}${moneyText(fee.total)}${fee.plusFareDifference ? " plus the fare difference" : ""}`;
    case "percent":
      return `${least}${fee.percent} % of the fare`;
    case "notAllowed":
      return "not allowed";
    case "free":
      return "free";
    case "indeterminate":
      return `not known, ask the airline: ${reasons[fee.reason]}`;
  }
}

/** The reasons why a fee is not known, in words. */
const reasons = {
  /** No rule applies to this journey and type, or the number of passengers is not known. */
  noRule: "the quote has no rule for it, or does not say for how many",
  /** No window contains this time. */
  gap: "no rule covers this time",
  /** The journey is not one of the itinerary. */
  unknownJourney: "a rule is for another journey",
  /** The departure has passed. */
  afterDeparture: "the departure has passed",
  /** The fee depends on a departure or a time zone that is not known. */
  unknownTime: "it depends on a time zone or a departure that is not known",
  /** A window has an unknown unit, or no numbers. */
  unreadableWindow: "the time window of a rule cannot be read",
  /** The text of the charge is not understood, or it is per sector on several flights. */
  unreadableCharge: "the charge of a rule cannot be read",
  /** Windows overlap, and their charges cannot be compared. */
  overlap: "rules contradict each other",
  /** The parts are of different kinds or currencies. */
  mixed: "the parts cannot be added up",
} as const;
