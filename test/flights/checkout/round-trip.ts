/** The sample of a round trip on two airlines, whose quote has an offer for each way. */
import { sampleQuote } from "../offers.ts";
import { confirmed, withOffers } from "./support.ts";

export const original = sampleQuote("domestic-roundtrip-two-results");
const [first, second] = original.data.result;
if (first === undefined || second === undefined) throw new Error("the sample has one result");
export const [outbound, inbound] = [first, second];

/** The quote, with its offers replaced by these. */
export const quoteWith = (...offers: (typeof outbound)[]) => withOffers(original, ...offers);

/** An offer at another price. */
export const at = (offer: typeof outbound, total_fare: number) => ({ ...offer, fare: { ...offer.fare, total_fare } });

/** A response that confirms a booking, with its price. */
export const bookedAt = (pnr: string, { fare }: { readonly fare: object }) => confirmed({ pnr, fare }, "");
