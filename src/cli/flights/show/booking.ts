import { formatPath } from "../../../errors/issues.ts";
import type { PriceChange } from "../../../flights/changes/summary.ts";
import type { CheckoutBooking } from "../../../flights/checkout/options.ts";
import type { PassengerIssue } from "../../../flights/passengers/index.ts";
import { fields } from "../../../flights/passengers/issues.ts";
import { type Money, moneyText } from "../../../flights/quote/money.ts";
import { normalizeSegments } from "../../../flights/quote/normalize.ts";
import type { FareQuoteResult } from "../../../flights/types/index.ts";
import { elementsOf, field, isObject, stringOf } from "../../../shared/json.ts";
import { type Description, formatLists, formatTable } from "../../shared/layout.ts";
import { maskAddress, maskMessage, maskName, maskNumber } from "../../shared/mask.ts";
import { cleanLine, jsonText, type OutputFlags, printResult } from "../../shared/print.ts";
import { terminalMessage } from "../../shared/terminal-message.ts";
import type { Order } from "../order.ts";
import { cleanStrings, formatDeadline, formatFlights, formatOffer, summarizeOffer } from "./offer.ts";

/** A function for each field that can be shown. Other fields are left out: they may be personal. */
type Projection = Readonly<Record<string, (value: unknown) => unknown>>;

const same = (value: unknown) => value;
const hidden = (value: unknown) => (value === "" || value === null ? value : "••••");
const masked = (mask: (text: string) => string) => (value: unknown) => mask(stringOf(value));
const all = (names: string, how: (value: unknown) => unknown): Projection =>
  Object.fromEntries(names.split(" ").map((name) => [name, how]));

/** The fields of a passenger that can be shown (§2.9, §4.3). */
const passenger: Projection = {
  ...all("passenger_id title passenger_type gender is_lead_passenger country_code fare seat baggage meal", same),
  ...all("fname lname", masked(maskName)),
  mobile: masked(maskNumber),
  email: masked(maskAddress),
  ...all("dob address city country gst", hidden),
};

const booking: Projection = {
  ...all("pnr booking_id price_changed time_changed seats_booked domestic source origin destination", same),
  ...all("airline_code airline_remark last_ticket_date is_lcc non_refundable coupon_applicable", same),
  ...all("credit_note_no segments fare", same),
  passengers: (list) => elementsOf(list).map((value) => project(value, passenger)),
};

/** The documented part of the response to a booking (§2.8), with its people masked. */
const body: Projection = {
  ...all("status status_code", same),
  message: masked(maskMessage),
  data: (data) => project(data, { trace_id: same, result: (result) => project(result, booking) }),
};

function project(value: unknown, fields: Projection): unknown {
  if (!isObject(value)) return null;
  const kept = Object.entries(fields).filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(kept.map(([name, show]) => [name, show(field(value, name))]));
}

function formatPassengers(passengers: readonly unknown[]): string {
  const rows = passengers.map((shown, i) => {
    const cell = (name: string) => cleanLine(stringOf(field(shown, name)));
    const name = ["title", "fname", "lname"].map(cell).filter(Boolean).join(" ");
    return [`${i + 1}`, cell("passenger_type"), name, cell("dob"), cell("mobile"), cell("email")];
  });
  return formatTable(["#", "Type", "Name", "Born", "Mobile", "E-mail"], rows);
}

export function formatIssues(issues: readonly PassengerIssue[]): string {
  return issues
    .map((issue) => {
      const { path, code, severity, suggestion } = issue;
      const text = `${severity}: ${placeOf(path)}: ${messageOf(issue)} (${code})`;
      return cleanLine(suggestion === undefined ? text : `${text} Perhaps ${suggestion}.`);
    })
    .join("\n");
}

/** Names a place of a file as a person counts who has not written the program that reads it. */
function placeOf(path: PassengerIssue["path"]): string {
  const [list, index, ...rest] = path;
  if (list === "extraBody") return ["--extra-body", placeOf(path.slice(1))].join(", ");
  if (list !== "passengers" || typeof index !== "number") return formatPath(path);
  return [`passenger ${index + 1}`, ...(rest.length > 0 ? [formatPath(rest)] : [])].join(", ");
}

/**
 * The message is for a form, which shows the values of a choice. The faults of the file need the name or the type of its
 * field.
 */
function messageOf({ problem, path, message, developerMessage }: PassengerIssue): string {
  const known = fields[String(path.at(-1))]?.choices ?? [];
  if (problem === "required" && known.length > 0) return message.replace(/\.$/, `: ${known.join(", ")}.`);
  const isOfFile = problem === "unknown_field" || problem === "invalid_type";
  return isOfFile && developerMessage !== undefined ? terminalMessage(developerMessage) : message;
}

/** Returns the flag that accepts errors as they are; undefined if none of them can be. */
export function adviceToAccept(errors: readonly PassengerIssue[]): string | undefined {
  const codes = new Set(errors.map(({ code }) => code).filter((code) => !refused.has(code)));
  const documents = [...codes].some((code) => code.endsWith("_required_at_book"));
  const correct = documents ? "Correct them, add documents with --extra-body <file>" : "Correct them";
  return codes.size === 0
    ? undefined
    : `${correct}, or accept what is right all the same: --accept-issues ${[...codes].join(" ")}`;
}

/** Errors that break a rule of the document: the request is refused although they are accepted. */
const refused: ReadonlySet<PassengerIssue["code"]> = new Set(["invalid_field", "no_passengers"]);

type PreviewFlags = OutputFlags & { readonly deadlineZone?: string; readonly reference?: string };

/** Prints what would be booked: the offer, its passengers, and the terms of the order. */
export function printPreview(
  { offer, result }: { readonly offer: FareQuoteResult; readonly result: number },
  { request: { passengers, maxTotal, allowDuplicate } }: Order,
  journal: string,
  flags: PreviewFlags,
): void {
  const { deadlineZone, reference, showPii } = flags;
  const travellers = showPii ? passengers : passengers.map((value) => project(value, passenger));
  const summary = summarizeOffer(offer, deadlineZone);
  const clientReferenceId = reference ?? null;
  const data = { booked: false, result, ...summary, maxTotal, travellers, clientReferenceId, journal, offer };
  const terms = {
    "at most": moneyText(maxTotal),
    reference: cleanLine(reference ?? "a new one"),
    journal: cleanLine(journal),
    ...(allowDuplicate && { force: "although an earlier booking exists or may exist" }),
  };
  printResult(flags, data, () =>
    [
      formatOffer("To be booked", offer, deadlineZone),
      formatPassengers(travellers),
      formatLists({ Booking: terms }),
    ].join("\n\n"),
  );
}

/** Returns what is printed of a booking. In JSON, its people are masked unless `showPii`. */
export function formatBooking(booking: CheckoutBooking, journal: string, { json, showPii }: OutputFlags): string {
  if (json) return jsonText({ ...booking, body: showPii ? booking.body : project(booking.body, body), journal });
  const { pnrs, bookingId, clientReferenceId, changes, deadline, nextStep, warnings } = booking;
  const segments = normalizeSegments(field(field(field(booking.body, "data"), "result"), "segments"));
  const step = nextStep.message.replace(changes.summary, "").trim();
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
  const cleaned = items.map(([term, text]) => [term, cleanLine(text)] as const);
  return [formatLists({ Booked: cleaned }), formatFlights(cleanStrings({ segments }))].join("\n\n");
}

export function formatNames({ pnrs, bookingId, clientReferenceId }: CheckoutBooking): string {
  const names = { PNR: pnrs.join(", "), "booking ID": bookingId, reference: clientReferenceId };
  const known = Object.entries(names).flatMap(([label, text]) => (text === "" ? [] : [`${label} ${text}`]));
  return cleanLine(`It is booked: ${known.join(", ")}.`);
}

function priceText({ booked, quoted, extras, difference }: PriceChange): string {
  const isSome = (money: Money | null) => money !== null && money.amount !== "0";
  const withExtras = isSome(extras) && `with extras of ${moneyText(extras)}`;
  const instead = isSome(difference) && `quoted at ${moneyText(quoted)}`;
  return [moneyText(booked), withExtras, instead].filter(Boolean).join(", ");
}
