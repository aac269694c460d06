import { book } from "../../../flights/operations.ts";
import { bookingSchema } from "../../../flights/schemas.ts";
import type { BookingResult, BookParams } from "../../../flights/types/index.ts";
import { field, stringOf } from "../../../shared/json.ts";
import { ConnectionDropped } from "../../http/messages.ts";
import { own, tableOf } from "../../names.ts";
import { wholeBody } from "../../rules/bodies.ts";
import { refuse } from "../../rules/refusal.ts";
import held from "../../samples/flight/book/success-full-service-held.json" with { type: "json" };
import type { Behaviour, Call } from "../../service/behaviour.ts";
import { addMinutes, quoteOf, refuseFlight, refuseToken, successBody, tokenRefusals } from "../searches.ts";
import { add, countsMatch, makeBooking, notApplicable } from "./make-booking.ts";

type Change = (booking: BookingResult) => BookingResult;

/** The differences that a booking can have from its quote. The document has a flag for three of them (§2.8). */
export const bookingChanges = tableOf<Change>()({
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
});

function withFirst<T>(list: readonly T[], change: (first: T) => T): readonly T[] {
  return list.map((element, index) => (index === 0 ? change(element) : element));
}

/** The `lname` of a passenger that causes a change. */
const changesByName: Readonly<Record<string, keyof typeof bookingChanges>> = {
  PRICECHANGE: "success-price-changed",
  TIMECHANGE: "success-time-changed",
  NOSEAT: "success-seats-failed",
  NOPNR: "success-without-pnr",
  WAITLIST: "success-segment-not-confirmed",
};

const whole = wholeBody<BookParams>({
  operation: book,
  samples: bookingChanges,
  schema: bookingSchema,
  sample: held,
  refuse: (call) => {
    const { body, state, settings } = call;
    const isBooked = state.bookings.entries.some(
      (made) => made.client_referenceId === body.client_referenceId || made.token === body.token,
    );
    if (isBooked) throw refuse("duplicate", undefined, { usualStatus: 200 });
    const quoted = quoteOf(call);
    refuseToken(call, "quote");
    if (quoted === undefined) throw refuseFlight(tokenRefusals.invalid);
    if (settings.strict && !countsMatch(quoted.fare_breakdown, body.passengers)) {
      throw refuseFlight("Passenger details are not valid: count does not match the search.");
    }
    const hasGst = body.passengers.some(({ gst }) => gst !== undefined);
    if (quoted.gst_mandatory && !hasGst) throw refuse(422, "GST details are mandatory for this fare.");
    if (hasPassenger(call, "TIMEOUTNOTBOOKED")) throw new ConnectionDropped("dropped before anything was booked");
  },
  success: (call) => {
    const { body, clock, state, sample } = call;
    const quoted = quoteOf(call);
    const name = sample ?? Object.entries(changesByName).find(([lname]) => hasPassenger(call, lname))?.[1];
    const change = own(bookingChanges, name ?? "") ?? ((plain) => plain);
    const result = quoted && change(makeBooking(quoted, body.passengers, state.next(), clock.now()));
    return successBody("Booking successful. Please issue the ticket to confirm the booking.", body.trace_id, result);
  },
  record: ({ body, state }, sent) => {
    const { client_referenceId = "", trace_id, token } = body;
    const result = field(field(sent, "data"), "result");
    const pnr = stringOf(field(result, "pnr"));
    state.bookings.add({ client_referenceId, trace_id, token, pnr, booking_id: Number(field(result, "booking_id")) });
    return sent;
  },
});

/** The booking (§2.8–§2.10, §4.3). */
export const booking: Behaviour<BookParams> = {
  ...whole,
  respond: async (call) => {
    const response = await whole.respond(call);
    if (hasPassenger(call, "TIMEOUTBOOKED")) throw new ConnectionDropped("dropped after the booking was made");
    return response;
  },
};

function hasPassenger({ body }: Call<BookParams>, name: string): boolean {
  return body.passengers.some(({ lname }) => lname === name);
}

/** Raises the base fare by 700 and the taxes by 70, for the first passenger and so for the booking. */
function dearer(booking: BookingResult): BookingResult {
  const raise = <Fare extends BookingResult["fare"]>(fare: Fare): Fare => ({
    ...fare,
    basefare: add([fare.basefare, 700]),
    tax_and_surcharges: add([fare.tax_and_surcharges, 70]),
    total_fare: add([fare.total_fare, 770]),
  });
  const passengers = withFirst(booking.passengers, (lead) => ({ ...lead, fare: raise(lead.fare) }));
  return { ...booking, fare: raise(booking.fare), passengers };
}

function later(booking: BookingResult): BookingResult {
  const segments = booking.segments.map(({ origin, destination, ...segment }) => ({
    ...segment,
    origin: { ...origin, departure_time: addMinutes(origin.departure_time, 50) },
    destination: { ...destination, arrival_time: addMinutes(destination.arrival_time, 50) },
  }));
  return { ...booking, time_changed: true, segments };
}

/** Removes the seats. Their price stays in the fare, as in the sample: a caller has to claim it back. */
function withoutSeats(booking: BookingResult): BookingResult {
  const passengers = booking.passengers.map((passenger) => ({ ...passenger, seat: [] }));
  return { ...booking, seats_booked: false, passengers };
}
