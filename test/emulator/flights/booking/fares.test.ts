import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteSamples } from "../../../../src/emulator/catalogue/quotes.ts";
import { makeBooking } from "../../../../src/emulator/flights/booking/make-booking.ts";
import { cut, pieces } from "../../../../src/emulator/http/messages.ts";
import { ids } from "../../../../src/emulator/state/ids.ts";
import type { Passenger, PassengerType } from "../../../../src/flights/types/index.ts";
import { collect } from "../../../support/collect.ts";
import { sample } from "../../helpers.ts";

const adult: Passenger = sample("flight/book/request-oneway-adult").passengers[0];
const [template] = quoteSamples["domestic-oneway-full-service"];
const amount = fc.integer({ min: 0, max: 100_000_000 }).map((paise) => paise / 100);
const types: readonly PassengerType[] = ["adult", "child", "infant"];

describe("fares of a booking (§2.10)", () => {
  it("add up to the quote's, for any passengers and either reading of the breakdown", () => {
    const party = fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(
        party,
        fc.tuple(amount, amount, amount),
        amount,
        fc.boolean(),
        (travellers, bases, tax, isAggregate) => {
          if (template === undefined) throw new Error("the sample is empty");
          const passengers = travellers.map((passenger_type) => ({ ...adult, passenger_type }));
          const fare_breakdown = types
            .map((passenger_type, index) => ({
              currency: "INR",
              passenger_type,
              passenger_count: travellers.filter((type) => type === passenger_type).length,
              basefare: bases[index] ?? 0,
            }))
            .filter(({ passenger_count }) => passenger_count > 0);
          const paise = fare_breakdown.reduce(
            (sum, { basefare, passenger_count }) =>
              sum + Math.round(basefare * 100) * (isAggregate ? 1 : passenger_count),
            0,
          );
          const total_fare = (paise + Math.round(tax * 100)) / 100;
          const fare = { currency: "INR", basefare: paise / 100, tax_and_surcharges: tax, total_fare };
          const quoted = { ...template, fare, fare_breakdown };
          const made = makeBooking(quoted, passengers, 1, 0);
          const fares = made.passengers.map((passenger) => passenger.fare);
          const booking = made.fare;
          expect(booking.basefare).toBe(fare.basefare);
          expect(booking.tax_and_surcharges).toBe(tax);
          expect(Math.round(booking.total_fare * 100)).toBe(paise + Math.round(tax * 100));
          for (const { basefare, tax_and_surcharges } of fares)
            expect(Math.min(basefare, tax_and_surcharges)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it.each([
    ["a total alone", { total_fare: 12_345 }],
    [
      "other parts, which its breakdown does not have",
      { basefare: 7_000, tax_and_surcharges: 1_000, total_fare: 8_000 },
    ],
  ])("are those of a quote to which a rule gave %s", (_what, given) => {
    if (template === undefined) throw new Error("the sample is empty");
    const seated = { ...adult, seat: [{ code: "1A", origin: "DEL", destination: "BOM" }] };
    for (const [passenger, seat] of [
      [adult, 0],
      [seated, 650],
    ] as const) {
      const { fare, passengers } = makeBooking(
        { ...template, fare: { ...template.fare, ...given } },
        [passenger],
        1,
        0,
      );
      expect(fare).toMatchObject({ ...template.fare, ...given, total_fare: given.total_fare + seat });
      expect(passengers[0]?.fare).toEqual(fare);
    }
  });

  it("add up to the quote's if its breakdown leaves out a passenger", () => {
    if (template === undefined) throw new Error("the sample is empty");
    const { fare } = makeBooking(template, [adult, { ...adult, passenger_type: "child" }], 1, 0);
    expect([fare.basefare, fare.total_fare]).toEqual([template.fare.basefare, template.fare.total_fare]);
  });
});

describe("pieces of a stream", () => {
  it("are the bytes of the text, none longer than asked for", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 9 }), async (text, size) => {
        const body = pieces({ status: 200, headers: {}, body: text }, new AbortController().signal);
        const parts = await collect(cut(body, size));
        expect(Buffer.concat(parts).toString()).toBe(text);
        expect(parts.every((piece) => piece.length > 0 && piece.length <= size)).toBe(true);
      }),
    );
  });
});

describe("identifiers", () => {
  it("are never issued twice", () => {
    for (const make of Object.values(ids)) {
      const issued = new Set(Array.from({ length: 5_000 }, (_, n) => make(n)));
      expect(issued.size).toBe(5_000);
    }
  });

  it("have the form that the document shows", () => {
    expect(ids.contextToken(1)).toMatch(/^svc_[A-Za-z0-9]+$/);
    expect(ids.payout(1).length).toBeLessThanOrEqual(30);
  });
});
