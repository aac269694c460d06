import type { BookingResult } from "../../../flights/types/index.ts";
import type { SampleNames } from "../../rules/names.ts";
import { addMinutes } from "../dates.ts";
import { add } from "./fares.ts";

type BookingChangeName = SampleNames["flights.book"];

/** The differences that a booking can have from its quote. The document has a flag for three of them (§2.8). */
export const bookingChanges: Readonly<Record<BookingChangeName, (booking: BookingResult) => BookingResult>> = {
  "success-price-changed": (booking) => ({ ...dearer(booking), price_changed: true }),
  "success-silent-price-difference": dearer,
  "success-time-changed": later,
  "success-all-flags-changed-seats-failed": (booking) =>
    withoutSeats(later({ ...dearer(booking), price_changed: true })),
  "success-seats-failed": withoutSeats,
  "success-without-pnr": (booking) => ({
    ...booking,
    pnr: "",
    booking_id: 0,
    last_ticket_date: "0001-01-01 00:00:00",
  }),
  "success-segment-not-confirmed": (booking) => ({
    ...booking,
    segments: booking.segments.map((segment, index) =>
      index === 0 ? { ...segment, flight_status: "Waitlisted" } : segment,
    ),
  }),
};

/** The `lname` of a passenger that causes a change. */
export const changesByName: Readonly<Record<string, BookingChangeName>> = {
  PRICECHANGE: "success-price-changed",
  TIMECHANGE: "success-time-changed",
  NOSEAT: "success-seats-failed",
  NOPNR: "success-without-pnr",
  WAITLIST: "success-segment-not-confirmed",
};

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
    passengers: booking.passengers.map((passenger, index) =>
      index === 0 ? { ...passenger, fare: raise(passenger.fare) } : passenger,
    ),
  };
}

/** Moves every flight by fifty minutes. */
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
