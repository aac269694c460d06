import { itinerary, type Layover, type Leg } from "../../../flights/quote/itinerary.ts";
import { fareBreakdown, moneyText, priceOf, readMoney } from "../../../flights/quote/money.ts";
import { countByType, normalizeBreakdown, plainGuidance, readFlag } from "../../../flights/quote/normalize.ts";
import { durationMinutes, type TicketDeadline, ticketDeadline, timeOrNull } from "../../../flights/quote/times.ts";
import type { FareQuoteResult, Segment } from "../../../flights/types/index.ts";
import { elementsOf, field, trimmedScalar } from "../../../shared/json.ts";
import { formatLists, formatTable, type Row, wrapText } from "../../shared/layout.ts";
import { cleanLine } from "../../shared/print.ts";

/** Returns a part of a response whose strings are safe to show, each on one line. */
export function cleanStrings<T>(part: T): T {
  const text = JSON.stringify(part, (_, value: unknown) => (typeof value === "string" ? cleanLine(value) : value));
  return text === undefined ? part : JSON.parse(text);
}

const columns = ["Flight", "From", "Departs", "To", "Arrives", { right: "Time" }, "Class", "Baggage"];

/** Formats the flights of a trip leg by leg, in the local times of the airports. */
export function formatFlights(trip: { readonly segments: readonly Segment[] }): string {
  const { legs } = itinerary(trip);
  return legs.length === 0 ? "The response names no flights." : formatTable(columns, legs.flatMap(legLines));
}

function formatMinutes(minutes: number | null): string {
  if (minutes === null) return "";
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")}`;
}

function legLines({ direction, segments, layovers, minutes, origin, destination, departure }: Leg): Row[] {
  const flights = segments.flatMap((segment, i): Row[] => {
    const { airline_code, operating_carrier, flight_status } = segment;
    const layover = layovers[i];
    const remarks = [
      operating_carrier !== "" && operating_carrier !== airline_code && `operated by ${operating_carrier}`,
      flight_status !== "" && flight_status.toLowerCase() !== "confirmed" && `status ${flight_status}`,
    ];
    const notes = [remarks.filter(Boolean).join(", "), layover && layoverText(layover)].filter(Boolean);
    return [flightCells(segment), ...notes.map((note) => `  ${note}`)];
  });
  const route = origin === "" && destination === "" ? "flight" : `${origin}-${destination}`;
  const facts = [`${direction} ${route}`.trim(), departure?.slice(0, 10), formatMinutes(minutes)];
  return [facts.filter(Boolean).join(", "), ...flights];
}

function flightCells(segment: Segment): string[] {
  const { origin, destination, baggage, flight_class, fare_class } = segment;
  const departure = timeOrNull(origin.departure_time);
  const arrival = timeOrNull(destination.arrival_time);
  const isSameDay = departure?.slice(0, 10) === arrival?.slice(0, 10);
  const minutes = durationMinutes(segment.duration);
  return [
    `${segment.airline_code} ${segment.flight_number}`.trim(),
    placeName(origin),
    departure?.slice(5, 16) ?? "not known",
    placeName(destination),
    arrival?.slice(isSameDay ? 11 : 5, 16) ?? "not known",
    minutes === null ? segment.duration : formatMinutes(minutes),
    [flight_class ?? "", fare_class].filter(Boolean).join(" "),
    [baggage.checked_baggage, baggage.cabin_baggage].filter(Boolean).join(" + "),
  ];
}

function placeName({ airport_code, terminal }: { readonly airport_code: string; readonly terminal: string }): string {
  return terminal === "" ? airport_code : `${airport_code} T${terminal}`;
}

function layoverText({ airport, changeTo, minutes, overnight }: Layover): string {
  const where = changeTo === null ? airport : `${airport}, change to ${changeTo}`;
  return `layover ${where}${minutes === null ? "" : `, ${formatMinutes(minutes)}`}${overnight ? ", overnight" : ""}`;
}

/** Returns the results of the library's helpers for an offer: the data of `--json`, beside the body. */
export function summarizeOffer(offer: FareQuoteResult, deadlineZone?: string) {
  const rows = normalizeBreakdown(offer.fare_breakdown);
  return {
    price: priceOf(offer),
    passengers: rows.length === 0 ? null : countByType(rows),
    fareBreakdown: fareBreakdown(offer),
    ticketDeadline: ticketDeadline(offer, deadlineZone),
  };
}

type OfferSummary = ReturnType<typeof summarizeOffer>;

export function formatOffer(title: string, received: FareQuoteResult, deadlineZone?: string): string {
  const offer = cleanStrings(received);
  const summary = summarizeOffer(offer, deadlineZone);
  const facts = Object.entries(factsOf(offer, summary)).filter(([, text]) => text !== "");
  return [formatLists({ [title]: facts }), formatFlights(offer), formatFare(offer, summary)].join("\n\n");
}

/** Formats a number of passengers, such as `2 children`. A type that is not documented stays as it is. */
export function formatCount(count: number, type: string): string {
  return `${count} ${count === 1 ? type : (plurals[type.toLowerCase()] ?? type)}`;
}

const plurals: Readonly<Record<string, string | undefined>> = { adult: "adults", child: "children", infant: "infants" };

export function formatDeadline(deadline: TicketDeadline | null): string {
  if (deadline === null) return "none given";
  const { passed, text } = deadline.remaining();
  return `${deadline.text} (${deadline.zone}), ${passed ? "which has passed" : `${text} left`}`;
}

/** Returns what a flag says, in words: one that cannot be read may be either. */
export function flagged(value: unknown, yes: string, no?: string): readonly string[] {
  const flag = readFlag(value ?? false);
  if (flag === undefined) return [`${yes}: not known`];
  if (flag) return [yes];
  return no === undefined || value === undefined || value === null ? [] : [no];
}

function factsOf(offer: FareQuoteResult, { passengers, ticketDeadline }: OfferSummary): Record<string, string> {
  const supplier = [offer.source, offer.airline_code].map(trimmedScalar).join(" ").trim();
  const flags = [
    ...flagged(offer.refundable, "refundable", "not refundable"),
    ...flagged(offer.is_lcc, "low-cost carrier"),
    ...flagged(offer.free_meal, "meal included"),
    ...flagged(offer.coupon_applicable, "coupons apply"),
  ];
  const counts = Object.entries(passengers ?? {}).map(([type, count]) => formatCount(count, type));
  const required = [
    ...flagged(offer.passport_required_at_book, "passport to book"),
    ...flagged(offer.passport_required_at_ticket, "passport to ticket"),
    ...flagged(offer.pan_required_at_book, "PAN to book"),
    ...flagged(offer.pan_required_at_ticket, "PAN to ticket"),
    ...flagged(offer.gst_mandatory, "GST details"),
    ...flagged(offer.hold_mandatory_with_ssr, "a hold first, with seats, baggage or meals"),
  ];
  return {
    supplier: [supplier, trimmedScalar(offer.fare_type)].filter(Boolean).join(", ") || "not given",
    conditions: flags.join(", ") || "not given",
    included: elementsOf(offer.fare_inclusions).map(trimmedScalar).filter(Boolean).join(", "),
    remark: trimmedScalar(offer.airline_remark),
    passengers: passengers === null ? "the quote does not say" : counts.join(", "),
    required: required.join(", "),
    "first name": plainGuidance(offer.fname_format) ?? "",
    "last name": plainGuidance(offer.lname_format) ?? "",
    "ticket by": formatDeadline(ticketDeadline),
  };
}

const fareColumns = ["Fare", { right: "Each" }, { right: "Amount" }];

function formatFare(offer: FareQuoteResult, { price, fareBreakdown: { types, warning } }: OfferSummary): string {
  const taxes = readMoney(field(offer.fare, "tax_and_surcharges"), field(offer.fare, "currency"));
  const table = formatTable(fareColumns, [
    ...types.map(({ passengerType, count, each, total }) => [
      formatCount(count, passengerType),
      each === null ? "" : moneyText(each),
      moneyText(total),
    ]),
    ["taxes and surcharges", "", moneyText(taxes)],
    ["total", "", moneyText(price)],
  ]);
  return warning === null ? table : `${table}\n\n${wrapText(warning, { indent: "  " })}`;
}
