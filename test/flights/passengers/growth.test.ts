import { describe, expect, it } from "vitest";
import { validatePassengers } from "../../../src/flights/passengers/index.ts";
import type { Passenger } from "../../../src/flights/types/index.ts";
import { cpuTime } from "../../support/cpu-time.ts";
import { only, sampleOffer, samplePassengers } from "../offers.ts";

const adult = only(samplePassengers("oneway-adult"));
const offer = sampleOffer("domestic-oneway-full-service");
const [segment] = offer.segments;
if (segment === undefined) throw new Error("the sample has no segment");
const leg = { origin: segment.origin.airport_code, destination: segment.destination.airport_code };

function millisecondsFor(segments: number, passenger: Passenger): number {
  const long = { ...offer, segments: Array.from({ length: segments }, () => segment as never) };
  const startedAt = cpuTime();
  validatePassengers(long, [passenger]);
  return cpuTime() - startedAt;
}

describe("the passenger check of a quote with many segments takes linear time", () => {
  it.each<[string, Passenger]>([
    ["for a passenger without seat, baggage and meal", adult],
    ["for a passenger with baggage", { ...adult, baggage: [{ code: "XB", ...leg }] }],
    [
      "for a passenger with baggage for a leg that is missing",
      { ...adult, baggage: [{ code: "XB", ...leg, origin: "XXX" }] },
    ],
  ])("%s", (_case, passenger) => {
    millisecondsFor(400, passenger);
    const [few, , many] = [100, 400, 1600].map((segments) => millisecondsFor(segments, passenger));
    expect(many).toBeLessThan(16 * 4 * Math.max(few ?? 0, 3));
  });
});
