/** An exact amount with its currency. */
export interface Money {
  /** Decimal text such as `"7480"` or `"3967.75"`: never a float, no grouping, no trailing zeros. */
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
 * Writes an amount of an answer as exact money.
 *
 * @param amount - A number as it came in JSON, or decimal text.
 * @param currency - Its currency, such as `INR`.
 * @returns The money, or null where `amount` is no finite decimal.
 */
export function readMoney(amount: unknown, currency: unknown): Money | null {
  const decimal = parse(amount);
  if (decimal === null || typeof currency !== "string" || currency.trim() === "") return null;
  return { amount: format(decimal), currency: currency.trim().toUpperCase() };
}

/** The sum, or null where the currencies differ or there is nothing to add. */
export function sumMoney(amounts: readonly Money[]): Money | null {
  const [first] = amounts;
  if (first === undefined || amounts.some((money) => money.currency !== first.currency)) return null;
  return { amount: format(amounts.map(decimalOf).reduce(plus)), currency: first.currency };
}

/** `a − b`, or null where the currencies differ. */
export function subtractMoney(a: Money, b: Money): Money | null {
  if (a.currency !== b.currency) return null;
  const { units, scale } = decimalOf(b);
  return { amount: format(plus(decimalOf(a), { units: -units, scale })), currency: a.currency };
}

/** `money` a whole number of times. */
export function multiplyMoney(money: Money, times: number): Money {
  const { units, scale } = decimalOf(money);
  return { amount: format({ units: units * BigInt(times), scale }), currency: money.currency };
}

/** Negative, 0 or positive as `a` is less than, equal to or more than `b`; null where the currencies differ. */
export function compareMoney(a: Money, b: Money): number | null {
  const difference = subtractMoney(a, b);
  return difference === null
    ? null
    : Number(decimalOf(difference).units > 0n) - Number(decimalOf(difference).units < 0n);
}

function decimalOf(money: Money): Decimal {
  return parse(money.amount) ?? { units: 0n, scale: 0 };
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
