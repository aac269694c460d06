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
  const decimal = parseDecimal(amount);
  if (decimal === null || typeof currency !== "string" || currency.trim() === "") return null;
  return toMoney(decimal, currency.trim().toUpperCase());
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

/** The share of each of `count` people in hundredths, rounded down; the shares may add up to less than the amount. */
export function shareMoney(money: Money, count: number): Money {
  const { decimal, currency } = readExact("shareMoney", money);
  return toMoney(shareDecimal(decimal, count), currency);
}

/** An amount that cannot be read must not count as zero: zero is below any limit. */
function readExact(owner: string, money: unknown): { readonly decimal: Decimal; readonly currency: string } {
  const { amount, currency } = Object(money);
  const decimal = parseDecimal(amount);
  if (decimal === null || typeof currency !== "string" || currency.trim() === "") {
    throw new ConfigurationError(
      `${owner}: an amount of money is a decimal string with its currency, such as { amount: "7600.00", currency: "INR" }.`,
    );
  }
  return { decimal, currency: currency.trim().toUpperCase() };
}

function toMoney(decimal: Decimal, currency: string): Money {
  return { amount: formatDecimal(decimal), currency };
}
