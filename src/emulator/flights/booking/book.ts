import { book } from "../../../flights/operations.ts";
import { bookingSchema } from "../../../flights/schemas.ts";
import type { BookingResult, BookParams } from "../../../flights/types/index.ts";
import { field, stringOf } from "../../../shared/json.ts";
import { standardSchema } from "../../../shared/standard-schema.ts";
import type { QuotedResult } from "../../catalogue/quotes.ts";
import { ConnectionDropped, type EmulatedResponse, json } from "../../http/messages.ts";
import { own } from "../../names.ts";
import { wholeBodies } from "../../rules/bodies.ts";
import type { SampleNames } from "../../rules/names.ts";
import { refusalsByKind } from "../../rules/refusal.ts";
import held from "../../samples/flight/book/success-full-service-held.json" with { type: "json" };
import type { Behaviour, Call } from "../../service/behaviour.ts";
import { addMinutes } from "../dates.ts";
import { quoteOf, refuseFlight, refuseToken, successBody } from "../searches.ts";
import { add, makeBooking, notApplicable } from "./make-booking.ts";

type Change = (booking: BookingResult) => BookingResult;

/** The differences that a booking can have from its quote. The document has a flag for three of them (§2.8). */
export const bookingChanges: Readonly<Record<SampleNames["flights.book"], Change>> = {
  "success-price-changed": (booking) => ({ ...dearer(booking), price_changed: true }),
  "success-silent-price-difference": dearer,
  "success-time-changed": later,
  "success-all-flags-changed-seats-failed": (booking) =>
    withoutSeats(later({ ...dearer(booking), price_changed: true })),
  "success-seats-failed": withoutSeats,
  "success-without-pnr": (booking) => ({ ...booking, pnr: "", booking_id: 0, last_ticket_date: notApplicable }),
  "success-segment-not-confirmed": (booking) => ({
    ...booking,
    segments: withFirst(booking.segments, (segment) => ({ ...segment, flight_status: "Waitlisted" })),
  }),
};

function withFirst<T>(list: readonly T[], change: (first: T) => T): readonly T[] {
  return list.map((element, index) => (index === 0 ? change(element) : element));
}

/** The `lname` of a passenger that causes a change. */
export const changesByName: Readonly<Record<string, SampleNames["flights.book"]>> = {
  PRICECHANGE: "success-price-changed",
  TIMECHANGE: "success-time-changed",
  NOSEAT: "success-seats-failed",
  NOPNR: "success-without-pnr",
  WAITLIST: "success-segment-not-confirmed",
};

/** The booking (§2.8–§2.10, §4.3). */
export const booking: Behaviour<BookParams> = {
  operation: book,
  samples: Object.keys(bookingChanges),
  respond: (call) => {
    if (wasBooked(call)) return refuseFlight(refusalsByKind.duplicate.message, refusalsByKind.duplicate.code);
    const quoted = quoteOf(call);
    const refused = refuseToken(call, "quote");
    if (refused !== undefined || quoted === undefined) return refused ?? refuseFlight("Invalid token.");
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
      const quoted = quoteOf(call);
      const plain = quoted && makeBooking(quoted, call.body, call.state.next(), call.clock.now());
      return successBody(bookedMessage, call.body.trace_id, plain);
    },
    record,
  }),
};

const bookedMessage = "Booking successful. Please issue the ticket to confirm the booking.";

function wasBooked({ body, state }: Call<BookParams>): boolean {
  return state.bookings.some(
    (made) => made.client_referenceId === body.client_referenceId || made.token === body.token,
  );
}

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
  const sent = record(call, successBody(bookedMessage, body.trace_id, result));
  if (names.has("TIMEOUTBOOKED")) throw new ConnectionDropped("dropped after the booking was made");
  return json(200, sent);
}

/** Lists the booking of a body. */
function record({ body, state }: Call<BookParams>, sent: unknown): unknown {
  const { client_referenceId = "", trace_id, token } = body;
  const result = field(field(sent, "data"), "result");
  const pnr = stringOf(field(result, "pnr"));
  state.book({ client_referenceId, trace_id, token, pnr, booking_id: Number(field(result, "booking_id")) });
  return sent;
}

/** Raises the base fare by 700 and the taxes by 70, for the first passenger and so for the booking. */
function dearer(booking: BookingResult): BookingResult {
  const raise = <Fare extends BookingResult["fare"]>(fare: Fare): Fare => ({
    ...fare,
    basefare: add([fare.basefare, 700]),
    tax_and_surcharges: add([fare.tax_and_surcharges, 70]),
    total_fare: add([fare.total_fare, 770]),
  });
  return {
    ...booking,
    fare: raise(booking.fare),
    passengers: withFirst(booking.passengers, (lead) => ({ ...lead, fare: raise(lead.fare) })),
  };
}

function later(booking: BookingResult): BookingResult {
  return {
    ...booking,
    time_changed: true,
    segments: booking.segments.map((segment) => ({
      ...segment,
      origin: { ...segment.origin, departure_time: addMinutes(segment.origin.departure_time, 50) },
      destination: { ...segment.destination, arrival_time: addMinutes(segment.destination.arrival_time, 50) },
    })),
  };
}

/** Removes the seats. Their price stays in the fare, as in the sample: a caller has to claim it back. */
function withoutSeats(booking: BookingResult): BookingResult {
  return {
    ...booking,
    seats_booked: false,
    passengers: booking.passengers.map((passenger) => ({ ...passenger, seat: [] })),
  };
}
