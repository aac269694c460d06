import type { ShownBooking } from "../messages.ts";
import { element, find, setRows } from "./dom.ts";

/** Shows the bookings, newest first. */
export function showBookings(bookings: readonly ShownBooking[]): void {
  const rows = bookings.map(({ client_referenceId, pnr, booking_id }) =>
    element(
      "li",
      { class: "row" },
      element("span", { class: "name" }, client_referenceId),
      element("span", {}, `PNR ${pnr}`),
      element("span", { class: "dim" }, `booking ${booking_id}`),
    ),
  );
  setRows(find("booking-rows", HTMLElement), find("no-bookings", HTMLElement), rows);
}
