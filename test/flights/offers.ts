import { bookParamsSchema } from "../../src/flights/schemas.ts";
import type { FareQuote, FareQuoteResult, MiniFareRule, Passenger, Segment } from "../../src/flights/types/index.ts";
import { sample } from "./samples.ts";

/** A sample quote, unchanged; responses.test.ts says which of them drifts. */
export function sampleQuote(name: string): FareQuote {
  return sample(`fare_quote/success-${name}`) as FareQuote;
}

/** The first offer of a sample quote with some of its fields replaced. */
export function sampleOffer(name: string, changes: Partial<FareQuoteResult> = {}): FareQuoteResult {
  return { ...only(sampleQuote(name).data.result.slice(0, 1)), ...changes };
}

/** An offer, with changes to the airport from which each of its flights leaves, and to the flight itself. */
export function leaving<Offer extends Pick<FareQuoteResult, "segments">>(
  offer: Offer,
  origin: Partial<Segment["origin"]>,
  flight: Partial<Segment> = {},
): Offer {
  const segments = offer.segments.map((one) => ({ ...one, ...flight, origin: { ...one.origin, ...origin } }));
  return { ...offer, segments };
}

/** Rows of `fare_breakdown`, each for this many of a type. */
export const breakdownOf = (...rows: (readonly [passenger_type: string, passenger_count: number])[]) =>
  rows.map(([passenger_type, passenger_count]) => ({ currency: "INR", passenger_type, passenger_count, basefare: 1 }));

/** The one element of a list. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined || list.length > 1) throw new Error(`${list.length} elements instead of one`);
  return first;
}

/** The passengers of a sample booking request. */
export function samplePassengers(name: string): readonly Passenger[] {
  const request = sample(`book/request-${name}`);
  if (!bookParamsSchema.passes(request)) throw new Error(`${name} is not a request`);
  return request.passengers;
}

/** A row of `mini_fare_rules`. */
export function miniRule(changes: Partial<MiniFareRule>): MiniFareRule {
  return {
    journey_points: "DEL-BOM",
    type: "Cancellation",
    from: "0",
    to: "",
    unit: "HOURS",
    charges: "INR 3500",
    online_reissue_allowed: false,
    online_refund_allowed: true,
    ...changes,
  };
}
