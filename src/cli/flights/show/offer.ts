import { type FareBreakdown, fareBreakdown, priceOf } from "../../../flights/quote/money.ts";
import { expectedPassengers, plainGuidance, readFlag } from "../../../flights/quote/normalize.ts";
import { type TicketDeadline, ticketDeadline } from "../../../flights/quote/times.ts";
import type { FareQuoteResult } from "../../../flights/types/index.ts";
import { elementsOf, trimmedScalar } from "../../../shared/json.ts";
import { cleanLine } from "../../shared/clean-text.ts";
import { type Description, type DescriptionList, formatLists, wrapLists } from "../../shared/description-list.ts";
import { type Column, formatTable } from "../../shared/table.ts";
import { wrapText } from "../../shared/wrap.ts";
import { formatMoney, readFare } from "../money.ts";
import { cleanStrings } from "./clean.ts";
import { formatFlights } from "./flights.ts";

/** The data of `--json` for a result of a quote, beside the body. */
export interface OfferSummary {
  readonly price: ReturnType<typeof priceOf>;
  readonly passengers: ReturnType<typeof expectedPassengers>;
  readonly fareBreakdown: FareBreakdown;
  readonly ticketDeadline: TicketDeadline | null;
}

/** Returns the results of the library's helpers for an offer. */
export function summarizeOffer(offer: FareQuoteResult, deadlineZone?: string): OfferSummary {
  return {
    price: priceOf(offer),
    passengers: expectedPassengers(offer),
    fareBreakdown: fareBreakdown(offer),
    ticketDeadline: ticketDeadline(offer, deadlineZone),
  };
}

/**
 * Formats an offer for a terminal: what it is, its flights, its fare.
 *
 * @param title - Such as `Quote`, or `Result 1` of several.
 */
export function formatOffer(title: string, received: FareQuoteResult, deadlineZone?: string): string {
  const offer = cleanStrings(received);
  const summary = summarizeOffer(offer, deadlineZone);
  const details: DescriptionList = { title, items: [...conditions(offer), ...needs(offer, summary)] };
  return [formatLists(wrapLists([details])), formatFlights(offer), formatFare(offer, summary)].join("\n\n");
}

/** Formats the passengers of a quote, such as `2 adults, 1 infant`. */
export function formatCounts(counts: Readonly<Record<string, number>> | null): string {
  if (counts === null) return "the quote does not say";
  return Object.entries(counts)
    .map(([type, count]) => formatCount(count, type))
    .join(", ");
}

/** Formats a number of passengers, such as `2 children`. A type that is not documented stays as it is. */
export function formatCount(count: number, type: string): string {
  return `${count} ${count === 1 ? type : (plurals[type.toLowerCase()] ?? type)}`;
}

const plurals: Readonly<Record<string, string | undefined>> = { adult: "adults", child: "children", infant: "infants" };

/** Formats a deadline with the time that is left. */
export function formatDeadline(deadline: TicketDeadline | null): string {
  if (deadline === null) return "none given";
  const { passed, text } = deadline.remaining();
  return `${deadline.text} (${deadline.zone}), ${passed ? "which has passed" : `${text} left`}`;
}

function conditions(offer: FareQuoteResult): readonly Description[] {
  const { source, airline_code, fare_type } = offer;
  const remark = trimmedScalar(offer.airline_remark);
  const included = elementsOf(offer.fare_inclusions).map(trimmedScalar).filter(Boolean);
  const flags = [
    ...flagged(offer.refundable, "refundable", "not refundable"),
    ...flagged(offer.is_lcc, "low-cost carrier"),
    ...flagged(offer.free_meal, "meal included"),
    ...flagged(offer.coupon_applicable, "coupons apply"),
  ];
  const supplier = [source, airline_code].map(trimmedScalar).join(" ").trim();
  return [
    ["supplier", [supplier, trimmedScalar(fare_type)].filter(Boolean).join(", ") || "not given"],
    ["conditions", flags.join(", ") || "not given"],
    ...(included.length > 0 ? [["included", included.join(", ")] as const] : []),
    ...(remark === "" ? [] : [["remark", remark] as const]),
  ];
}

/** Returns what a flag says, in words: one that cannot be read may be either. */
export function flagged(value: unknown, yes: string, no?: string): readonly string[] {
  const flag = readFlag(value ?? false);
  if (flag === undefined) return [`${yes}: not known`];
  if (flag) return [yes];
  return no === undefined || value === undefined || value === null ? [] : [no];
}

function needs(offer: FareQuoteResult, { passengers, ticketDeadline }: OfferSummary): readonly Description[] {
  const required = [
    ...flagged(offer.passport_required_at_book, "passport to book"),
    ...flagged(offer.passport_required_at_ticket, "passport to ticket"),
    ...flagged(offer.pan_required_at_book, "PAN to book"),
    ...flagged(offer.pan_required_at_ticket, "PAN to ticket"),
    ...flagged(offer.gst_mandatory, "GST details"),
    ...flagged(offer.hold_mandatory_with_ssr, "a hold first, with seats, baggage or meals"),
  ];
  const names = { "first name": plainGuidance(offer.fname_format), "last name": plainGuidance(offer.lname_format) };
  return [
    ["passengers", formatCounts(passengers)],
    ...(required.length > 0 ? [["required", required.join(", ")] as const] : []),
    ...Object.entries(names).flatMap(([label, text]) =>
      text === undefined ? [] : [[label, text.split("\n").map(cleanLine).join("\n")] as const],
    ),
    ["ticket by", formatDeadline(ticketDeadline)],
  ];
}

const fareColumns: readonly Column[] = [
  { title: "Fare" },
  { title: "Each", align: "right" },
  { title: "Amount", align: "right" },
];

function formatFare(offer: FareQuoteResult, { price, fareBreakdown: { types, warning } }: OfferSummary): string {
  const table = formatTable(fareColumns, [
    ...types.map(({ passengerType, count, each, total }) => [
      formatCount(count, passengerType),
      each === null ? "" : formatMoney(each),
      formatMoney(total),
    ]),
    ["taxes and surcharges", "", formatMoney(readFare(offer.fare, "tax_and_surcharges"))],
    ["total", "", formatMoney(price)],
  ]);
  return warning === null ? table : `${table}\n\n${wrapText(warning, { indent: "  " })}`;
}
