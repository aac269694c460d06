/** An exact decimal number, `units × 10^-scale`. */
export interface Decimal {
  readonly units: bigint;
  /** Number of digits after the decimal point. */
  readonly scale: number;
}

/** `String(number)` may hold an exponent beyond 21 digits or below a millionth. */
const pattern = /^([+-]?)(\d{1,400})(?:\.(\d{1,400}))?(?:e([+-]?\d{1,3}))?$/;

/** Reads a number, or a decimal string with spaces around it; null for anything else. */
export function parseDecimal(value: unknown): Decimal | null {
  if (typeof value !== "number" && typeof value !== "string") return null;
  const [, sign, whole, fraction = "", exponent = "0"] = pattern.exec(String(value).trim()) ?? [];
  if (whole === undefined) return null;
  const units = BigInt(`${sign === "-" ? "-" : ""}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale };
}

/** Writes a decimal without an exponent and without trailing zeros. */
export function formatDecimal({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, { units: -b.units, scale: b.scale });
}

/** Returns -1, 0 or 1 as `a` is less than, equal to or more than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const { units } = subtractDecimals(a, b);
  return Number(units > 0n) - Number(units < 0n);
}

/**
 * Returns one of `count` equal shares in hundredths, rounded towards zero; the shares may add up to less than the
 * whole.
 */
export function shareDecimal({ units, scale }: Decimal, count: number): Decimal {
  const hundredths = scale > 2 ? units / 10n ** BigInt(scale - 2) : unitsAt({ units, scale }, 2);
  return { units: hundredths / BigInt(count), scale: 2 };
}

/** The units at a scale that is not smaller than the decimal's own. */
function unitsAt({ units, scale }: Decimal, larger: number): bigint {
  return units * 10n ** BigInt(larger - scale);
}
