import { transportOf } from "../../client.ts";
import { OfferUnavailableError } from "../../errors/api.ts";
import { formatPath, listIssues } from "../../errors/issues.ts";
import { ConfigurationError, refusedRequest } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { field, stringOf, trimmedScalar } from "../../shared/json.ts";
import { createReference } from "../../shared/ulid.ts";
import type { WithResponse } from "../../transport/call.ts";
import { newReference } from "../../transport/prepare.ts";
import { findBookingReference } from "../booking/reference.ts";
import { type BookingChanges, compareBooking, compareOffers } from "../changes/index.ts";
import { summarizeTerms } from "../changes/summary.ts";
import { OfferChangedError, PassengerValidationError, PriceAboveLimitError } from "../errors.ts";
import type { JournalRow } from "../journal/journal.ts";
import { fareQuote } from "../operations.ts";
import { peopleSent } from "../passengers/context.ts";
import { type PassengerIssue, validateOffers } from "../passengers/index.ts";
import { compareMoney, type Money, moneyText, priceOf, sumMoney } from "../quote/money.ts";
import { isConfirmed, normalizeSegments } from "../quote/normalize.ts";
import { type TicketDeadline, ticketDeadline } from "../quote/times.ts";
import type { Booking, FareQuote, FareQuoteResult, Passenger } from "../types/index.ts";
import { abortedBeforeSending, BookingAttempt, keepOrder, type Trip } from "./attempt.ts";
import { describeFlights, fingerprintOf, hashOrder, nameOffers } from "./fingerprint.ts";
import type { CheckoutBooking, CheckoutBookRequest, CheckoutValidateOptions, ShownQuote } from "./options.ts";

/** Requests the quote to show to the user, to which the trip refers from then on: with what is booked for its order. */
export async function quote(trip: Trip, options?: RequestOptions): Promise<FareQuote> {
  await keepOrder(trip);
  trip.shown = await requestQuote(trip, options);
  trip.quoteOptions = options;
  return trip.shown.body;
}

/** A quote without offers is refused (docs/assumptions.md, A4). */
async function requestQuote(trip: Trip, options: RequestOptions | undefined): Promise<ShownQuote> {
  trip.startedAt ??= trip.now();
  const call = trip.client.send(fareQuote, trip.params, options);
  const { data: body, response, attempts, clientReferenceId } = await call.withResponse();
  if (body.data.result.length === 0) {
    throw new OfferUnavailableError("offer_unavailable", {
      message: "The quote has no offers: nothing is left of this flight. Search again.",
      operation: "flights.fareQuote",
      httpStatus: response.status,
      statusCode: trimmedScalar(body.status_code) || undefined,
      serviceMessage: stringOf(body.message) || undefined,
      ...{ clientReferenceId, attempts, body, headers: response.headers },
    });
  }
  return { body, at: trip.now(), offers: await nameOffers(body) };
}

export function shownQuote({ shown }: Pick<Trip, "shown">): ShownQuote {
  if (shown !== null) return shown;
  throw new ConfigurationError("Call quote() first: this step refers to the quote that the user was shown.");
}

/** Returns one offer of a quote. Its index may be left out if there is only one. */
export function pickOffer(
  quote: FareQuote,
  index: number | undefined,
  owner = "trip.book",
): { readonly offer: FareQuoteResult; readonly index: number } {
  const { result } = quote.data;
  const last = result.length - 1;
  const operation = owner === "trip.book" ? "flights.book" : undefined;
  if (index === undefined && last > 0) {
    const must = `must choose one of ${result.length} results (0 to ${last}), or bookAll() books them.`;
    throw refusedRequest(owner, "offerIndex", "missing", must, operation);
  }
  const offer = result[index ?? 0];
  if (offer !== undefined) return { offer, index: index ?? 0 };
  throw refusedRequest(owner, "offerIndex", "out_of_range", `must be an integer between 0 and ${last}.`, operation);
}

/** Checks passengers against one offer of a quote, or against all: what several refuse is one issue. */
export function validate(
  trip: Trip,
  { body }: ShownQuote,
  passengers: readonly unknown[],
  { offerIndex, ...checks }: CheckoutValidateOptions,
): PassengerIssue[] {
  const offers = offerIndex === undefined ? body.data.result : [pickOffer(body, offerIndex, "trip.validate").offer];
  const limits = { ...trip.options.limits, ...checks, now: trip.now(), deadlineZone: trip.options.deadlineZone };
  const found = validateOffers(offers, passengers, { ...limits, trip: body.data.result });
  return [...new Map(found.map((issue) => [JSON.stringify([issue.code, issue.path, issue.message]), issue])).values()];
}

/** Books one offer for at most `limit`, and returns its row, with its price: as agreed, or as booked if higher. */
export async function book(
  trip: Trip,
  asked: CheckoutBookRequest,
  options: RequestOptions,
  before = shownBefore(trip),
  limit = asked.maxTotal,
): Promise<{ readonly booking: CheckoutBooking; readonly row: JournalRow }> {
  const { passengers, agreedQuote, acceptIssues } = asked;
  const { quote } = before;
  const { offer, index } = pickOffer(quote.body, asked.offerIndex);
  const agreed = agreedQuote && pickOffer(agreedQuote, index).offer;
  let price = priceOf(offer);
  // Without an explicit limit a booking is made on the quote that was shown, whatever its age.
  const { requoteIfOlderThan: maxAge = asked.maxTotal === undefined ? Number.POSITIVE_INFINITY : 0 } = asked;
  const checks = { offerIndex: index, acceptIssues, extraBody: options.extraBody };
  checkPassengers(trip, quote, passengers, checks);
  if (options.signal?.aborted) throw abortedBeforeSending(options.signal, asked.clientReferenceId);
  const attempt = await planAttempt(trip, quote, index, asked, options);
  // An `extraBody` may have made the passengers anything: they are compared as far as they can be read.
  const people = peopleSent(passengers, options.extraBody) as readonly Passenger[];
  const response = await attempt.run(async () => {
    const { traceId: trace_id, clientReferenceId: client_referenceId } = attempt.row;
    const sent = { trace_id, passengers, client_referenceId };
    if (agreed !== undefined) checkQuote(before, agreed, index, limit);
    const age = trip.now() - quote.at;
    // A negative age means that the clocks of two machines differ: the age of the quote is not known.
    if (maxAge === Number.POSITIVE_INFINITY || (age >= 0 && age < maxAge)) {
      if (limit !== undefined) checkPrice(before, price, index, limit);
      return { params: { ...sent, token: offer.token }, offers: attempt.row.offers, ...(price && { price }) };
    }
    const fresh = await freshQuote(trip, options.signal);
    checkQuote(fresh, offer, index, limit);
    if (agreed !== undefined) checkQuote(fresh, agreed, index, limit); // the quote in between may lack a term
    // A fresh quote may want other details of the passengers.
    checkPassengers(trip, fresh.quote, passengers, checks);
    const { offer: current } = pickOffer(fresh.quote.body, index);
    price = priceOf(current);
    const offers = ownFirst(fresh.quote.offers, index);
    return { params: { ...sent, token: current.token }, offers, ...(price && { price }) };
  });
  const { booking: named } = findBookingReference(response.data) ?? {};
  const changes = compareBooking(offer, named, people);
  const { quoted, difference, flagged } = changes.price;
  const booked = quoted && difference && sumMoney([quoted, difference]);
  if (difference === null && (flagged || (field(field(named, "fare"), "total_fare") ?? "") !== "")) {
    price = null; // another price, of which nobody knows how much it is
  } else if (price && booked && (compareMoney(booked, price) ?? 0) > 0) price = booked;
  const allowed = limit ?? priceOf(agreed ?? offer);
  const order = booked && allowed && compareMoney(booked, allowed);
  const deadline = ticketDeadline(named ?? {}, trip.options.deadlineZone);
  const confirmed = normalizeSegments(field(named, "segments")).map((one) => isConfirmed(one.flight_status));
  await attempt.record(response.data, {
    ...(price && { price }),
    ...(changes.changed && { summary: changes.summary }),
    ...(confirmed.length > 0 && { isConfirmed: !confirmed.includes(false) }),
    ...(order !== null && { isAboveLimit: order > 0 }),
    ...(deadline !== null && { lastTicketDate: deadline.text }),
  });
  return { booking: describeBooking(response, attempt, changes, deadline), row: attempt.row };
}

export async function planAttempt(
  trip: Trip,
  { body, offers }: Pick<ShownQuote, "body" | "offers">,
  index: number,
  asked: CheckoutBookRequest,
  options: RequestOptions,
): Promise<BookingAttempt> {
  const { allowDuplicate = false, clientReferenceId = newReference(transportOf(trip.client).options) } = asked;
  const { offer } = pickOffer(body, index);
  const people = peopleSent(asked.passengers, options.extraBody);
  const order = trip.orderId === undefined ? undefined : await hashOrder(trip.orderId, people);
  const row = {
    attemptId: createReference(),
    clientReferenceId,
    traceId: trip.params.trace_id,
    searchToken: trip.params.token,
    token: offer.token,
    result: index,
    fingerprint: await fingerprintOf(offer, people),
    flights: describeFlights(offer),
    offers: ownFirst(offers, index),
    ...(allowDuplicate && { forced: true }),
    ...(order !== undefined && { order }),
  };
  return new BookingAttempt(trip, row, options);
}

const ownFirst = (offers: readonly string[], index: number) => [...offers.slice(index, index + 1), ...offers];

/** A quote that is compared with what was agreed to, the request that is refused if it differs, and the trip to show it. */
export interface ComparedQuote {
  readonly trip: Pick<Trip, "shown">;
  readonly quote: ShownQuote;
  readonly operation: keyof typeof whatDiffers;
}

export function shownBefore(trip: Trip): ComparedQuote {
  return { trip, quote: shownQuote(trip), operation: "flights.book" };
}

/** The outcome of a quote that was aborted is unknown, that of the booking is not. */
export async function freshQuote(trip: Trip, signal: AbortSignal | undefined): Promise<ComparedQuote> {
  const quote = await requestQuote(trip, { ...trip.quoteOptions, signal }).catch((error: unknown) => {
    throw signal?.aborted ? abortedBeforeSending(signal) : error;
  });
  return { trip, quote, operation: "flights.fareQuote" };
}

export function checkPassengers(
  trip: Trip,
  quote: ShownQuote,
  passengers: readonly Passenger[],
  checks: CheckoutValidateOptions,
): void {
  const issues = validate(trip, quote, passengers, checks).filter((issue) => issue.severity === "error");
  if (issues.length === 0) return;
  const list = listIssues(
    issues,
    ({ path, message, code }) => `${formatPath(path)}: ${message.replace(/\.$/, "")} (${code})`,
  );
  throw new PassengerValidationError({
    message: `The passengers cannot be booked as they are: ${list}. Nothing was sent.`,
    operation: "flights.book",
    issues,
  });
}

const whatDiffers = {
  "flights.fareQuote": "A fresh quote differs from the one that was shown.",
  "flights.book": "The quote of the trip differs from the one that was agreed to.",
};

/** Refuses an offer of a quote that is not what was agreed to, or costs more than it may: `maxTotal`, or else that. */
export function checkQuote(
  compared: ComparedQuote,
  agreed: FareQuoteResult,
  offerIndex: number,
  maxTotal: Money | undefined,
): void {
  const price = priceOf(checkOffer(compared, agreed, offerIndex));
  const limit = maxTotal ?? priceOf(agreed);
  if (limit === null) {
    const must = "must be the maximum price: that of the quote cannot be read.";
    throw refusedRequest("trip.book", "maxTotal", "missing", must, "flights.book");
  }
  checkPrice(compared, price, offerIndex, limit);
}

/**
 * Returns an offer of a quote, or refuses one with other flights or terms than were agreed to. A quote that is refused is to
 * be shown: the trip refers to it from then on.
 */
export function checkOffer(
  { trip, quote, operation }: ComparedQuote,
  agreed: FareQuoteResult,
  offerIndex: number,
): FareQuoteResult {
  const offer = quote.body.data.result[offerIndex];
  const { flights, terms } = offer === undefined ? { flights: [], terms: [] } : compareOffers(agreed, offer);
  if (offer !== undefined && flights.length === 0 && terms.length === 0) return offer;
  trip.shown = quote;
  throw new OfferChangedError({
    message: [
      whatDiffers[operation],
      ...(offer === undefined ? [`It has no offer with \`offerIndex\` ${offerIndex}.`] : []),
      ...(flights.length > 0 ? ["It has other flights or times."] : []),
      ...summarizeTerms(terms, normalizeSegments(agreed.segments)).slice(0, 3),
      "Nothing was booked: show the new quote and ask again.",
    ].join(" "),
    ...{ operation, flights, terms, offerIndex, quote: quote.body },
  });
}

/** Refuses a price that is above the limit, or cannot be compared with it. Its quote is to be shown, too. */
export function checkPrice(
  { trip, quote, operation }: ComparedQuote,
  price: Money | null,
  offerIndex: number,
  limit: Money,
  message?: string,
): void {
  const order = price && compareMoney(price, limit);
  if (order !== null && order <= 0) return;
  trip.shown = quote;
  throw new PriceAboveLimitError({
    total: order === null ? null : price,
    message: message ?? complaintOn(price, limit),
    ...{ operation, limit, offerIndex, quote: quote.body },
  });
}

function complaintOn(total: Money | null, limit: Money): string {
  const allowed = `the limit of ${moneyText(limit)}`;
  if (total === null)
    return `The price of the offer cannot be read, or is less than its parts, and so not compared with ${allowed}. Nothing was booked.`;
  const costs = `The offer costs ${moneyText(total)}`;
  if (total.currency === limit.currency)
    return `${costs}, above ${allowed}. Nothing was booked: show the new price and ask again.`;
  return `${costs}, which cannot be compared with ${allowed}: name a limit in ${total.currency}. Nothing was booked.`;
}

/**
 * Compares a reservation with the offer that was shown, and adds the next step (§3.4; docs/assumptions.md, F25). It
 * never throws: the booking exists.
 */
function describeBooking(
  { data: body, warnings }: WithResponse<Booking>,
  attempt: BookingAttempt,
  changes: BookingChanges,
  deadline: TicketDeadline | null,
): CheckoutBooking {
  const { pnr = "", pnrs = [], bookingId = "" } = findBookingReference(body) ?? {};
  const { clientReferenceId, fingerprint, isConfirmed = null, isAboveLimit = null } = attempt.row;
  const before = deadline === null ? "" : ` before ${deadline.text} (${deadline.zone})`;
  const confirm = isConfirmed === false ? "Ask the service operator whether every flight is confirmed. " : "";
  const several = "has other PNRs than `pnr`: each may have to be ticketed and cancelled separately";
  const unrecognized =
    "has no fingerprint, because flights, times or names could not be read: the same journey, booked again after another search, is not noticed";
  return {
    ...{ body, pnr, pnrs, bookingId, clientReferenceId, changes, isConfirmed, isAboveLimit },
    nextStep: {
      action: "issueTicket",
      message:
        `${confirm}This is a reservation, not a ticket. Have the ticket issued${before}. ${changes.summary}`.trim(),
    },
    deadline,
    warnings: [
      ...warnings,
      ...(pnrs.some((one) => one !== pnr) ? [{ path: ["pnrs"], message: several, code: "several_pnrs" }] : []),
      ...(fingerprint === "" ? [{ path: ["journal"], message: unrecognized, code: "custom" }] : []),
      ...attempt.warnings,
    ],
  };
}
