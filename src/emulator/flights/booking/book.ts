import { book } from "../../../flights/operations.ts";
import { bookingSchema } from "../../../flights/schemas/index.ts";
import type { BookParams } from "../../../flights/types/index.ts";
import { field, stringOf } from "../../../shared/json.ts";
import { standardSchema } from "../../../shared/standard-schema.ts";
import type { QuotedResult } from "../../catalogue/quotes.ts";
import { ConnectionDropped, type EmulatedResponse } from "../../http/messages.ts";
import { own } from "../../names.ts";
import { wholeBodies } from "../../rules/bodies.ts";
import held from "../../samples/flight/book/success-full-service-held.json" with { type: "json" };
import { type Call, defineBehaviour } from "../../service/behaviour.ts";
import { refusalsByKind } from "../../service/refusals.ts";
import { refuseFlight, success, successBody } from "../responses.ts";
import { anyQuote, findQuote } from "../tokens.ts";
import { bookingChanges, changesByName } from "./changes.ts";
import { makeBooking } from "./make-booking.ts";

/** The booking (§2.8–§2.10, §4.3). */
export const booking = defineBehaviour<BookParams>(book, {
  samples: Object.keys(bookingChanges),
  respond: (call) => {
    if (wasBooked(call)) return refuseFlight(refusalsByKind.duplicate.message, refusalsByKind.duplicate.code);
    const found = findQuote(call);
    if ("refused" in found) return refuseFlight(refusals[found.refused]);
    const { quoted } = found;
    if (call.settings.strict && !countsMatch(quoted, call.body)) {
      return refuseFlight("Passenger details are not valid: count does not match the search.");
    }
    const hasGst = call.body.passengers.some(({ gst }) => gst !== undefined);
    return quoted.gst_mandatory && !hasGst
      ? refuseFlight("GST details are mandatory for this fare.", 422, 422)
      : reserve(call, quoted);
  },
  bodies: wholeBodies<BookParams>({
    schema: standardSchema(bookingSchema),
    sample: held,
    success: (call) => {
      const quoted = anyQuote(call);
      const plain = quoted && makeBooking(quoted, call.body, call.state.next(), call.clock.now());
      return successBody(bookedMessage, call.body.trace_id, plain);
    },
    record: (call, body) => {
      const result = field(field(body, "data"), "result");
      keep(call, stringOf(field(result, "pnr")), Number(field(result, "booking_id")));
      return body;
    },
  }),
});

const bookedMessage = "Booking successful. Please issue the ticket to confirm the booking.";

const refusals = {
  expired: "Your session TraceID is expired",
  mismatch: "trace_id does not match.",
  invalid: "Invalid token.",
};

/** Returns true if the reference or the quote was booked before. */
function wasBooked({ body, state }: Call<BookParams>): boolean {
  return state.bookings.some(
    (made) => made.client_referenceId === body.client_referenceId || made.token === body.token,
  );
}

/** Returns true if there are as many passengers of each type as were searched for. */
function countsMatch({ fare_breakdown }: QuotedResult, { passengers }: BookParams): boolean {
  const count = (type: string) => passengers.filter(({ passenger_type }) => passenger_type === type).length;
  const expected = fare_breakdown.reduce((sum, { passenger_count }) => sum + passenger_count, 0);
  return (
    expected === passengers.length &&
    fare_breakdown.every(({ passenger_type, passenger_count }) => count(passenger_type) === passenger_count)
  );
}

/** Makes the booking, with the change that a rule or the last name of a passenger requests. */
function reserve(call: Call<BookParams>, quoted: QuotedResult): EmulatedResponse {
  const { body, clock, state } = call;
  const names = new Set(body.passengers.map(({ lname }) => lname));
  if (names.has("TIMEOUTNOTBOOKED")) throw new ConnectionDropped("dropped before anything was booked");

  const change = [...names].map((name) => own(changesByName, name)).find((found) => found !== undefined);
  const plain = makeBooking(quoted, body, state.next(), clock.now());
  const result = own(bookingChanges, call.sample ?? change ?? "")?.(plain) ?? plain;
  keep(call, result.pnr, result.booking_id);
  if (names.has("TIMEOUTBOOKED")) throw new ConnectionDropped("dropped after the booking was made");
  return success(bookedMessage, body.trace_id, result);
}

/** Lists a booking. */
function keep({ body, state }: Call<BookParams>, pnr: string, booking_id: number): void {
  const { client_referenceId = "", trace_id, token } = body;
  state.book({ client_referenceId, trace_id, token, pnr, booking_id });
}
