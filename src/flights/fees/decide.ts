import { compareMoney, type Money, multiplyMoney } from "../quote/money.ts";
import type { MiniFareRule, PassengerType } from "../types/index.ts";
import { type Charge, type ChargeMeaning, parseCharge } from "./charge.ts";
import type { Distance } from "./query.ts";
import { readWindow, type Window } from "./rules.ts";

/** The reason why the fee is not known. */
export type IndeterminateReason =
  /** No rule applies to this journey and type. */
  | "noRule"
  /** No window contains this time. */
  | "gap"
  /** The journey is not one of the itinerary. */
  | "unknownJourney"
  /** The departure has passed. */
  | "afterDeparture"
  /** The fee depends on a departure or a time zone that is not known. */
  | "unknownTime"
  /** A window has an unknown unit, or no numbers. */
  | "unreadableWindow"
  /** The text of the charge is not understood. */
  | "unreadableCharge"
  /** Windows overlap, and their charges cannot be compared. */
  | "overlap"
  /** The parts are of different kinds or currencies. */
  | "mixed";

/** The fee for a change or a cancellation. Only `amount` has a figure. `indeterminate` means ask, not free. */
export type Fee =
  | {
      readonly kind: "amount";
      /** Exact sum for all passengers of the query. */
      readonly total: Money;
      /** Whether the difference to the new fare is added. */
      readonly plusFareDifference: boolean;
      /** An asterisk of the charge: further charges apply, so `total` is the minimum. */
      readonly andMore?: true;
    }
  | {
      readonly kind: "percent";
      /** Part of the fare, as a decimal string. The document does not say of which amount. */
      readonly percent: string;
      /** An asterisk in the text: further charges apply. */
      readonly andMore?: true;
    }
  | { readonly kind: "notAllowed" }
  | { readonly kind: "free" }
  | {
      readonly kind: "indeterminate";
      /** Machine-readable code. */
      readonly reason: IndeterminateReason;
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

/** A type of passenger, and how many there are. */
type Who = Pick<PassengerFee, "passengerType" | "count">;

/** Decides among the rules of one journey, at a time before its departure. */
export function decideFees(
  rules: readonly MiniFareRule[],
  distance: Distance,
  passengers: readonly Who[],
): PassengerFee[] {
  const read = rules.map((rule) => ({ rule, window: readWindow(rule), charge: parseCharge(rule.charges) }));
  const decisions = new Map<PassengerType | undefined, Decision>();
  return passengers.map(({ passengerType, count }) => {
    // Only these can have rules that are not for all passengers.
    const type = named.find((name) => name === passengerType);
    const decision = decisions.get(type) ?? decide(read.filter(appliesTo(type)), distance);
    decisions.set(type, decision);
    const { outcome, ...found } = decision;
    return { passengerType, count, fee: toFee(outcome, count), ...found };
  });
}

const named = ["adult", "child", "infant"] as const satisfies readonly PassengerType[];

interface ReadRule {
  readonly rule: MiniFareRule;
  readonly window: Window | null;
  readonly charge: Charge;
}

/** The charge for one passenger, or why it is not known. */
interface Decision extends Pick<PassengerFee, "rule" | "overlap"> {
  readonly outcome: ChargeMeaning | IndeterminateReason;
}

function appliesTo(type: PassengerType | undefined) {
  return ({ charge }: ReadRule) => charge.passengerType === undefined || charge.passengerType === type;
}

function decide(rules: readonly ReadRule[], distance: Distance): Decision {
  // With a departure that is known exactly there is one moment.
  const first = decideAt(rules, distance.least);
  const fee = feeText(first);
  const others = momentsWithin(rules, distance);
  return others.length < maxMoments && others.every((before) => feeText(decideAt(rules, before)) === fee)
    ? first
    : { outcome: "unknownTime", overlap: false };
}

/** More than the windows of any airline have. All rules are read at each moment. */
const maxMoments = 200;

function feeText({ outcome }: Decision): string {
  return JSON.stringify(toFee(outcome, 1));
}

/** One moment on each side of every edge of a window, at which the fee may change. */
function momentsWithin(rules: readonly ReadRule[], { least, most }: Distance): number[] {
  const edges = rules.flatMap(({ window }) => (window === null ? [] : [window.from, window.to]));
  const between = [0, ...edges].flatMap((edge) => [edge - 1, edge]).filter((edge) => edge > least && edge < most);
  return [...new Set([most, ...between])];
}

function decideAt(rules: readonly ReadRule[], before: number): Decision {
  const result = (outcome: Decision["outcome"], rule?: MiniFareRule, overlap = false): Decision => ({
    outcome,
    ...(rule && { rule }),
    overlap,
  });

  if (rules.length === 0) return result("noRule");
  const unreadable = rules.find(({ window }) => window === null);
  if (unreadable) return result("unreadableWindow", unreadable.rule);
  if (before < 0) return result("afterDeparture");

  const matching = rules.filter(({ window }) => window && window.from <= before && before < window.to);
  const odd = matching.find(({ charge }) => charge.kind === "unreadable");
  if (odd) return result("unreadableCharge", odd.rule);

  const [first, ...others] = matching;
  if (first === undefined) return result("gap");
  let dearest = first;
  for (const other of others) {
    const order = compareCharges(other.charge, dearest.charge);
    if (order === null) return result("overlap", dearest.rule, true);
    if (order > 0) dearest = other;
  }
  return result(dearest.charge, dearest.rule, others.length > 0);
}

export function indeterminate(reason: IndeterminateReason): Fee {
  return { kind: "indeterminate", reason };
}

function toFee(charge: ChargeMeaning | IndeterminateReason, count: number): Fee {
  if (typeof charge === "string") return indeterminate(charge);
  switch (charge.kind) {
    case "amount":
      return {
        kind: "amount",
        total: multiplyMoney(charge.money, count),
        plusFareDifference: charge.plusFareDifference,
        ...(charge.andMore && { andMore: true }),
      };
    case "percent":
      return { kind: "percent", percent: charge.percent, ...(charge.andMore && { andMore: true }) };
    case "unreadable":
      return indeterminate("unreadableCharge");
    default:
      return { kind: charge.kind };
  }
}

/** Orders two charges; null if they cannot be compared (a percentage and an amount, two currencies). */
function compareCharges(a: ChargeMeaning, b: ChargeMeaning): number | null {
  if (a.kind === "amount" && b.kind === "amount") return whenComparable(compareMoney(a.money, b.money), a, b);
  if (a.kind === "percent" && b.kind === "percent") return whenComparable(Number(a.percent) - Number(b.percent), a, b);
  const [rankOfA, rankOfB] = [ranks[a.kind], ranks[b.kind]];
  return rankOfA === rankOfB && a.kind !== b.kind ? null : rankOfA - rankOfB;
}

type Open = { readonly plusFareDifference?: boolean; readonly andMore?: true };

/** Additions are not known: a charge is certainly the higher one only if it has the additions of the other as well. */
function whenComparable(order: number | null, a: Open, b: Open): number | null {
  if (order === null) return null;
  const more = Number(a.plusFareDifference ?? false) - Number(b.plusFareDifference ?? false);
  const further = Number(a.andMore ?? false) - Number(b.andMore ?? false);
  const signs = [order, more, further].map(Math.sign);
  if (signs.includes(1) && signs.includes(-1)) return null;
  return signs.find((sign) => sign !== 0) ?? 0;
}

const ranks: Record<ChargeMeaning["kind"], number> = { free: 0, amount: 1, percent: 1, unreadable: 1, notAllowed: 2 };
