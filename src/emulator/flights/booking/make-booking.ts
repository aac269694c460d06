import type { BookingResult, BookParams } from "../../../flights/types/index.ts";
import type { QuotedResult } from "../../catalogue/quotes.ts";
import { ids } from "../../state/ids.ts";
import { timestamp } from "../dates.ts";
import { bookingFare } from "./fares.ts";
import { bookedPassenger } from "./passenger.ts";

const hour = 3_600_000;
const notApplicable = "0001-01-01 00:00:00";

/**
 * Returns the booking of a quote for the passengers of a request (§2.8–§2.10).
 *
 * @param quoted - The quote that the token was issued for.
 * @param params - The request.
 * @param n - The number of the booking.
 * @param now - Milliseconds since 1970.
 */
export function makeBooking(quoted: QuotedResult, params: BookParams, n: number, now: number): BookingResult {
  const passengers = params.passengers.map((passenger, index, all) =>
    bookedPassenger(quoted, passenger, { all, index }, n),
  );
  return {
    pnr: ids.pnr(n),
    booking_id: 900_000 + n,
    price_changed: false,
    time_changed: false,
    seats_booked: passengers.some(({ seat }) => seat.length > 0),
    domestic: quoted.segments.every(({ origin, destination }) => origin.country_code === destination.country_code),
    source: quoted.source,
    ...endpoints(quoted),
    airline_code: quoted.airline_code,
    airline_remark: "Demo booking",
    last_ticket_date: ticketDeadline(quoted, now),
    is_lcc: quoted.is_lcc,
    non_refundable: !quoted.refundable,
    coupon_applicable: quoted.coupon_applicable,
    credit_note_no: null,
    segments: quoted.segments,
    passengers,
    fare: bookingFare(
      quoted.fare.currency,
      passengers.map(({ fare }) => fare),
    ),
  };
}

/** Returns where the first direction begins and where it ends. */
function endpoints({ segments }: QuotedResult): Pick<BookingResult, "origin" | "destination"> {
  const direction = segments[0]?.trip_indicator;
  const legs = segments.filter(({ trip_indicator }) => trip_indicator === direction);
  return {
    origin: `${legs[0]?.origin.airport_code}`,
    destination: `${legs.at(-1)?.destination.airport_code}`,
  };
}

/** Returns the quote's deadline; if that is not applicable, two hours for a low-cost carrier and a day for others. */
function ticketDeadline(quoted: QuotedResult, now: number): string {
  if (quoted.last_ticket_date !== notApplicable) return quoted.last_ticket_date;
  return timestamp(now + (quoted.is_lcc ? 2 : 24) * hour);
}
