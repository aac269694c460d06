import { formatPath } from "../../../errors/issues.ts";
import type { PriceChange } from "../../../flights/changes/types.ts";
import type { CheckoutBooking } from "../../../flights/checkout/types.ts";
import { normalizeSegments } from "../../../flights/quote/normalize.ts";
import { field } from "../../../shared/json.ts";
import { cleanLine } from "../../shared/clean-text.ts";
import { wrapTables } from "../../shared/columns.ts";
import { formatTables, type Row } from "../../shared/format-table.ts";
import { formatMoney } from "../money.ts";
import { cleanStrings } from "./clean.ts";
import { formatFlights } from "./flights.ts";
import { formatDeadline } from "./offer.ts";

/** Formats a reservation: its names, what differs from the quote, and the next step. */
export function formatBooking(booking: CheckoutBooking, journal: string): string {
  const { pnrs, bookingId, clientReferenceId, changes, deadline, nextStep, warnings } = booking;
  const step = nextStep.message.replace(changes.summary, "").trim();
  const rows: readonly Row[] = [
    [pnrs.length > 1 ? "PNRs" : "PNR", pnrs.join(", ") || "none yet: ask the service operator for it"],
    ["booking ID", bookingId || "none"],
    ["reference", clientReferenceId],
    ["price", priceText(changes.price)],
    ["changes", changes.summary || (changes.changed ? "reported by the airline" : "none: booked as quoted")],
    ["ticket by", formatDeadline(deadline)],
    ["next", step],
    ...warnings.map(({ path, message }) => ["warning", `${formatPath(path)} ${message}`] as const),
    ["journal", journal],
  ];
  const table = { title: "Booked", rows: rows.map(([label, text]) => [label, cleanLine(text)] as const) };
  const segments = normalizeSegments(field(field(field(booking.body, "data"), "result"), "segments"));
  return [formatTables(wrapTables([table])), formatFlights(cleanStrings({ segments }))].join("\n\n");
}

function priceText({ booked, quoted, extras, difference }: PriceChange): string {
  const parts = [
    ...(extras !== null && extras.amount !== "0" ? [`with extras of ${formatMoney(extras)}`] : []),
    ...(difference !== null && difference.amount !== "0" ? [`quoted at ${formatMoney(quoted)}`] : []),
  ];
  return [formatMoney(booked), ...parts].join(", ");
}
