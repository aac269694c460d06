import { compareMoney, type Money, multiplyMoney } from "../quote/money.ts";
import type { MiniFareRule, PassengerType } from "../types/index.ts";
import { type ChargeMeaning, parseCharge } from "./charge.ts";
import type { Distance } from "./moment.ts";
import { readWindow } from "./rules.ts";

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

/** Decides among the rules of one journey, at a time before its departure. */
export function decideFee(
  rules: readonly MiniFareRule[],
  distance: Distance,
  passengerType: string,
  count: number,
): PassengerFee {
  const [first, ...others] = momentsWithin(rules, distance).map((before) =>
    decideAt(rules, before, passengerType, count),
  );
  // With a departure that is known exactly there is one moment.
  if (first === undefined) return { passengerType, count, fee: indeterminate("unknownTime"), overlap: false };
  const fee = JSON.stringify(first.fee);
  return others.every((other) => JSON.stringify(other.fee) === fee)
    ? first
    : { passengerType, count, fee: indeterminate("unknownTime"), overlap: false };
}

/** One moment on each side of every edge of a window, at which the fee may change. */
function momentsWithin(rules: readonly MiniFareRule[], { least, most }: Distance): number[] {
  const edges = rules.flatMap((rule) => Object.values(readWindow(rule) ?? {}));
  const between = [0, ...edges].flatMap((edge) => [edge - 1, edge]).filter((edge) => edge > least && edge < most);
  return [...new Set([least, most, ...between])];
}

function decideAt(rules: readonly MiniFareRule[], before: number, passengerType: string, count: number): PassengerFee {
  const read = rules
    .map((rule) => ({ rule, window: readWindow(rule), charge: parseCharge(rule.charges) }))
    .filter(({ charge }) => charge.passengerType === undefined || charge.passengerType === passengerType);
  const result = (fee: Fee, rule?: MiniFareRule, overlap = false): PassengerFee => ({
    passengerType,
    count,
    fee,
    ...(rule && { rule }),
    overlap,
  });

  if (read.length === 0) return result(indeterminate("noRule"));
  const unreadable = read.find(({ window }) => window === null);
  if (unreadable) return result(indeterminate("unreadableWindow"), unreadable.rule);
  if (before < 0) return result(indeterminate("afterDeparture"));

  const matching = read.filter(({ window }) => window && window.from <= before && before < window.to);
  const odd = matching.find(({ charge }) => charge.kind === "unreadable");
  if (odd) return result(indeterminate("unreadableCharge"), odd.rule);

  const [first, ...others] = matching;
  if (first === undefined) return result(indeterminate("gap"));
  let dearest = first;
  for (const other of others) {
    const order = compareCharges(other.charge, dearest.charge);
    if (order === null) return result(indeterminate("overlap"), dearest.rule, true);
    if (order > 0) dearest = other;
  }
  return result(toFee(dearest.charge, count), dearest.rule, others.length > 0);
}

export function indeterminate(reason: IndeterminateReason): Fee {
  return { kind: "indeterminate", reason };
}

function toFee(charge: ChargeMeaning, count: number): Fee {
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
