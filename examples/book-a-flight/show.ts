import {
  type CheckoutBooking,
  type FareQuoteResult,
  fareBreakdown,
  fees,
  type Itinerary,
  instantOf,
  itinerary,
  ticketDeadline,
  wallClockIn,
} from "serviceapi/flights";
import type { Terminal } from "./terminal.ts";

/** Prints rows in aligned columns. */
function table(terminal: Terminal, rows: readonly (readonly string[])[]): void {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  for (const row of rows)
    terminal.say(
      `  ${row
        .map((cell, i) => cell.padEnd(width(i)))
        .join("  ")
        .trimEnd()}`,
    );
}

export function showOffer(terminal: Terminal, offer: FareQuoteResult): void {
  const { fare } = offer;
  terminal.say(`\n${offer.source}, ${offer.fare_type}${offer.refundable ? ", refundable" : ""}`);
  table(terminal, itinerary(offer).legs.flatMap(legRows));
  terminal.say();
  table(terminal, [
    ...fareBreakdown(offer).types.map(({ count, passengerType, total }) => [
      `${count} ${passengerType}`,
      total?.amount ?? "?",
    ]),
    ["taxes and surcharges", String(fare.tax_and_surcharges)],
    [`total ${fare.currency}`, String(fare.total_fare)],
  ]);
  const deadline = ticketDeadline(offer);
  if (deadline) terminal.say(`  Ticket until ${deadline.text}: ${deadline.remaining().text}`);
}

function legRows(leg: Itinerary["legs"][number]): string[][] {
  return leg.segments.flatMap((segment, i) => {
    const { origin, destination } = segment;
    const layover = leg.layovers[i];
    const flight = [
      i === 0 ? leg.direction : "",
      `${segment.airline_code} ${segment.flight_number}`,
      `${origin.airport_code} ${origin.departure_time.slice(0, 16)}`,
      `${destination.airport_code} ${destination.arrival_time.slice(0, 16)}`,
      segment.duration,
      segment.baggage.checked_baggage,
    ];
    return layover
      ? [flight, ["", "", `${layover.airport}: ${layover.minutes ?? "?"} min${layover.overnight ? ", overnight" : ""}`]]
      : [flight];
  });
}

/** Shows the fees of a change and a cancellation, now and an hour before the first departure. */
export function showFees(terminal: Terminal, offer: FareQuoteResult): void {
  // Any time zone serves to subtract an hour.
  const departure = instantOf(offer.segments[0]?.origin.departure_time, "UTC");
  if (departure === null) return;
  const onTheDay = wallClockIn(departure - 3_600_000, "UTC");
  // The emulator's flights leave from India; a real shop knows the zone of each airport.
  const now = wallClockIn(Date.now(), "Asia/Kolkata");
  terminal.say("\nFees for all passengers");
  table(terminal, [
    ["", "now", "an hour before"],
    ...(["Reissue", "Cancellation"] as const).map((type) => [
      type,
      ...[now, onTheDay].map((at) => fees(offer, { type, at }).text),
    ]),
  ]);
}

export function showBooking(terminal: Terminal, booking: CheckoutBooking): void {
  const { changes, deadline } = booking;
  terminal.say(`\nPNR ${booking.pnr}, booking ${booking.bookingId}, reference ${booking.clientReferenceId}`);
  if (!changes.changed) terminal.say("  Booked as you saw it.");
  // The message ends with what has changed.
  terminal.say(`  ${booking.nextStep.message}${deadline ? ` ${deadline.remaining().text} left.` : ""}`);
}
