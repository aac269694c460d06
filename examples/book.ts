/**
 * Quotes and books a flight (§4.3). A booking is sent once, and its outcome is always stated.
 * `npx tsx examples/book.ts`
 */
import { BookingOutcomeUnknownError, DuplicateRequestError } from "serviceapi";
import { connect } from "./connect.ts";

const { api, search } = connect();

const quote = await api.flights.fareQuote(search);
const [offer] = quote.data.result;
if (offer === undefined) throw new Error("The offer is no longer available. Search again.");

try {
  const booked = await api.flights.book({
    trace_id: search.trace_id,
    token: offer.token, // of the quote: a search token would not compile
    passengers: [
      {
        title: "Mr",
        fname: "RAVI",
        lname: "SAMPLE",
        mobile: "6000000001",
        email: "traveller@example.in",
        passenger_type: "adult",
        dob: "1988-07-14",
        gender: "M",
        address: "11 Placeholder Road",
        city: "Samplepur",
        country: "India",
        country_code: "IN",
      },
    ],
  });
  const { pnr, last_ticket_date, price_changed } = booked.data.result;
  console.log(`PNR ${pnr}; issue the ticket before ${last_ticket_date}${price_changed ? "; the price changed" : ""}`);
} catch (error) {
  if (BookingOutcomeUnknownError.isInstance(error)) {
    console.log(`Look up ${error.clientReferenceId} first: ${error.message}`);
  } else if (DuplicateRequestError.isInstance(error)) {
    console.log("This quote is already booked:", error.serviceMessage);
  } else throw error;
}
