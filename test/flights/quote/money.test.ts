import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import { compareMoney, multiplyMoney, readMoney, subtractMoney, sumMoney } from "../../../src/flights/quote/money.ts";

const inr = (amount: number | string) => readMoney(amount, "INR") ?? { amount: "unreadable", currency: "" };

describe("money is decimal text, as received", () => {
  it.each([
    [7480, "7480"],
    [3967.75, "3967.75"],
    [124.52433008472, "124.52433008472"],
    ["7600.00", "7600"],
    [" 4300.0 ", "4300"],
    ["0.10", "0.1"],
    [1e21, "1000000000000000000000"],
    [1.5e-7, "0.00000015"],
    [0, "0"],
    ["-12.50", "-12.5"],
    ["+12", "12"],
  ])("%j is %s", (amount, text) => {
    expect(readMoney(amount, " inr ")).toEqual({ amount: text, currency: "INR" });
  });

  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "",
    "12,5",
    "1e500",
    "1e9999",
    "0x10",
    null,
    undefined,
    {},
    "1".repeat(401),
  ])("%j is not an amount", (amount) => {
    expect(readMoney(amount, "INR")).toBeNull();
  });

  it.each(["", " ", undefined, 5])("and %j is not a currency", (currency) => {
    expect(readMoney(1, currency)).toBeNull();
  });
});

describe("exact arithmetic", () => {
  it("adds what floats cannot", () => {
    expect(sumMoney([inr(0.1), inr(0.2)])).toEqual({ amount: "0.3", currency: "INR" });
    expect(subtractMoney(inr(0.3), inr(0.1))).toEqual({ amount: "0.2", currency: "INR" });
    expect(multiplyMoney(inr("1.005"), 3)).toEqual({ amount: "3.015", currency: "INR" });
  });

  it("adds nothing across currencies, and nothing out of nothing", () => {
    const usd = { amount: "1", currency: "USD" };
    expect(sumMoney([inr(1), usd])).toBeNull();
    expect(subtractMoney(inr(1), usd)).toBeNull();
    expect(compareMoney(inr(1), usd)).toBeNull();
    expect(sumMoney([])).toBeNull();
  });

  it("reads a currency in any case", () => {
    expect(sumMoney([inr(1), { amount: "2", currency: " inr" }])).toEqual({ amount: "3", currency: "INR" });
    expect(compareMoney(inr(1), { amount: "1.00", currency: "inr" })).toBe(0);
  });

  it.each([
    ["a word", { amount: "free", currency: "INR" }],
    ["a number that is none", { amount: Number.NaN, currency: "INR" }],
    ["no currency", { amount: "1" }],
    ["nothing", null],
  ])("refuses %s instead of counting it as zero", (_case, money) => {
    for (const call of [
      () => sumMoney([inr(1), money as never]),
      () => subtractMoney(inr(1), money as never),
      () => compareMoney(money as never, inr(1)),
      () => multiplyMoney(money as never, 2),
    ]) {
      expect(call).toThrow(ConfigurationError);
    }
  });

  it("refuses a list with a hole, a missing list and a fractional number of times", () => {
    expect(() => sumMoney(new Array(2))).toThrow(ConfigurationError);
    expect(() => sumMoney(null as never)).toThrow(ConfigurationError);
    expect(() => multiplyMoney(inr(1), 1.5)).toThrow(ConfigurationError);
    expect(() => multiplyMoney(inr(1), Number.NaN)).toThrow(ConfigurationError);
  });

  it("agrees with whole hundredths, whatever the amounts", () => {
    const hundredths = fc.integer({ min: -1e12, max: 1e12 });
    fc.assert(
      fc.property(hundredths, hundredths, (a, b) => {
        const money = (n: number) =>
          inr(`${n < 0 ? "-" : ""}${Math.floor(Math.abs(n) / 100)}.${String(Math.abs(n) % 100).padStart(2, "0")}`);
        expect(sumMoney([money(a), money(b)])).toEqual(money(a + b));
        expect(subtractMoney(money(a), money(b))).toEqual(money(a - b));
        expect(compareMoney(money(a), money(b))).toBe(Math.sign(a - b) || 0);
      }),
    );
  });
});
