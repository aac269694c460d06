import { ConfigurationError } from "../../errors/request.ts";

/** An exact amount with its currency. */
export interface Money {
  /** A decimal string such as `"7480"` or `"3967.75"`: never a float, no grouping, no trailing zeros. */
  readonly amount: string;
  /** Such as `INR`. */
  readonly currency: string;
}

/** `units × 10^-scale`. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/**
 * Reads an amount of a response as exact money.
 *
 * @param amount - A number as it came in JSON, or a decimal string.
 * @param currency - Its currency, such as `INR`.
 * @returns The money, or null if `amount` is not a finite decimal or `currency` is not a non-empty string.
 *
 * @example
 * ```ts
 * import { readMoney, sumMoney } from "serviceapi/flights";
 *
 * sumMoney([readMoney(0.1, "INR"), readMoney(0.2, "INR")].filter((money) => money !== null)); // { amount: "0.3", currency: "INR" }
 * ```
 */
export function readMoney(amount: unknown, currency: unknown): Money | null {
  const decimal = parse(amount);
  if (decimal === null || typeof currency !== "string" || currency.trim() === "") return null;
  return { amount: format(decimal), currency: currency.trim().toUpperCase() };
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
  return toMoney(all.map(({ decimal }) => decimal).reduce(plus), first.currency);
}

/**
 * Subtracts one amount from another, exactly.
 *
 * @returns `a − b`, or null if the currencies differ.
 * @throws {@link ConfigurationError} if `a` or `b` is not an amount of money.
 */
export function subtractMoney(a: Money, b: Money): Money | null {
  const [from, less] = [readExact("subtractMoney", a), readExact("subtractMoney", b)];
  return from.currency === less.currency ? toMoney(plus(from.decimal, negative(less.decimal)), from.currency) : null;
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
  if (one.currency !== other.currency) return null;
  const { units } = plus(one.decimal, negative(other.decimal));
  return Number(units > 0n) - Number(units < 0n);
}

/** The share of each of `count` people in hundredths, rounded down; the shares may add up to less than the amount. */
export function shareMoney({ amount, currency }: Money, count: number): Money {
  const { units, scale } = parse(amount) ?? zero;
  const hundredths = scale > 2 ? units / 10n ** BigInt(scale - 2) : units * 10n ** BigInt(2 - scale);
  return toMoney({ units: hundredths / BigInt(count), scale: 2 }, currency);
}

/**
 * An amount that cannot be read must not count as nothing: compared with a limit, nothing is always low enough.
 */
function readExact(owner: string, money: unknown): { readonly decimal: Decimal; readonly currency: string } {
  const { amount, currency } = Object(money);
  const decimal = parse(amount);
  if (decimal === null || typeof currency !== "string" || currency.trim() === "") {
    throw new ConfigurationError(
      `${owner}: an amount of money is a decimal string with its currency, such as { amount: "7600.00", currency: "INR" }.`,
    );
  }
  return { decimal, currency: currency.trim().toUpperCase() };
}

const zero: Decimal = { units: 0n, scale: 0 };

function toMoney(decimal: Decimal, currency: string): Money {
  return { amount: format(decimal), currency };
}

function negative({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

/** `String(number)` may hold an exponent beyond 21 digits or below a millionth. */
const pattern = /^([+-]?)(\d{1,400})(?:\.(\d{1,400}))?(?:e([+-]?\d{1,3}))?$/;

function parse(value: unknown): Decimal | null {
  if (typeof value !== "number" && typeof value !== "string") return null;
  const [, sign, whole, fraction = "", exponent = "0"] = pattern.exec(String(value).trim()) ?? [];
  if (whole === undefined) return null;
  const units = BigInt(`${sign === "-" ? "-" : ""}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale };
}

function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const at = (d: Decimal) => d.units * 10n ** BigInt(scale - d.scale);
  return { units: at(a) + at(b), scale };
}

function format({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
