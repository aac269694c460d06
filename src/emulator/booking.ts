import type { BookedPassenger, BookedSeat, BookingResult, BookParams, Passenger, Segment } from "../flights/types.ts";
import { bookingFare, extraPrices, passengerFares } from "./booking-fares.ts";
import type { QuotedResult } from "./catalogue/quotes.ts";
import { timestamp } from "./dates.ts";
import { ids } from "./ids.ts";

const hour = 3_600_000;
const notApplicable = "0001-01-01 00:00:00";

/**
 * A reservation made from what was quoted and who travels (§2.8–§2.10).
 *
 * @param quoted - The result that the token stands for.
 * @param params - The request.
 * @param n - Number of the booking.
 * @param now - Milliseconds since 1970.
 */
export function makeBooking(quoted: QuotedResult, params: BookParams, n: number, now: number): BookingResult {
  const prices = extraPrices(quoted.is_lcc);
  const fares = passengerFares(quoted.fare, quoted.fare_breakdown, params.passengers, prices);
  const airports = quoted.segments.map(({ origin }) => origin.airport_code);
  const outbound = quoted.segments.filter(({ trip_indicator }) => trip_indicator === "outbound");
  const legs = outbound.length > 0 ? outbound : quoted.segments;
  return {
    pnr: ids.pnr(n),
    booking_id: 900_000 + n,
    price_changed: false,
    time_changed: false,
    seats_booked: params.passengers.some(({ seat = [] }) => seat.length > 0),
    domestic: quoted.segments.every(({ origin, destination }) => origin.country_code === destination.country_code),
    source: quoted.source,
    origin: airports[0] ?? "",
    destination: legs.at(-1)?.destination.airport_code ?? "",
    airline_code: quoted.airline_code,
    airline_remark: "Demo booking",
    last_ticket_date: ticketDeadline(quoted, now),
    is_lcc: quoted.is_lcc,
    non_refundable: !quoted.refundable,
    coupon_applicable: quoted.coupon_applicable,
    credit_note_no: null,
    segments: quoted.segments,
    passengers: params.passengers.map((passenger, index) => ({
      ...bookedPassenger(passenger, index, n, quoted),
      fare: fares[index] ?? bookingFare(quoted.fare.currency, []),
      seat: (passenger.seat ?? []).map((choice) => bookedSeat(choice, quoted, prices.seat)),
    })),
    fare: bookingFare(quoted.fare.currency, fares),
  };
}

/** The quote's deadline; where that is not applicable, two hours for a low-cost carrier and a day for others. */
function ticketDeadline(quoted: QuotedResult, now: number): string {
  if (quoted.last_ticket_date !== notApplicable) return quoted.last_ticket_date;
  return timestamp(now + (quoted.is_lcc ? 2 : 24) * hour);
}

/** The echo of §2.9: what was sent, without the choices and the GST details, which the document does not show there. */
function bookedPassenger(
  { seat: _seat, baggage: _baggage, meal: _meal, gst: _gst, ...echo }: Passenger,
  index: number,
  n: number,
  quoted: QuotedResult,
): Omit<BookedPassenger, "fare" | "seat"> {
  const isLead = index === 0;
  const trips = isLead ? [...new Set(quoted.segments.map(({ trip_indicator }) => trip_indicator))] : [];
  return {
    ...echo,
    passenger_id: 9_000_000 + n * 10 + index,
    barcode_details: {
      Id: isLead ? 900_000 + n * 10 : 0,
      Barcode: trips.map((_, trip) => ({
        Index: trip + 1,
        Format: "PDF417",
        Content: `M1${echo.lname}/${echo.fname} DEMO ONLY`,
        BarCodeInBase64: trip === 0 ? null : "REVNTw==",
        JourneyWayType: trip + 1,
      })),
    },
    is_lead_passenger: isLead,
  };
}

function bookedSeat(
  { code, origin, destination }: { readonly code: string; readonly origin: string; readonly destination: string },
  quoted: QuotedResult,
  price: number,
): BookedSeat {
  const segment: Segment | undefined = quoted.segments.find(
    (leg) => leg.origin.airport_code === origin && leg.destination.airport_code === destination,
  );
  const seat_no = code.replace(/^\d+/, "");
  return {
    code,
    desc: "Demo seat",
    airline_code: segment?.airline_code ?? quoted.airline_code,
    flight_number: segment?.flight_number ?? "",
    craft_type: "DEMO-320",
    row_no: code.slice(0, code.length - seat_no.length),
    seat_no,
    seat_type: seatTypes[seat_no] ?? "Middle",
    price,
    currency: quoted.fare.currency,
    origin,
    destination,
  };
}

const seatTypes: Readonly<Record<string, string>> = { A: "Window", C: "Aisle", D: "Aisle", F: "Window" };
