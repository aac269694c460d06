import { elementsOf, field } from "../../shared/json.ts";
import { requireObject } from "../../shared/options.ts";
import type { FareQuoteResult } from "../types/index.ts";
import {
  compareMoney,
  equalMoney,
  type Money,
  multiplyMoney,
  readMoney,
  shareMoney,
  subtractMoney,
  sumMoney,
} from "./money.ts";
import { normalizeBreakdown } from "./normalize.ts";

/**
 * The price of an offer; null if it cannot be read. It is `total_fare` if that is above zero and covers what the quote
 * says beside it: base fare and taxes, and the breakdown. A part that is missing costs nothing.
 */
export function priceOf(offer: FareQuoteResult): Money | null {
  const { fare, fare_breakdown } = offer;
  const currency = field(fare, "currency");
  const total = readMoney(field(fare, "total_fare"), currency);
  if (total === null || total.amount === "0" || isNegative(total)) return null;
  const rows = normalizeBreakdown(fare_breakdown);
  // The rows of a type add up to the base fare, or may be the price of one passenger.
  const isAggregate = fareBreakdown(offer).reading === "aggregate";
  const inRows = rows.map((row) => {
    const money = readMoney(row.basefare ?? 0, currency);
    return money && multiplyMoney(money, isAggregate ? 1 : Math.max(1, row.passenger_count));
  });
  const inFare = ["basefare", "tax_and_surcharges"].map((name) => readMoney(field(fare, name) ?? 0, currency));
  const isWhole = Array.isArray(fare_breakdown ?? []) && rows.length === elementsOf(fare_breakdown).length;
  return isWhole && covers(total, inFare) && covers(total, inRows) ? total : null;
}

/** A service that adds floats may be short of less than a hundredth. */
function covers(total: Money, parts: readonly (Money | null)[]): boolean {
  const { currency } = total;
  const known = parts.flatMap((part) => (part === null || isNegative(part) ? [] : [part]));
  const sum = known.length < parts.length ? null : sumMoney([{ amount: "0", currency }, ...known]);
  const shortfall = sum && subtractMoney(sum, total);
  return shortfall !== null && (compareMoney(shortfall, { amount: "0.01", currency }) ?? 1) < 0;
}

function isNegative({ amount }: Money): boolean {
  return amount.startsWith("-");
}

/** The base fare by type of passenger. */
export interface FareBreakdown {
  /**
   * Meaning of `fare_breakdown[].basefare`: `aggregate` is the sum for all passengers of the type, `perPassenger` the
   * price of one, and `unknown` is neither: the rows do not add up to `fare.basefare`.
   */
  readonly reading: "aggregate" | "perPassenger" | "unknown";
  /** One row for each type of passenger, in the order of the quote. */
  readonly types: readonly PassengerTypeFare[];
  /** Explanation of an `unknown` reading; null for the others. */
  readonly warning: string | null;
}

/** The base fare of one type of passenger. */
export interface PassengerTypeFare {
  /** `adult`, `child` or `infant`, as the quote writes it. */
  readonly passengerType: string;
  /** Number of passengers of this type in the quote. */
  readonly count: number;
  /** Base fare of all passengers of the type; null if the reading is `unknown`. */
  readonly total: Money | null;
  /** Base fare of one, exact; null if the reading is `unknown` or the total does not divide into hundredths. */
  readonly each: Money | null;
}

/**
 * Reads `fare_breakdown` of a quote. The document does not say whether `basefare` is for one passenger or for all of
 * the type, so the reading that adds up to `fare.basefare` is taken (docs/assumptions.md, F12).
 *
 * @param offer - A fare quote result.
 * @throws {@link ConfigurationError} if `offer` is not an object.
 *
 * @example
 * ```ts
 * import { fareBreakdown } from "serviceapi/flights";
 *
 * const { reading, types } = fareBreakdown(offer);
 * for (const { passengerType, count, total } of types) {
 *   console.log(count, passengerType, total?.amount ?? "?", reading);
 * }
 * ```
 */
export function fareBreakdown(offer: Pick<FareQuoteResult, "fare" | "fare_breakdown">): FareBreakdown {
  requireObject("fareBreakdown", "offer", offer, "a fare quote result");
  // The sample quotes show entries in another currency than the fare: amounts are compared, the fare's currency is
  // shown.
  const currency = field(offer.fare, "currency");
  const base = readMoney(field(offer.fare, "basefare"), currency);
  const rows = normalizeBreakdown(offer.fare_breakdown).map((entry) => ({
    passengerType: entry.passenger_type,
    count: entry.passenger_count,
    money: readMoney(entry.basefare, currency),
  }));
  const reading = decideReading(base, rows);
  return { reading, types: rows.map((row) => readType(row, reading)), warning: warnings[reading] };
}

interface Row {
  readonly passengerType: string;
  readonly count: number;
  readonly money: Money | null;
}

const warnings: Readonly<Record<FareBreakdown["reading"], string | null>> = {
  aggregate: null,
  perPassenger: null,
  unknown:
    "The fare breakdown does not add up to the base fare, neither as totals of a type nor as prices of one passenger.",
};

function decideReading(base: Money | null, rows: readonly Row[]): FareBreakdown["reading"] {
  const amounts: Money[] = [];
  const products: Money[] = [];
  for (const { money, count } of rows) {
    if (money === null) return "unknown";
    amounts.push(money);
    products.push(multiplyMoney(money, count));
  }
  if (equalMoney(base, sumMoney(amounts))) return "aggregate";
  return equalMoney(base, sumMoney(products)) ? "perPassenger" : "unknown";
}

function readType({ passengerType, count, money }: Row, reading: FareBreakdown["reading"]): PassengerTypeFare {
  const who = { passengerType, count };
  if (money === null || reading === "unknown") return { ...who, total: null, each: null };
  if (reading === "aggregate") return { ...who, total: money, each: divide(money, count) };
  return { ...who, total: multiplyMoney(money, count), each: money };
}

/** One share in hundredths, or null if the shares would not add up again. */
function divide(money: Money, by: number): Money | null {
  if (by === 0) return null;
  const share = shareMoney(money, by);
  return equalMoney(multiplyMoney(share, by), money) ? share : null;
}
