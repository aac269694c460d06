import { describe, expect, it } from "vitest";
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  parseDecimal,
  shareDecimal,
  subtractDecimals,
} from "../../src/shared/decimal.ts";

function decimal(value: unknown): Decimal {
  const parsed = parseDecimal(value);
  if (parsed === null) throw new Error(`${String(value)} is not a decimal`);
  return parsed;
}

describe("an exact decimal", () => {
  it.each([
    [1500.5, "1500.5"],
    [" 1500.50 ", "1500.5"],
    ["+007.000", "7"],
    ["-0.05", "-0.05"],
    [1e21, "1000000000000000000000"],
    [1.5e-7, "0.00000015"],
  ])("%s is written %s", (value, text) => {
    expect(formatDecimal(decimal(value))).toBe(text);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, "", "1.", ".5", "1,000", "0x10", null, undefined, 1n, ["1"]])(
    "%s is not one",
    (value) => {
      expect(parseDecimal(value)).toBeNull();
    },
  );

  it("adds, subtracts and compares without the noise of binary fractions", () => {
    expect(formatDecimal(addDecimals(decimal(0.1), decimal(0.2)))).toBe("0.3");
    expect(formatDecimal(subtractDecimals(decimal("1"), decimal("1.005")))).toBe("-0.005");
    expect(
      [
        ["1500.5", 1500.5],
        ["2", 10],
        ["-1", "-1.01"],
      ].map(([a, b]) => compareDecimals(decimal(a), decimal(b))),
    ).toEqual([0, -1, 1]);
  });

  it("has shares in hundredths, rounded towards zero", () => {
    expect(["100", "0.019", "-1"].map((whole) => formatDecimal(shareDecimal(decimal(whole), 3)))).toEqual([
      "33.33",
      "0",
      "-0.33",
    ]);
  });
});
