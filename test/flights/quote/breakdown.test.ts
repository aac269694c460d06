import { describe, expect, it } from "vitest";
import { fareBreakdown } from "../../../src/flights/quote/money.ts";
import type { FareBreakdownEntry } from "../../../src/flights/types/index.ts";
import { sampleOffer } from "../offers.ts";

const inr = (amount: string) => ({ amount, currency: "INR" });

describe("fare_breakdown is read by arithmetic", () => {
  it.each([
    [
      "domestic-roundtrip-one-token",
      "aggregate",
      [{ passengerType: "adult", count: 2, total: inr("25200"), each: inr("12600") }],
    ],
    [
      "per-passenger-breakdown",
      "perPassenger",
      [{ passengerType: "adult", count: 2, total: inr("12400"), each: inr("6200") }],
    ],
    [
      "international-roundtrip-family",
      "aggregate",
      [
        { passengerType: "adult", count: 2, total: inr("104000"), each: inr("52000") },
        { passengerType: "child", count: 1, total: inr("39000.5"), each: inr("39000.5") },
        { passengerType: "infant", count: 1, total: inr("5750"), each: inr("5750") },
      ],
    ],
  ])("%s is %s", (name, reading, types) => {
    expect(fareBreakdown(sampleOffer(name))).toEqual({ reading, types, warning: null });
  });

  it("reads the long decimals of a supplier exactly, in the currency of the fare", () => {
    const { reading, types } = fareBreakdown(sampleOffer("long-decimals"));
    expect(reading).toBe("aggregate");
    expect(types[0]?.total).toEqual({ amount: "103.86886768984", currency: "USD" });
  });

  const of = (basefare: number, ...entries: Partial<FareBreakdownEntry>[]) =>
    fareBreakdown({
      fare: { currency: "INR", basefare, tax_and_surcharges: 0, total_fare: basefare },
      fare_breakdown: entries.map((entry) => ({
        currency: "INR",
        passenger_type: "adult",
        passenger_count: 1,
        basefare: 0,
        ...entry,
      })),
    });

  it.each([
    ["sums that fit neither way", of(100, { basefare: 70, passenger_count: 2 })],
    ["no entries", of(100)],
    ["an amount that is none", of(100, { basefare: Number.NaN })],
    ["a count that is none", of(100, { basefare: 100, passenger_count: 1.5 })],
    ["one count of two that is none", of(100, { basefare: 100 }, { passenger_count: -1 })],
    ["a base fare that is none", of(Number.NaN, { basefare: 100 })],
  ])("%s: unknown, with a warning and no figures", (_case, breakdown) => {
    expect(breakdown.reading).toBe("unknown");
    expect(breakdown.warning).toContain("does not add up");
    expect(breakdown.types.every(({ total, each }) => total === null && each === null)).toBe(true);
  });

  it("has no price per passenger if a total does not divide into hundredths", () => {
    expect(of(100, { basefare: 100, passenger_count: 3 }).types[0]).toMatchObject({ total: inr("100"), each: null });
    expect(of(0.3, { basefare: 0.3, passenger_count: 3 }).types[0]).toMatchObject({ each: inr("0.1") });
    expect(of(100, { basefare: 100, passenger_count: 1 }, { basefare: 0, passenger_count: 0 }).types[1]).toMatchObject({
      each: null,
    });
  });

  it("divides exactly, even what no float can hold", () => {
    const huge = "9007199254740993.02";
    const offer = {
      fare: { currency: "INR", basefare: huge, tax_and_surcharges: 0, total_fare: huge },
      fare_breakdown: [{ currency: "INR", passenger_type: "adult", passenger_count: 2, basefare: huge }],
    };
    expect(fareBreakdown(offer as never).types[0]).toMatchObject({
      total: inr("9007199254740993.02"),
      each: inr("4503599627370496.51"),
    });
  });

  it.each([null, undefined, []])("refuses %j as an offer", (offer) => {
    expect(() => fareBreakdown(offer as never)).toThrow(/^fareBreakdown: `offer` must be a fare quote result\.$/);
  });
});
