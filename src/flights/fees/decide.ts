import { compareMoney, type Money, multiplyMoney } from "../quote/money.ts";
import type { MiniFareRule, PassengerType } from "../types/index.ts";
import { type ChargeMeaning, parseCharge } from "./charge.ts";
import type { Distance } from "./moment.ts";
import { readWindow } from "./rules.ts";

/** Why no fee can be named. */
export type IndeterminateReason =
  /** No rule speaks of this journey and type. */
  | "noRule"
  /** No window holds this moment. */
  | "gap"
  /** The journey is not one of the itinerary. */
  | "unknownJourney"
  /** The departure has passed. */
  | "afterDeparture"
  /** The departure or the moment cannot be told: no time, or no time zone for the airport, and the fee depends on it. */
  | "unknownTime"
  /** A window has an unknown unit or no numbers. */
  | "unreadableWindow"
  /** The text of the charge is not understood. */
  | "unreadableCharge"
  /** Windows overlap and it cannot be told which charge is the dearer. */
  | "overlap"
  /** The parts are of different kinds or currencies. */
  | "mixed";

/** What a change or a cancellation costs. Only `amount` is a figure; `indeterminate` means ask, not free. */
export type Fee =
  | {
      readonly kind: "amount";
      /** For all passengers asked about, exact. */
      readonly total: Money;
      /** The difference to the new fare comes on top. */
      readonly plusFareDifference: boolean;
      /** An asterisk of the charge: further charges apply, and the total is the least that it costs. */
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
  /** How many of this type. */
  readonly count: number;
  /** For all of this type. */
  readonly fee: Fee;
  /** The rule that decided; absent where none did. */
  readonly rule?: MiniFareRule;
  /** Several windows held the moment and the dearest was taken. */
  readonly overlap: boolean;
}

/** Decides among the rules of one journey, at a distance before its departure. */
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

/** One moment on each side of every edge at which the answer may change. */
function momentsWithin(rules: readonly MiniFareRule[], { least, most }: Distance): number[] {
  const edges = rules.flatMap((rule) => Object.values(readWindow(rule) ?? {}));
  const between = [0, ...edges].flatMap((edge) => [edge - 1, edge]).filter((edge) => edge > least && edge < most);
  return [...new Set([least, most, ...between])];
}

function decideAt(rules: readonly MiniFareRule[], before: number, passengerType: string, count: number): PassengerFee {
  const read = rules
    .map((rule) => ({ rule, window: readWindow(rule), charge: parseCharge(rule.charges) }))
    .filter(({ charge }) => charge.passengerType === undefined || charge.passengerType === passengerType);
  const answer = (fee: Fee, rule?: MiniFareRule, overlap = false): PassengerFee => ({
    passengerType,
    count,
    fee,
    ...(rule && { rule }),
    overlap,
  });

  if (read.length === 0) return answer(indeterminate("noRule"));
  const unreadable = read.find(({ window }) => window === null);
  if (unreadable) return answer(indeterminate("unreadableWindow"), unreadable.rule);
  if (before < 0) return answer(indeterminate("afterDeparture"));

  const matching = read.filter(({ window }) => window && window.from <= before && before < window.to);
  const odd = matching.find(({ charge }) => charge.kind === "unreadable");
  if (odd) return answer(indeterminate("unreadableCharge"), odd.rule);

  const [first, ...others] = matching;
  if (first === undefined) return answer(indeterminate("gap"));
  let dearest = first;
  for (const other of others) {
    const order = compareCharges(other.charge, dearest.charge);
    if (order === null) return answer(indeterminate("overlap"), dearest.rule, true);
    if (order > 0) dearest = other;
  }
  return answer(toFee(dearest.charge, count), dearest.rule, others.length > 0);
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

/** Which of two charges is the dearer; null if that cannot be told (a percentage against an amount, two currencies). */
function compareCharges(a: ChargeMeaning, b: ChargeMeaning): number | null {
  if (a.kind === "amount" && b.kind === "amount") return whenComparable(compareMoney(a.money, b.money), a, b);
  if (a.kind === "percent" && b.kind === "percent") return whenComparable(Number(a.percent) - Number(b.percent), a, b);
  const [rankOfA, rankOfB] = [ranks[a.kind], ranks[b.kind]];
  return rankOfA === rankOfB && a.kind !== b.kind ? null : rankOfA - rankOfB;
}

type Open = { readonly plusFareDifference?: boolean; readonly andMore?: true };

/** What comes on top is not known: only the dearer charge with all that comes on top is certainly the dearer. */
function whenComparable(order: number | null, a: Open, b: Open): number | null {
  if (order === null) return null;
  const more = Number(a.plusFareDifference ?? false) - Number(b.plusFareDifference ?? false);
  const further = Number(a.andMore ?? false) - Number(b.andMore ?? false);
  const signs = [order, more, further].map(Math.sign);
  if (signs.includes(1) && signs.includes(-1)) return null;
  return signs.find((sign) => sign !== 0) ?? 0;
}

const ranks: Record<ChargeMeaning["kind"], number> = { free: 0, amount: 1, percent: 1, unreadable: 1, notAllowed: 2 };
