/** Quotes the current price of a flight (§4.4). `npx tsx examples/fare-quote.ts` */
import { OfferUnavailableError, SessionExpiredError } from "serviceapi";
import { connect } from "./connect.ts";

const { api, search } = connect("domestic-roundtrip-two-results");

try {
  const quote = await api.flights.fareQuote(search);
  for (const { segments, fare, refundable } of quote.data.result) {
    const route = segments.map(({ origin, destination }) => `${origin.airport_code}-${destination.airport_code}`);
    console.log(
      `${route.join(" ")}  ${fare.currency} ${fare.total_fare}  ${refundable ? "refundable" : "not refundable"}`,
    );
  }
} catch (error) {
  if (!SessionExpiredError.isInstance(error) && !OfferUnavailableError.isInstance(error)) throw error;
  console.log("Search again:", error.message);
}
