import { formatPath } from "../../../errors/issues.ts";
import type { PriceChange } from "../../../flights/changes/summary.ts";
import type { CheckoutBooking } from "../../../flights/checkout/options.ts";
import { isConfirmed, normalizeSegments } from "../../../flights/quote/normalize.ts";
import type { FareQuoteResult, Segment } from "../../../flights/types/index.ts";
import { field } from "../../../shared/json.ts";
import { cleanLine } from "../../shared/clean-text.ts";
import { type Description, formatLists, wrapLists } from "../../shared/layout.ts";
import type { OutputFlags } from "../../shared/options.ts";
import type { Order } from "../order.ts";
import { cleanStrings, formatDeadline, formatFlights, formatMoney, formatOffer, summarizeOffer } from "./offer.ts";
import { formatPassengers, projectBooking, projectPassenger } from "./passengers.ts";

/** A booking that was not sent. */
interface Preview {
  readonly offer: FareQuoteResult;
  readonly result: number;
  readonly order: Order;
  readonly journal: string;
  readonly reference: string | undefined;
}

interface PreviewFlags extends OutputFlags {
  readonly deadlineZone?: string;
}

/** Returns what would be booked, as data. */
export function describePreview({ offer, result, order, journal, reference }: Preview, flags: PreviewFlags) {
  const { passengers, maxTotal } = order.request;
  return {
    booked: false,
    result,
    ...summarizeOffer(offer, flags.deadlineZone),
    maxTotal,
    travellers: flags.showPii ? passengers : passengers.map(projectPassenger),
    clientReferenceId: reference ?? null,
    journal,
    offer,
  };
}

/** Formats what would be booked: the offer, the passengers, the limit. */
export function formatPreview({ offer, order, journal, reference }: Preview, flags: PreviewFlags): string {
  const { request } = order;
  const terms = {
    title: "Booking",
    items: [
      ["at most", formatMoney(request.maxTotal)],
      ["reference", cleanLine(reference ?? "a new one")],
      ["journal", cleanLine(journal)],
      ...(request.allowDuplicate ? [["force", "although an earlier booking exists or may exist"] as const] : []),
    ] as const,
  };
  return [
    formatOffer("To be booked", offer, flags.deadlineZone),
    formatPassengers(request.passengers, flags.showPii === true),
    formatLists(wrapLists([terms])),
  ].join("\n\n");
}

/** Formats a reservation: its names, what differs from the quote, and the next step. */
export function formatBooking(booking: CheckoutBooking, journal: string): string {
  const { pnrs, bookingId, clientReferenceId, changes, deadline, nextStep, warnings } = booking;
  const segments = segmentsOf(booking);
  const confirm =
    areConfirmed(segments) === false ? "Ask the service operator whether every flight is confirmed. " : "";
  const step = `${confirm}${nextStep.message.replace(changes.summary, "").trim()}`;
  const items: readonly Description[] = [
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
  const list = { title: "Booked", items: items.map(([term, text]) => [term, cleanLine(text)] as const) };
  return [formatLists(wrapLists([list])), formatFlights(cleanStrings({ segments }))].join("\n\n");
}

/** Returns the data of `--json` for a reservation, whose people are masked unless `showPii`. */
export function describeBooking(booking: CheckoutBooking, { showPii = false }: OutputFlags) {
  const body = showPii ? booking.body : projectBooking(booking.body);
  return { ...booking, isConfirmed: areConfirmed(segmentsOf(booking)), body };
}

function segmentsOf({ body }: CheckoutBooking): readonly Segment[] {
  return normalizeSegments(field(field(field(body, "data"), "result"), "segments"));
}

/** Whether every flight is confirmed; null if the response has none that can be read. */
function areConfirmed(segments: readonly Segment[]): boolean | null {
  return segments.length === 0 ? null : segments.every(({ flight_status }) => isConfirmed(flight_status));
}

/** Formats what a reservation is found by, in a line. */
export function formatNames({ pnrs, bookingId, clientReferenceId }: CheckoutBooking): string {
  const names = { PNR: pnrs.join(", "), "booking ID": bookingId, reference: clientReferenceId };
  const known = Object.entries(names).flatMap(([label, text]) => (text === "" ? [] : [`${label} ${text}`]));
  return cleanLine(`It is booked: ${known.join(", ")}.`);
}

function priceText({ booked, quoted, extras, difference }: PriceChange): string {
  const parts = [
    ...(extras !== null && extras.amount !== "0" ? [`with extras of ${formatMoney(extras)}`] : []),
    ...(difference !== null && difference.amount !== "0" ? [`quoted at ${formatMoney(quoted)}`] : []),
  ];
  return [formatMoney(booked), ...parts].join(", ");
}
