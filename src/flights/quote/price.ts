import { elementsOf, field } from "../../shared/json.ts";
import type { FareQuoteResult } from "../types/index.ts";
import { fareBreakdown } from "./breakdown.ts";
import { compareMoney, type Money, multiplyMoney, readMoney, subtractMoney, sumMoney } from "./money.ts";
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
