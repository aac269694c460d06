import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Charge, parseCharge } from "../../../src/flights/fees/index.ts";

const inr = (amount: string, more: Partial<Charge & { plusFareDifference: boolean; andMore: true }> = {}) => ({
  kind: "amount",
  money: { amount, currency: "INR" },
  plusFareDifference: false,
  ...more,
});

describe("§2.6 charges: the meaning of the text of a charge", () => {
  it.each([
    ["INR 3500", inr("3500")],
    ["INR 3,500*", inr("3500", { andMore: true })],
    ["INR 3,500/-*", inr("3500", { andMore: true })],
    ["INR 1,25,000.50", inr("125000.5")],
    ["INR 125,000", inr("125000")],
    ["₹3000", inr("3000")],
    ["Rs. 3000/-", inr("3000")],
    ["Rs 3000", inr("3000")],
    ["3000 INR", inr("3000")],
    ["inr3000", inr("3000")],
    ["INR 3000 per passenger per sector", inr("3000")],
    ["INR 3000/pax", inr("3000")],
    ["ADULT- INR 4300.0*", inr("4300", { passengerType: "adult", andMore: true })],
    ["Child: INR 100", inr("100", { passengerType: "child" })],
    [" ADULT-INR  100\n", inr("100", { passengerType: "adult" })],
    ["INFANT – INR 100", inr("100", { passengerType: "infant" })],
    ["INR 3000 + fare difference", inr("3000", { plusFareDifference: true })],
    ["INR 3000 plus Fare Diff.", inr("3000", { plusFareDifference: true })],
    ["INR 3000* + difference in fare", inr("3000", { plusFareDifference: true, andMore: true })],
    ["INR 0 + fare difference", inr("0", { plusFareDifference: true })],
    ["EUR 40.5", { kind: "amount", money: { amount: "40.5", currency: "EUR" }, plusFareDifference: false }],
    ["BHD 3.500", { kind: "amount", money: { amount: "3.5", currency: "BHD" }, plusFareDifference: false }],
    ["JPY 1,050", { kind: "amount", money: { amount: "1050", currency: "JPY" }, plusFareDifference: false }],
    ["€40", { kind: "amount", money: { amount: "40", currency: "EUR" }, plusFareDifference: false }],
    ["£40", { kind: "amount", money: { amount: "40", currency: "GBP" }, plusFareDifference: false }],
    ["100%", { kind: "percent", percent: "100" }],
    ["12.50 %", { kind: "percent", percent: "12.5" }],
    ["10.05%", { kind: "percent", percent: "10.05" }],
    ["20.00%", { kind: "percent", percent: "20" }],
    ["005%", { kind: "percent", percent: "5" }],
    ["0%", { kind: "percent", percent: "0" }],
    ["50% of base fare*", { kind: "percent", percent: "50", andMore: true }],
    ["Unchangeable", { kind: "notAllowed" }],
    ["UNCHANGEABLE*", { kind: "notAllowed" }],
    ["Non Refundable", { kind: "notAllowed" }],
    ["Non-Refundable", { kind: "notAllowed" }],
    ["Not allowed", { kind: "notAllowed" }],
    ["ADULT- Unchangeable", { kind: "notAllowed", passengerType: "adult" }],
    ["Free", { kind: "free" }],
    ["Nil", { kind: "free" }],
    ["No charge", { kind: "free" }],
    ["INR 0", { kind: "free" }],
    ["INR 0.00*", inr("0", { andMore: true })],
  ])("%j", (text, charge) => {
    expect(parseCharge(text)).toEqual(charge);
  });

  it.each([
    "",
    " ",
    "3500",
    "$ 40",
    "MAX 3500",
    "ALL 3500",
    "FEE 3500",
    "INR",
    "INR -3500",
    "INR 3,50",
    "INR 3.500,00",
    "IDR 350.000",
    "IDR 1.234.567",
    "EUR 3.500",
    "3.500 €",
    "£3.500*",
    "Rs. 3.500",
    "INR 3500.000",
    "1.234.567 INR",
    "JPY 10.50",
    "JPY 3.500",
    "VND 350.000",
    "BHD 3.5000",
    "INR 3500 or 50%",
    "per ADULT- INR 3500",
    "INR 3500 - INR 4500",
    "INR 3500 + GST",
    "Up to INR 3500",
    "101%",
    "-5%",
    "Free*",
    "Nil *",
    "Airline fee applies",
    "As per airline policy",
    "12345678901234 INR",
    `INR ${"9".repeat(300)}`,
    undefined,
    null,
    3500,
  ])("%j is not guessed", (text) => {
    expect(parseCharge(text)).toEqual({ kind: "unreadable" });
  });

  it("keeps the passenger type of an unreadable charge", () => {
    expect(parseCharge("CHILD- on request")).toEqual({ kind: "unreadable", passengerType: "child" });
  });

  it("reads any amount that is written with its currency, with or without Indian grouping", () => {
    const amounts = fc.tuple(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 0, max: 99 }));
    fc.assert(
      fc.property(amounts, fc.boolean(), fc.constantFrom("", "*", "/-"), ([whole, part], grouped, end) => {
        const digits = grouped ? whole.toLocaleString("en-IN") : String(whole);
        const fraction = String(part).padStart(2, "0");
        const expected = `${whole}.${fraction}`.replace(/\.?0+$/, (zeros) =>
          zeros.startsWith(".") ? "" : part === 0 ? zeros : "",
        );
        expect(parseCharge(`INR ${digits}.${fraction}${end}`)).toEqual(
          inr(part === 0 ? String(whole) : expected, end === "*" ? { andMore: true } : {}),
        );
      }),
    );
  });

  it("returns a figure only if every character of the text is accounted for", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z ]{4,12}$/), (words) => {
        fc.pre(
          !/(?:pax|person|sector|passenger|fare|free|inr)/.test(words) &&
            words.trim() !== "" &&
            !/^(?:rs|inr)/.test(words.trim()),
        );
        expect(parseCharge(`INR 3500 ${words}x?`)).toEqual({ kind: "unreadable" });
        expect(parseCharge(`${words}? INR 3500`)).toEqual({ kind: "unreadable" });
      }),
    );
  });
});
