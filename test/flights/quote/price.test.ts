import { describe, expect, it } from "vitest";
import { type Money, PriceAboveLimitError } from "../../../src/flights/index.ts";
import { priceOf } from "../../../src/flights/quote/money.ts";
import { passengers, quotedTrip, quoteOf } from "../checkout/support.ts";
import { sampleOffer } from "../offers.ts";

const fare = { currency: "INR", basefare: 6200, tax_and_surcharges: 1280, total_fare: 7480 };
const row = { currency: "INR", passenger_type: "adult", passenger_count: 1, basefare: 6200 };

/** Books a quote with this fare under a limit that is far above it. */
async function book(changes: object, maxTotal: Money = { amount: "100000", currency: "INR" }) {
  const client = { validation: { response: "off" } } as const;
  const { trip, bookings } = await quotedTrip({ quote: () => quoteOf(changes) }, { client });
  const acceptIssues = ["count_differs_from_quote"] as const;
  const outcome: unknown = await trip.book({ passengers, maxTotal, acceptIssues }).catch((error: unknown) => error);
  return { outcome, sent: bookings().length };
}

describe("a price that contradicts its parts cannot be read, and nothing is booked under a limit", () => {
  it.each<[string, object]>([
    ["zero", { fare: { ...fare, total_fare: 0 } }],
    ["zero as a string", { fare: { ...fare, total_fare: "0.00" } }],
    ["minus zero", { fare: { ...fare, total_fare: "-0" } }],
    ["negative", { fare: { ...fare, total_fare: -5 } }],
    ["negative by less than a hundredth, without parts", { fare: { currency: "INR", total_fare: -0.001 } }],
    ["zero without parts", { fare: { currency: "INR", total_fare: 0 }, fare_breakdown: [] }],
    ["a hundredth less than base fare and taxes", { fare: { ...fare, total_fare: 7479.99 } }],
    ["less than the base fare alone", { fare: { currency: "INR", basefare: 6200, total_fare: 6000 } }],
    ["less than the taxes alone", { fare: { currency: "INR", tax_and_surcharges: 1280, total_fare: 1000 } }],
    [
      "less than the rows of the breakdown",
      {
        fare: { ...fare, basefare: 7000, tax_and_surcharges: 450, total_fare: 7450 },
        fare_breakdown: [1, 2].map(() => ({ ...row, basefare: 7000 })),
      },
    ],
    [
      "less than the breakdown for each passenger",
      { fare: { currency: "INR", total_fare: 7450 }, fare_breakdown: [{ ...row, passenger_count: 2, basefare: 7000 }] },
    ],
    ["beside a base fare that is no number", { fare: { ...fare, basefare: "NaN" } }],
    ["beside taxes that are infinite", { fare: { ...fare, tax_and_surcharges: "Infinity" } }],
    ["beside a negative tax", { fare: { ...fare, tax_and_surcharges: -1280 } }],
    ["beside a row that is no number", { fare_breakdown: [{ ...row, basefare: "six" }] }],
    ["beside a row without its count", { fare_breakdown: [{ ...row, passenger_count: undefined }] }],
    ["beside a breakdown that is no list", { fare_breakdown: { adult: 14_000 } }],
    ["that is no number", { fare: { ...fare, total_fare: "NaN" } }],
  ])("%s", async (_case, changes) => {
    const { outcome, sent } = await book(changes);
    expect(outcome).toBeInstanceOf(PriceAboveLimitError);
    expect(outcome).toMatchObject({
      total: null,
      message: expect.stringContaining("The price of the offer cannot be read"),
    });
    expect(sent).toBe(0);
  });

  it("in another currency than the limit is not compared", async () => {
    const { outcome, sent } = await book({}, { amount: "100000", currency: "JPY" });
    expect(outcome).toMatchObject({ total: null, message: expect.stringContaining("cannot be compared") });
    expect(sent).toBe(0);
  });

  it.each<[string, object]>([
    ["that are equal to it", {}],
    ["that are missing", { fare: { currency: "INR", total_fare: 7480 }, fare_breakdown: null }],
    [
      "that a service added as floats",
      { fare: { ...fare, basefare: 0.1, tax_and_surcharges: 0.7, total_fare: 0.1 + 0.7 }, fare_breakdown: [] },
    ],
    ["that are strings", { fare: { ...fare, total_fare: "7480.00", basefare: "6200" } }],
    ["for all passengers of a type", { fare_breakdown: [{ ...row, passenger_count: 2 }] }],
    ["for each of two passengers", { fare_breakdown: [{ ...row, basefare: 3100, passenger_count: 2 }] }],
    ["whose rows have no currency", { fare_breakdown: [{ ...row, currency: "" }] }],
  ])("and is the total beside parts %s", async (_case, changes) => {
    const { sent } = await book(changes);
    expect(sent).toBe(1);
  });

  it.each([undefined, null, 5, [], { total_fare: "dear", currency: "INR" }, { total_fare: 5 }])(
    "without a fare that can be read, such as %j",
    (odd) => {
      expect(priceOf({ ...sampleOffer("domestic-oneway-full-service"), fare: odd } as never)).toBeNull();
    },
  );
});
