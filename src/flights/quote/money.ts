import { ConfigurationError } from "../../errors/request.ts";
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  parseDecimal,
  shareDecimal,
  subtractDecimals,
} from "../../shared/decimal.ts";
import { elementsOf, field } from "../../shared/json.ts";
import { requireObject } from "../../shared/options.ts";
import type { FareQuoteResult } from "../types/index.ts";
import { normalizeBreakdown } from "./normalize.ts";

/** An exact amount with its currency. */
export interface Money {
  /** A decimal string such as `"7480"` or `"3967.75"`: never a float, no grouping, no trailing zeros. */
  readonly amount: string;
  /** Currency code, such as `INR`. */
  readonly currency: string;
}

/**
 * Reads an amount of a response as exact money.
 *
 * @param amount - A number as received in JSON, or a decimal string.
 * @param currency - Currency code, such as `INR`.
 * @returns The money, or null if `amount` is not a finite decimal or `currency` is not a non-empty string.
 *
 * @example
 * ```ts
 * import { readMoney, sumMoney } from "serviceapi/flights";
 *
 * sumMoney([readMoney(0.1, "INR"), readMoney(0.2, "INR")].filter((money) => money !== null));
 * // { amount: "0.3", currency: "INR" }
 * ```
 */
export function readMoney(amount: unknown, currency: unknown): Money | null {
  const exact = exactOf(amount, currency);
  return exact && toMoney(exact.decimal, exact.currency);
}

/**
 * Adds amounts, exactly.
 *
 * @returns The sum, or null if the currencies differ or there is nothing to add.
 * @throws {@link ConfigurationError} if an element is not an amount of money.
 */
export function sumMoney(amounts: readonly Money[]): Money | null {
  if (!Array.isArray(amounts)) throw new ConfigurationError("sumMoney: the amounts must be a list.");
  // Array.from turns holes into undefined, which readExact refuses.
  const all = Array.from(amounts, (money) => readExact("sumMoney", money));
  const [first] = all;
  if (first === undefined || all.some(({ currency }) => currency !== first.currency)) return null;
  return toMoney(all.map(({ decimal }) => decimal).reduce(addDecimals), first.currency);
}

/**
 * Subtracts one amount from another, exactly.
 *
 * @returns `a − b`, or null if the currencies differ.
 * @throws {@link ConfigurationError} if `a` or `b` is not an amount of money.
 */
export function subtractMoney(a: Money, b: Money): Money | null {
  const [from, less] = [readExact("subtractMoney", a), readExact("subtractMoney", b)];
  return from.currency === less.currency ? toMoney(subtractDecimals(from.decimal, less.decimal), from.currency) : null;
}

/**
 * Multiplies an amount by an integer, exactly.
 *
 * @throws {@link ConfigurationError} if `money` is not an amount of money or `times` is not an integer.
 */
export function multiplyMoney(money: Money, times: number): Money {
  const { decimal, currency } = readExact("multiplyMoney", money);
  if (!Number.isSafeInteger(times)) throw new ConfigurationError("multiplyMoney: `times` must be an integer.");
  return toMoney({ units: decimal.units * BigInt(times), scale: decimal.scale }, currency);
}

/**
 * Compares two amounts, exactly.
 *
 * @returns Negative, 0 or positive as `a` is less than, equal to or more than `b`; null if the currencies differ.
 * @throws {@link ConfigurationError} if `a` or `b` is not an amount of money.
 */
export function compareMoney(a: Money, b: Money): number | null {
  const [one, other] = [readExact("compareMoney", a), readExact("compareMoney", b)];
  return one.currency === other.currency ? compareDecimals(one.decimal, other.decimal) : null;
}

/** Whether two amounts are known and equal. */
export function equalMoney(a: Money | null, b: Money | null): boolean {
  return a !== null && b !== null && compareMoney(a, b) === 0;
}

interface Exact {
  readonly decimal: Decimal;
  readonly currency: string;
}

function exactOf(amount: unknown, currency: unknown): Exact | null {
  const decimal = parseDecimal(amount);
  if (decimal === null || typeof currency !== "string" || currency.trim() === "") return null;
  return { decimal, currency: currency.trim().toUpperCase() };
}

/** An amount that cannot be read must not count as zero: zero is below any limit. */
function readExact(owner: string, money: unknown): Exact {
  const exact = exactOf(Object(money).amount, Object(money).currency);
  if (exact !== null) return exact;
  throw new ConfigurationError(
    `${owner}: an amount of money is a decimal string with its currency, such as { amount: "7600.00", currency: "INR" }.`,
  );
}

function toMoney(decimal: Decimal, currency: string): Money {
  return { amount: formatDecimal(decimal), currency };
}

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
  const sum = parts.some((part) => part && isNegative(part)) ? null : sumKnown([{ amount: "0", currency }, ...parts]);
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
  const rows = normalizeBreakdown(offer.fare_breakdown);
  const amounts = rows.map((row) => readMoney(row.basefare, currency));
  const totals = {
    aggregate: amounts,
    perPassenger: rows.map(({ passenger_count }, i) => amounts[i] && multiplyMoney(amounts[i], passenger_count)),
  };
  const adds = (reading: keyof typeof totals) => equalMoney(base, sumKnown(totals[reading]));
  const reading = adds("aggregate") ? "aggregate" : adds("perPassenger") ? "perPassenger" : "unknown";
  const types = rows.map(({ passenger_type: passengerType, passenger_count: count }, i): PassengerTypeFare => {
    const total = (reading !== "unknown" && totals[reading][i]) || null;
    return {
      passengerType,
      count,
      total,
      each: reading === "perPassenger" ? (amounts[i] ?? null) : divide(total, count),
    };
  });
  return { reading, types, warning: reading === "unknown" ? doesNotAddUp : null };
}

const doesNotAddUp =
  "The fare breakdown does not add up to the base fare, neither as totals of a type nor as prices of one passenger.";

/** The sum of amounts that are all known, of which there is one at least. */
function sumKnown(parts: readonly (Money | null | undefined)[]): Money | null {
  const known = parts.flatMap((part) => part ?? []);
  return known.length < parts.length ? null : sumMoney(known);
}

/** One share in hundredths, or null if the shares would not add up again. */
function divide(money: Money | null, by: number): Money | null {
  if (money === null || by === 0) return null;
  const { decimal, currency } = readExact("fareBreakdown", money);
  const share = toMoney(shareDecimal(decimal, by), currency);
  return equalMoney(multiplyMoney(share, by), money) ? share : null;
}
