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
import { elementsOf, field, stringOf } from "../../shared/json.ts";
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
  return exact && readable(toMoney(exact, exact.currency));
}

/** Checks a price or a limit that an application passes. */
export function priceRule(value: unknown): string | undefined {
  const { amount, currency } = Object(value);
  const isPrice = readMoney(amount, currency)?.amount.startsWith("-") === false;
  return isPrice
    ? undefined
    : 'must be a decimal amount of at least 0 with its currency, such as { amount: "7600.00", currency: "INR" }';
}

/** Returns an amount for a person to read. */
export function moneyText(money: Money | null, unknown = "not readable"): string {
  return money === null ? unknown : `${money.currency} ${money.amount.replace(/\.\d$/, "$&0")}`;
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
  const [first, ...others] = all;
  if (first === undefined || others.some(({ currency }) => currency !== first.currency)) return null;
  return toMoney(others.reduce<Decimal>(addDecimals, first), first.currency);
}

/**
 * Subtracts one amount from another, exactly.
 *
 * @returns `a − b`, or null if the currencies differ.
 * @throws {@link ConfigurationError} if `a` or `b` is not an amount of money.
 */
export function subtractMoney(a: Money, b: Money): Money | null {
  const [from, less] = [readExact("subtractMoney", a), readExact("subtractMoney", b)];
  return from.currency === less.currency ? toMoney(subtractDecimals(from, less), from.currency) : null;
}

/**
 * Multiplies an amount by an integer, exactly.
 *
 * @throws {@link ConfigurationError} if `money` is not an amount of money or `times` is not an integer.
 */
export function multiplyMoney(money: Money, times: number): Money {
  const exact = readExact("multiplyMoney", money);
  if (!Number.isSafeInteger(times)) throw new ConfigurationError("multiplyMoney: `times` must be an integer.");
  return toMoney(multiply(exact, times), exact.currency);
}

/**
 * Compares two amounts, exactly.
 *
 * @returns Negative, 0 or positive as `a` is less than, equal to or more than `b`; null if the currencies differ.
 * @throws {@link ConfigurationError} if `a` or `b` is not an amount of money.
 */
export function compareMoney(a: Money, b: Money): number | null {
  const [one, other] = [readExact("compareMoney", a), readExact("compareMoney", b)];
  return one.currency === other.currency ? compareDecimals(one, other) : null;
}

interface Exact extends Decimal {
  readonly currency: string;
}

function exactOf(amount: unknown, currency: unknown): Exact | null {
  const decimal = parseDecimal(amount);
  const code = stringOf(currency).trim().toUpperCase();
  return decimal === null || code === "" ? null : { ...decimal, currency: code };
}

/** An amount that cannot be read must not count as zero: zero is below any limit. */
function readExact(owner: string, money: unknown): Exact {
  const exact = exactOf(Object(money).amount, Object(money).currency);
  if (exact !== null) return exact;
  throw new ConfigurationError(
    `${owner}: an amount of money is a decimal string with its currency, such as { amount: "7600.00", currency: "INR" }.`,
  );
}

/** A longer amount, as of `1e500`, is none: what is computed with it could not be read again. */
function readable(money: Money): Money | null {
  return money.amount.length <= 350 ? money : null;
}

function toMoney(decimal: Decimal, currency: string): Money {
  return { amount: formatDecimal(decimal), currency };
}

function multiply({ units, scale }: Decimal, times: number): Decimal {
  return { units: units * BigInt(times), scale };
}

/** An offer, or a part of one. */
type Priced = { readonly [Name in "fare" | "fare_breakdown"]?: unknown };

const zero: Decimal = { units: 0n, scale: 0 };
/** A service that adds floats may be short of less than this. */
const hundredth: Decimal = { units: 1n, scale: 2 };

/**
 * The price of an offer; null if it cannot be read. It is `total_fare` if that is above zero and covers what the quote
 * says beside it: base fare and taxes, and the breakdown. A part that is missing costs nothing.
 */
export function priceOf(offer: Priced): Money | null {
  const { fare, fare_breakdown } = offer;
  const total = exactOf(field(fare, "total_fare"), field(fare, "currency"));
  if (total === null || total.units <= 0n) return null;
  const { rows, reading } = readBreakdown(offer);
  const inFare = ["basefare", "tax_and_surcharges"].map((name) => partOf(field(fare, name)));
  // Rows that do not add up to the base fare may be prices of one passenger.
  const inRows = rows.map(({ basefare, passenger_count }) =>
    partOf(basefare, reading === "aggregate" ? 1 : Math.max(1, passenger_count)),
  );
  const isWhole = Array.isArray(fare_breakdown ?? []) && rows.length === elementsOf(fare_breakdown).length;
  const limit = addDecimals(total, hundredth);
  const isCovered = [inFare, inRows].map(sumOf).every((sum) => sum !== null && compareDecimals(sum, limit) < 0);
  return isWhole && isCovered ? readable(toMoney(total, total.currency)) : null;
}

function partOf(amount: unknown, times = 1): Decimal | null {
  const decimal = parseDecimal(amount ?? 0);
  return decimal === null || decimal.units < 0n ? null : multiply(decimal, times);
}

/** The sum; null if a part is not known. */
function sumOf(parts: readonly (Decimal | null)[]): Decimal | null {
  return parts.reduce<Decimal | null>((sum, part) => sum && part && addDecimals(sum, part), zero);
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
  const { rows, reading, currency } = readBreakdown(offer);
  const inFare = (amount: Decimal | null) => amount && toMoney(amount, currency);
  const types = rows.map(({ passenger_type: passengerType, passenger_count: count, ...row }): PassengerTypeFare => {
    const total = reading === "unknown" ? null : row[reading];
    const each = reading === "perPassenger" ? row.aggregate : total && divide(total, count);
    return { passengerType, count, total: inFare(total), each: inFare(each) };
  });
  return { reading, types, warning: reading === "unknown" ? doesNotAddUp : null };
}

const doesNotAddUp =
  "The fare breakdown does not add up to the base fare, neither as totals of a type nor as prices of one passenger.";

/**
 * The rows of a breakdown, each with the total of its type in either reading. The sample quotes show rows in another
 * currency than the fare: amounts are compared, the fare's currency is shown.
 */
function readBreakdown({ fare, fare_breakdown }: Priced) {
  const base = exactOf(field(fare, "basefare"), field(fare, "currency"));
  const rows = normalizeBreakdown(fare_breakdown).map((row) => {
    const aggregate = parseDecimal(row.basefare);
    return { ...row, aggregate, perPassenger: aggregate && multiply(aggregate, row.passenger_count) };
  });
  const reading = (["aggregate", "perPassenger"] as const).find((one) => {
    const sum = sumOf(rows.map((row) => row[one]));
    return base !== null && sum !== null && rows.length > 0 && compareDecimals(sum, base) === 0;
  });
  return { rows, reading: reading ?? "unknown", currency: base?.currency ?? "" } as const;
}

/** One share in hundredths, or null if the shares would not add up again. */
function divide(total: Decimal, by: number): Decimal | null {
  if (by === 0) return null;
  const share = shareDecimal(total, by);
  return compareDecimals(multiply(share, by), total) === 0 ? share : null;
}
