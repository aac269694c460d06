import { compareMoney, type Money, multiplyMoney } from "../money.ts";
import type { MiniFareRule, PassengerType } from "../types.ts";
import { type ChargeMeaning, parseCharge } from "./charge.ts";
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
  /** The departure or the moment cannot be told: no time, or no time zone for the airport. */
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
    }
  /** A part of the fare, in decimal text; of which amount, the document does not say. */
  | { readonly kind: "percent"; readonly percent: string }
  | { readonly kind: "notAllowed" }
  | { readonly kind: "free" }
  | { readonly kind: "indeterminate"; readonly reason: IndeterminateReason };

/** The fee of one type of passenger on one journey. */
export interface PassengerFee {
  readonly passengerType: PassengerType | (string & {});
  readonly count: number;
  readonly fee: Fee;
  /** The rule that decided; absent where none did. */
  readonly rule?: MiniFareRule;
  /** Several windows held the moment and the dearest was taken. */
  readonly overlap: boolean;
}

/** Decides among the rules of one journey, some hours before its departure. */
export function decideFee(
  rules: readonly MiniFareRule[],
  hoursBefore: number,
  passengerType: string,
  count: number,
): PassengerFee {
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
  if (hoursBefore < 0) return answer(indeterminate("afterDeparture"));

  const matching = read.filter(({ window }) => window && window.from <= hoursBefore && hoursBefore < window.to);
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
      };
    case "percent":
      return { kind: "percent", percent: charge.percent };
    case "unreadable":
      return indeterminate("unreadableCharge");
    default:
      return { kind: charge.kind };
  }
}

/** Which of two charges is the dearer; null where that cannot be told (a percentage against an amount, two currencies). */
function compareCharges(a: ChargeMeaning, b: ChargeMeaning): number | null {
  if (a.kind === "amount" && b.kind === "amount") {
    const order = compareMoney(a.money, b.money);
    if (order === null || a.plusFareDifference === b.plusFareDifference) return order;
    // The difference is unknown: only the dearer amount with the difference on top is certainly the dearer.
    if (order === 0) return a.plusFareDifference ? 1 : -1;
    return (order > 0 ? a : b).plusFareDifference ? order : null;
  }
  if (a.kind === "percent" && b.kind === "percent") return Number(a.percent) - Number(b.percent);
  const [rankOfA, rankOfB] = [ranks[a.kind], ranks[b.kind]];
  return rankOfA === rankOfB && a.kind !== b.kind ? null : rankOfA - rankOfB;
}

const ranks: Record<ChargeMeaning["kind"], number> = { free: 0, amount: 1, percent: 1, unreadable: 1, notAllowed: 2 };
