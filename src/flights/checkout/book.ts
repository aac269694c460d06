import { internalsOf } from "../../client.ts";
import { OfferUnavailableError } from "../../errors/api.ts";
import { ServiceApiError, type ValidationIssue } from "../../errors/base.ts";
import { formatPath, listIssues } from "../../errors/issues.ts";
import { ConfigurationError, refusedRequest } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { stringOf, trimmedScalar } from "../../shared/json.ts";
import { createReference } from "../../shared/ulid.ts";
import type { WithResponse } from "../../transport/call.ts";
import { newReference } from "../../transport/prepare.ts";
import { findBookingReference } from "../booking/reference.ts";
import { compareBooking, compareFlights, compareOffers } from "../changes/index.ts";
import { summarizeTerms } from "../changes/summary.ts";
import {
  BookingIncompleteError,
  OfferChangedError,
  PassengerValidationError,
  PriceAboveLimitError,
} from "../errors.ts";
import { fareQuote } from "../operations.ts";
import { type PassengerIssue, validatePassengers } from "../passengers/index.ts";
import { compareMoney, type Money, priceOf, subtractMoney, sumMoney } from "../quote/money.ts";
import { normalizeSegments } from "../quote/normalize.ts";
import { ticketDeadline } from "../quote/times.ts";
import type { FareQuote, FareQuoteResult, Passenger } from "../types/index.ts";
import { fingerprintOf, warnUnrecognized } from "./fingerprint.ts";
import { abortedBeforeSending, BookingSteps, follow, type PlannedRow, type Trip } from "./lifecycle.ts";
import type {
  CheckoutBookAllRequest,
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutValidateOptions,
  ShownQuote,
} from "./options.ts";
import { peopleSent, readBookAllRequest, readBookOptions, readBookRequest, readLimit } from "./options.ts";

/** Requests a quote, to which the trip refers from then on. */
export async function quote(trip: Trip, options?: RequestOptions): Promise<FareQuote> {
  trip.startedAt ??= trip.now();
  const body = refuseEmpty(await trip.client.send(fareQuote, trip.params, options).withResponse());
  trip.shown = { body, at: trip.now() };
  return body;
}

/** Returns the quote that the user was shown. */
export function shownQuote({ shown }: Trip): ShownQuote {
  if (shown !== null) return shown;
  throw new ConfigurationError("Call quote() first: this step refers to the quote that the user was shown.");
}

const refuse = (part: string, code: string, message: string) =>
  refusedRequest("trip.book", part, code, message, "flights.book");

/** Returns one offer of a quote. Its index may be left out if there is only one. */
export function pickOffer(
  quote: FareQuote,
  index: number | undefined,
): { readonly offer: FareQuoteResult; readonly index: number } {
  const { result } = quote.data;
  if (index === undefined && result.length > 1) {
    const range = `0 to ${result.length - 1}`;
    throw refuse(
      "offerIndex",
      "missing",
      `must choose one of ${result.length} results (${range}), or bookAll() books them.`,
    );
  }
  const offer = result[index ?? 0];
  if (offer === undefined) {
    throw refuse("offerIndex", "out_of_range", `must be an integer between 0 and ${result.length - 1}.`);
  }
  return { offer, index: index ?? 0 };
}

/** Checks passengers against the quote that was shown. */
export function validate(
  trip: Trip,
  passengers: readonly unknown[],
  { offerIndex, ...checks }: CheckoutValidateOptions,
): PassengerIssue[] {
  const { body } = shownQuote(trip);
  return validatePassengers(pickOffer(body, offerIndex).offer, passengers, {
    ...trip.options.limits,
    ...checks,
    trip: body.data.result,
    now: trip.now(),
    deadlineZone: trip.options.deadlineZone,
  });
}

/** Runs one booking of a trip, from the checks to what was booked. */
export async function book(
  trip: Trip,
  request: CheckoutBookRequest,
  options: RequestOptions,
): Promise<CheckoutBooking> {
  const asked = readBookRequest(request);
  const call = readBookOptions(options);
  const { passengers, agreedQuote, acceptIssues, allowDuplicate = false, clientReferenceId } = asked;
  const shown = shownQuote(trip);
  const { offer, index } = pickOffer(shown.body, asked.offerIndex);
  const maxTotal = readLimit(asked.maxTotal);
  // Without an explicit limit a booking is made on the quote that was shown, whatever its age.
  const { requoteIfOlderThan: maxAge = maxTotal === undefined ? Number.POSITIVE_INFINITY : 0 } = asked;
  const checks = { offerIndex: index, acceptIssues, extraBody: call.extraBody };
  refuseIssues(validate(trip, passengers, checks));
  if (call.signal?.aborted) throw abortedBeforeSending(call.signal, clientReferenceId);
  const people = peopleSent(passengers, call.extraBody);
  const row = await plan(trip, { offer, index }, people, asked);
  /** Returns the offer to book: that of a fresh quote, if the one that was shown is too old. */
  const agreeOn = async (): Promise<FareQuoteResult> => {
    if (agreedQuote !== undefined) checkFresh(pickOffer(agreedQuote, index).offer, shown.body, index, maxTotal);
    const age = trip.now() - shown.at;
    // A negative age means that the clocks of two machines differ: the age of the quote is not known.
    if (maxAge === Number.POSITIVE_INFINITY || (age >= 0 && age < maxAge)) {
      if (maxTotal !== undefined) checkPrice(offer, shown.body, index, maxTotal);
      return offer;
    }
    const fresh = await freshQuote(trip, call.signal);
    checkFresh(offer, fresh, index, maxTotal);
    // A fresh quote may want other details of the passengers.
    refuseIssues(validate(trip, passengers, checks));
    return pickOffer(fresh, index).offer;
  };
  const agree = async () => {
    const { token } = await agreeOn();
    return { trace_id: row.traceId, token, passengers, client_referenceId: row.clientReferenceId };
  };
  const steps = new BookingSteps(row, { trip, allowDuplicate, call, agree });
  await follow(steps);
  return describeBooking(steps, offer, people, trip.options.deadlineZone);
}

/** Plans the row of a booking. */
async function plan(
  trip: Trip,
  { offer, index }: ReturnType<typeof pickOffer>,
  people: unknown,
  { allowDuplicate = false, clientReferenceId }: Pick<CheckoutBookRequest, "allowDuplicate" | "clientReferenceId">,
): Promise<PlannedRow> {
  return {
    attemptId: createReference(),
    clientReferenceId: clientReferenceId ?? newReference(internalsOf(trip.client).options),
    traceId: trip.params.trace_id,
    searchToken: trip.params.token,
    token: offer.token,
    result: index,
    fingerprint: await fingerprintOf(offer, people),
    ...(allowDuplicate && { forced: true }),
  };
}

/**
 * Books all offers that the user agreed to, in their order. Before the first is sent, the journal is asked for each, and a
 * fresh quote and the passengers are checked. The limit of each is what `maxTotal` leaves if the others cost as shown.
 */
export async function bookAll(
  trip: Trip,
  request: CheckoutBookAllRequest,
  options: RequestOptions,
): Promise<readonly CheckoutBooking[]> {
  const { maxTotal, clientReferenceIds, ...asked } = readBookAllRequest(request);
  const call = readBookOptions(options);
  const { extraBody, signal } = call;
  const limit = readLimit(maxTotal);
  const { agreedQuote = shownQuote(trip).body, acceptIssues, requoteIfOlderThan } = asked;
  const offers = agreedQuote.data.result;
  if (clientReferenceIds !== undefined && clientReferenceIds.length !== offers.length) {
    throw new ConfigurationError(
      `trip.bookAll: \`clientReferenceIds\` must have one for each offer: ${offers.length}.`,
    );
  }
  const { allowDuplicate = false } = asked;
  const references = clientReferenceIds ?? offers.map(() => newReference(internalsOf(trip.client).options));
  const people = peopleSent(asked.passengers, extraBody);
  for (const [index, offer] of offers.entries()) {
    const row = await plan(trip, { offer, index }, people, { allowDuplicate, clientReferenceId: references[index] });
    const agree = () => Promise.reject(new Error("It is only compared."));
    await new BookingSteps(row, { trip, allowDuplicate, call, agree }).comparing();
  }
  const current =
    requoteIfOlderThan === Number.POSITIVE_INFINITY ? shownQuote(trip).body : await freshQuote(trip, signal);
  for (const [offerIndex, offer] of offers.entries()) {
    checkFresh(offer, current, offerIndex, limit);
    refuseIssues(validate(trip, asked.passengers, { offerIndex, acceptIssues, extraBody }));
  }
  if (limit !== undefined) checkSum(current, limit);
  const bookings: CheckoutBooking[] = [];
  let left = limit;
  for (const offerIndex of offers.keys()) {
    const own =
      left &&
      current.data.result
        .slice(offerIndex + 1)
        .map(priceOf)
        .reduce(withoutPrice, left);
    const one = { ...asked, agreedQuote, offerIndex, clientReferenceId: references[offerIndex] };
    try {
      bookings.push(await book(trip, own === undefined ? one : { ...one, maxTotal: own }, options));
      // The quote on which it was booked.
      const agreed = shownQuote(trip).body.data.result[offerIndex];
      left = left && withoutPrice(left, agreed && priceOf(agreed));
    } catch (error) {
      throw bookings.length === 0 ? error : incomplete(error, bookings, offerIndex, offers.length);
    }
  }
  return bookings;
}

/** Returns what is left of a limit: nothing, if the price is not known. */
function withoutPrice(limit: Money, price: Money | null | undefined): Money {
  return (price && subtractMoney(limit, price)) ?? { ...limit, amount: "0" };
}

/** Returns the price of all offers of a quote; null if one cannot be read, or they differ in their currency. */
export function totalOf({ data }: FareQuote): Money | null {
  const prices = data.result.map(priceOf);
  return prices.includes(null) ? null : sumMoney(prices.filter((price) => price !== null));
}

/** Refuses offers that together cost more than they may. */
function checkSum(quote: FareQuote, limit: Money): void {
  const total = totalOf(quote);
  const order = total && compareMoney(total, limit);
  if (order !== null && order <= 0) return;
  throw new PriceAboveLimitError({
    message: `${complaintOn(total, limit)} Nothing was booked.`,
    operation: "flights.fareQuote",
    total: order === null ? null : total,
    limit,
    offerIndex: 0,
    quote,
  });
}

function incomplete(
  error: unknown,
  bookings: readonly CheckoutBooking[],
  offerIndex: number,
  count: number,
): BookingIncompleteError {
  const known = ServiceApiError.isInstance(error) ? error : undefined;
  const { outcome = "unknown", clientReferenceId, requestId, message = "" } = known ?? {};
  const made = bookings.map(({ pnr, bookingId }) => pnr || bookingId).join(", ");
  return new BookingIncompleteError({
    message: `${bookings.length} of ${count} offers ${bookings.length === 1 ? "is" : "are"} booked (${made}), and ${bookings.length === 1 ? "stands" : "stand"}. That with \`offerIndex\` ${offerIndex} ${outcome === "unknown" ? "may be, too" : "is not"}: ${message}`,
    operation: "flights.book",
    ...{ clientReferenceId, requestId, outcome, bookings, offerIndex, cause: error },
  });
}

/** The outcome of a quote that was aborted is unknown, that of the booking is not. */
async function freshQuote(trip: Trip, signal: AbortSignal | undefined): Promise<FareQuote> {
  return quote(trip, { signal }).catch((error: unknown) => {
    throw signal?.aborted ? abortedBeforeSending(signal) : error;
  });
}

/** Refuses a response without offers (docs/assumptions.md, A4). */
function refuseEmpty({ data, response, attempts, clientReferenceId }: WithResponse<FareQuote>): FareQuote {
  if (data.data.result.length > 0) return data;
  throw new OfferUnavailableError("offer_unavailable", {
    message: "The quote has no offers: nothing is left of this flight. Search again.",
    operation: "flights.fareQuote",
    clientReferenceId,
    attempts,
    httpStatus: response.status,
    statusCode: trimmedScalar(data.status_code) || undefined,
    serviceMessage: stringOf(data.message) || undefined,
    body: data,
    headers: response.headers,
  });
}

function refuseIssues(found: readonly PassengerIssue[]): void {
  const issues = found.filter((issue) => issue.severity === "error");
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

/** Refuses a fresh offer that is not what was shown, or costs more than it may: `maxTotal`, or else what was shown. */
export function checkFresh(
  shown: FareQuoteResult,
  fresh: FareQuote,
  result: number,
  maxTotal: Money | undefined,
): void {
  const offer = fresh.data.result[result];
  const before = normalizeSegments(shown.segments);
  const after = normalizeSegments(offer?.segments);
  const flights = offer === undefined ? [] : compareFlights(before, after);
  const terms = offer === undefined ? [] : compareOffers(shown, offer);
  if (offer === undefined || flights.length > 0 || terms.length > 0) {
    const what = flights.length > 0 || terms.length === 0 ? ["It has other flights or times."] : [];
    throw new OfferChangedError({
      message: [
        "A fresh quote differs from the one that was shown.",
        ...what,
        ...summarizeTerms(terms, before).slice(0, 3),
        "Nothing was booked: show the new quote and ask again.",
      ].join(" "),
      operation: "flights.fareQuote",
      flights,
      terms,
      offerIndex: result,
      quote: fresh,
    });
  }
  const limit = maxTotal ?? priceOf(shown);
  if (limit === null) {
    throw refuse("maxTotal", "missing", "must be the maximum price: that of the quote cannot be read.");
  }
  checkPrice(offer, fresh, result, limit);
}

/** Refuses an offer that costs more than it may, or whose price cannot be compared. */
export function checkPrice(offer: FareQuoteResult, quote: FareQuote, result: number, limit: Money): void {
  const total = priceOf(offer);
  const order = total === null ? null : compareMoney(total, limit);
  if (order !== null && order <= 0) return;
  throw new PriceAboveLimitError({
    message: `${complaintOn(total, limit)} Nothing was booked${order === null ? "." : ": show the new price and ask again."}`,
    operation: "flights.fareQuote",
    total: order === null ? null : total,
    limit,
    offerIndex: result,
    quote,
  });
}

function complaintOn(total: Money | null, limit: Money): string {
  const allowed = `the limit of ${limit.currency} ${limit.amount}`;
  if (total === null) return `The price of the offer cannot be read, and so not compared with ${allowed}.`;
  const costs = `The offer costs ${total.currency} ${total.amount}`;
  if (total.currency === limit.currency) return `${costs}, above ${allowed}.`;
  return `${costs}, which cannot be compared with ${allowed}: name a limit in ${total.currency}.`;
}

/**
 * Compares a reservation with the offer that was shown, and adds the next step (§3.4; docs/assumptions.md, F25). It
 * never throws: the booking exists.
 */
function describeBooking(
  { response, row, warning }: BookingSteps,
  shown: FareQuoteResult,
  people: unknown,
  deadlineZone: string | undefined,
): CheckoutBooking {
  const { data: body, warnings } = response as NonNullable<BookingSteps["response"]>;
  const { pnr = "", pnrs = [], bookingId = "", booking } = findBookingReference(body) ?? {};
  const { clientReferenceId, fingerprint } = row;
  const deadline = ticketDeadline(booking ?? {}, deadlineZone);
  const before = deadline === null ? "" : ` before ${deadline.text} (${deadline.zone})`;
  // An `extraBody` may have made them anything: they are compared as far as they can be read.
  const changes = compareBooking(shown, booking, people as readonly Passenger[]);
  const unrecorded = { path: ["journal", clientReferenceId], code: "custom" };
  return {
    ...{ body, pnr, pnrs, bookingId, clientReferenceId, changes },
    nextStep: {
      action: "issueTicket",
      message: `This is a reservation, not a ticket. Have the ticket issued${before}. ${changes.summary}`.trim(),
    },
    deadline,
    warnings: [
      ...warnings,
      ...warnNames(pnr, pnrs),
      ...warnUnrecognized(fingerprint),
      ...(warning === undefined ? [] : [{ ...unrecorded, message: warning }]),
    ],
  };
}

/** Returns a warning for names that do not identify the booking. */
function warnNames(pnr: string, pnrs: readonly string[]): readonly ValidationIssue[] {
  const message = "has other PNRs than `pnr`: each may have to be ticketed and cancelled separately";
  return pnrs.some((one) => one !== pnr) ? [{ path: ["pnrs"], message, code: "several_pnrs" }] : [];
}
