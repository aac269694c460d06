import { transportOf } from "../../client.ts";
import { OfferUnavailableError } from "../../errors/api.ts";
import { ServiceApiError } from "../../errors/base.ts";
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
import {
  adviceFor,
  BookingIncompleteError,
  OfferChangedError,
  PassengerValidationError,
  PriceAboveLimitError,
} from "../errors.ts";
import { conflictsWith, type JournalRow } from "../journal/journal.ts";
import { fareQuote } from "../operations.ts";
import { peopleSent } from "../passengers/context.ts";
import { type PassengerIssue, validateOffers } from "../passengers/index.ts";
import { compareMoney, type Money, moneyText, priceOf, subtractMoney, sumMoney } from "../quote/money.ts";
import { isConfirmed, normalizeSegments } from "../quote/normalize.ts";
import { ticketDeadline } from "../quote/times.ts";
import type { Booking, FareQuote, FareQuoteResult, Passenger } from "../types/index.ts";
import { abortedBeforeSending, BookingAttempt, type Trip } from "./attempt.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type {
  CheckoutBookAllRequest,
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutValidateOptions,
  ShownQuote,
} from "./options.ts";

/** Requests a quote, to which the trip refers from then on. One without offers is refused (docs/assumptions.md, A4). */
export async function quote(trip: Trip, options?: RequestOptions): Promise<FareQuote> {
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
  trip.shown = { body, at: trip.now() };
  trip.quoteOptions = options;
  return body;
}

export function shownQuote({ shown }: Trip): ShownQuote {
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

/** Checks passengers against one offer of the quote that was shown, or against all: what several refuse is one issue. */
export function validate(
  trip: Trip,
  passengers: readonly unknown[],
  { offerIndex, ...checks }: CheckoutValidateOptions,
): PassengerIssue[] {
  const { body } = shownQuote(trip);
  const offers = offerIndex === undefined ? body.data.result : [pickOffer(body, offerIndex, "trip.validate").offer];
  const limits = { ...trip.options.limits, ...checks, now: trip.now(), deadlineZone: trip.options.deadlineZone };
  const found = validateOffers(offers, passengers, { ...limits, trip: body.data.result });
  return [...new Map(found.map((issue) => [JSON.stringify([issue.code, issue.path, issue.message]), issue])).values()];
}

/** Books one offer for at most `limit`, and returns its price: as agreed, or as booked if higher; null if unknown. */
export async function book(
  trip: Trip,
  asked: CheckoutBookRequest,
  options: RequestOptions,
  limit = asked.maxTotal,
): Promise<{ readonly booking: CheckoutBooking; readonly price: Money | null }> {
  const { passengers, agreedQuote, acceptIssues } = asked;
  const shown = shownQuote(trip);
  const { offer, index } = pickOffer(shown.body, asked.offerIndex);
  const agreed = agreedQuote && pickOffer(agreedQuote, index).offer;
  let price = priceOf(offer);
  // Without an explicit limit a booking is made on the quote that was shown, whatever its age.
  const { requoteIfOlderThan: maxAge = asked.maxTotal === undefined ? Number.POSITIVE_INFINITY : 0 } = asked;
  const checks = { offerIndex: index, acceptIssues, extraBody: options.extraBody };
  checkPassengers(trip, passengers, checks);
  if (options.signal?.aborted) throw abortedBeforeSending(options.signal, asked.clientReferenceId);
  const attempt = await planAttempt(trip, offer, index, asked, options);
  // An `extraBody` may have made the passengers anything: they are compared as far as they can be read.
  const people = peopleSent(passengers, options.extraBody) as readonly Passenger[];
  let changes: BookingChanges | undefined;
  const compare = (body: Booking) => {
    changes ??= compareBooking(offer, findBookingReference(body)?.booking, people);
    return changes;
  };
  const response = await attempt.run(
    async () => {
      const { traceId: trace_id, clientReferenceId: client_referenceId } = attempt.row;
      const sent = { trace_id, passengers, client_referenceId };
      if (agreed !== undefined) checkQuote(agreed, shown.body, index, limit, "flights.book");
      const age = trip.now() - shown.at;
      // A negative age means that the clocks of two machines differ: the age of the quote is not known.
      if (maxAge === Number.POSITIVE_INFINITY || (age >= 0 && age < maxAge)) {
        if (limit !== undefined) checkPrice(price, shown.body, index, limit, "flights.book");
        return { ...sent, token: offer.token };
      }
      const fresh = await freshQuote(trip, options.signal);
      checkQuote(offer, fresh, index, limit);
      if (agreed !== undefined) checkQuote(agreed, fresh, index, limit); // the quote in between may lack a term
      // A fresh quote may want other details of the passengers.
      checkPassengers(trip, passengers, checks);
      const { offer: current } = pickOffer(fresh, index);
      price = priceOf(current);
      return { ...sent, token: current.token };
    },
    (body) => priceBooked(compare(body), body, price),
  );
  const made = describeBooking(response, attempt, compare(response.data), trip.options.deadlineZone);
  const booked = statedPrice(made.changes);
  const allowed = limit ?? priceOf(agreed ?? offer);
  const order = booked && allowed && compareMoney(booked, allowed);
  const booking = { ...made, isAboveLimit: order === null ? null : order > 0 };
  return { booking, price: priceBooked(made.changes, made.body, price) };
}

function statedPrice({ price: { quoted, difference } }: BookingChanges): Money | null {
  return quoted && difference && sumMoney([quoted, difference]);
}

/** Returns the price of a booking: as agreed, or as booked if higher; null if it is another, of which nobody knows how much. */
function priceBooked(changes: BookingChanges, body: Booking, agreed: Money | null): Money | null {
  const total = field(field(findBookingReference(body)?.booking, "fare"), "total_fare") ?? "";
  if (changes.price.difference === null && (changes.price.flagged || total !== "")) return null;
  const booked = statedPrice(changes);
  return agreed && booked && (compareMoney(booked, agreed) ?? 0) > 0 ? booked : agreed;
}

async function planAttempt(
  trip: Trip,
  offer: FareQuoteResult,
  index: number,
  asked: Pick<CheckoutBookRequest, "passengers" | "allowDuplicate" | "clientReferenceId">,
  options: RequestOptions,
): Promise<BookingAttempt> {
  const { allowDuplicate = false, clientReferenceId = newReference(transportOf(trip.client).options) } = asked;
  const row = {
    attemptId: createReference(),
    clientReferenceId,
    traceId: trip.params.trace_id,
    searchToken: trip.params.token,
    token: offer.token,
    result: index,
    fingerprint: await fingerprintOf(offer, peopleSent(asked.passengers, options.extraBody)),
    ...(allowDuplicate && { forced: true }),
  };
  return new BookingAttempt(trip, row, options);
}

/**
 * Books all offers that the user agreed to, in their order. Before the first is sent, the journal is asked for each, and a
 * fresh quote and the passengers are checked. The limit of each is what `maxTotal`, or else the price that was agreed to,
 * leaves if the others cost as in that quote. What was booked for more than it was quoted leaves less for the rest.
 */
export async function bookAll(
  trip: Trip,
  { clientReferenceIds, keepBooked, ...asked }: CheckoutBookAllRequest,
  options: RequestOptions,
): Promise<readonly CheckoutBooking[]> {
  const { agreedQuote = shownQuote(trip).body, passengers, acceptIssues, maxTotal, requoteIfOlderThan } = asked;
  const offers = agreedQuote.data.result;
  if ((keepBooked || clientReferenceIds !== undefined) && clientReferenceIds?.length !== offers.length) {
    throw new ConfigurationError(
      `trip.bookAll: \`clientReferenceIds\` must have one for each offer: ${offers.length}.`,
    );
  }
  const references = [...(clientReferenceIds ?? offers.map(() => newReference(transportOf(trip.client).options)))];
  const rows: JournalRow[] = [];
  const kept: JournalRow[] = [];
  const open: [offerIndex: number, offer: FareQuoteResult][] = [];
  let earlier: readonly JournalRow[] | undefined;
  const plan = (offer: FareQuoteResult, index: number) =>
    planAttempt(trip, offer, index, { ...asked, clientReferenceId: references[index] }, options);
  for (const [index, offer] of offers.entries()) {
    const attempt = await plan(offer, index);
    const conflicts = rows.map((row) => conflictsWith(row, attempt.row, { force: asked.allowDuplicate === true }));
    const same = conflicts.find((conflict) => conflict !== undefined);
    if (same !== undefined) {
      const must = `must differ for each offer: that with index ${index} has the ${same} of an offer before it.`;
      const part = same === "reference" ? "clientReferenceIds" : "agreedQuote";
      throw refusedRequest("trip.bookAll", part, "repeated", must, "flights.book");
    }
    rows.push(attempt.row);
    earlier ??= keepBooked ? await attempt.findBooked(references) : [];
    const made = earlier.find((row) => row.fingerprint !== "" && row.fingerprint === attempt.row.fingerprint);
    if (made === undefined) open.push([index, offer]);
    else kept.push(made);
  }
  for (const row of kept) trip.attempts.set(row.attemptId, row);
  // The offers may have another order than when their references were used.
  const free = references.filter((reference) => !kept.some((row) => row.clientReferenceId === reference));
  for (const [i, [index]] of open.entries()) references[index] = free[i] ?? "";
  for (const [index, offer] of open) await (await plan(offer, index)).refuseConflicts();
  const bookings: CheckoutBooking[] = [];
  const standing: Standing[] = kept.map(({ pnr = "", bookingId = "" }) => ({ pnr, bookingId }));
  let left = maxTotal ?? totalOf(offers);
  for (const { price = null } of kept) left = left && withoutPrice(left, price);
  let [at = 0] = open[0] ?? [];
  try {
    const isFresh = requoteIfOlderThan !== Number.POSITIVE_INFINITY && open.length > 0;
    const current = isFresh ? await freshQuote(trip, options.signal) : shownQuote(trip).body;
    const operation = isFresh ? "flights.fareQuote" : "flights.book";
    for (const [offerIndex, offer] of open) {
      at = offerIndex;
      checkQuote(offer, current, offerIndex, maxTotal, operation);
      checkPassengers(trip, passengers, { offerIndex, acceptIssues, extraBody: options.extraBody });
    }
    for (const [i, [offerIndex, offer]] of open.entries()) {
      at = offerIndex;
      const priced = open.slice(i).flatMap(([index]) => current.data.result[index] ?? []);
      const limit = left && lower(priced.slice(1).map(priceOf).reduce(withoutPrice, left), maxTotal ?? priceOf(offer));
      const one = { ...asked, agreedQuote, offerIndex, clientReferenceId: references[offerIndex] };
      const rest = totalOf(priced);
      const whole = maxTotal === undefined ? "the price that was agreed to" : "`maxTotal`";
      const complaint = `The offers from this one on cost ${moneyText(rest, "an amount that cannot be read")}, and ${moneyText(left)} is left of ${whole}. If the traveller agrees, book each with trip.book() and its \`offerIndex\`.`;
      if (left !== null)
        checkPrice(rest, current, offerIndex, left, operation, standing.length > 0 ? complaint : undefined);
      const { booking, price } = await book(trip, one, options, limit ?? undefined);
      const isRepeated = standing.some((made) => made.pnr === booking.pnr && made.bookingId === booking.bookingId);
      bookings.push(isRepeated ? { ...booking, warnings: [...booking.warnings, repeated] } : booking);
      standing.push(booking);
      left = left && withoutPrice(left, price);
    }
  } catch (error) {
    throw standing.length === 0 ? error : incomplete(error, bookings, standing, at, references, left);
  }
  return bookings;
}

/** A booking of the trip that stands: made now, or kept. */
type Standing = Pick<CheckoutBooking, "pnr" | "bookingId"> & Partial<Pick<CheckoutBooking, "changes">>;

const repeated = {
  path: ["pnr"],
  message: "is that of an offer before it, as is its booking ID: look up whether both are booked",
  code: "repeated_booking",
};

/** Returns what is left of a limit: nothing, if the price is not known. */
function withoutPrice(limit: Money, price: Money | null): Money {
  return (price && subtractMoney(limit, price)) ?? { ...limit, amount: "0" };
}

function lower(one: Money, other: Money | null): Money {
  return other !== null && (compareMoney(other, one) ?? 0) < 0 ? other : one;
}

/** Returns the price of offers of a quote; null if one cannot be read, or they differ in their currency. */
export function totalOf(offers: readonly FareQuoteResult[]): Money | null {
  const prices = offers.map(priceOf);
  return prices.includes(null) ? null : sumMoney(prices.filter((price) => price !== null));
}

function incomplete(
  cause: unknown,
  bookings: readonly CheckoutBooking[],
  standing: readonly Standing[],
  offerIndex: number,
  references: readonly string[],
  left: Money | null,
): BookingIncompleteError {
  const known = ServiceApiError.isInstance(cause) ? cause : undefined;
  const { requestId, message = "" } = known ?? {};
  // Another call, such as that of a fresh quote, booked nothing, whatever its own outcome is.
  const outcome = known && known.operation !== "flights.book" ? "notSent" : (known?.outcome ?? "unknown");
  const made = standing.map(({ pnr, bookingId, changes }) => {
    const isDearer = Number(changes?.price.difference?.amount ?? 0) > 0;
    return `${pnr || bookingId}${isDearer ? ", for more than was quoted" : ""}`;
  });
  const rest =
    left !== null && adviceFor(cause)?.next === "retry"
      ? ` Of the limit, ${moneyText(left)} is left: book the rest with trip.book() and that as \`maxTotal\`, or with bookAll(), \`keepBooked\` and the whole limit.`
      : "";
  const [are, stand] = standing.length === 1 ? ["is", "stands"] : ["are", "stand"];
  return new BookingIncompleteError({
    message: `${standing.length} of ${references.length} offers ${are} booked (${made.join("; ")}), and ${stand}. That with \`offerIndex\` ${offerIndex} ${outcome === "unknown" ? "may be, too" : "was not booked now"}: ${message}${rest}`,
    operation: "flights.book",
    clientReferenceId: references[offerIndex],
    ...{ requestId, outcome, bookings, offerIndex, left, cause },
  });
}

/** The outcome of a quote that was aborted is unknown, that of the booking is not. */
async function freshQuote(trip: Trip, signal: AbortSignal | undefined): Promise<FareQuote> {
  return quote(trip, { ...trip.quoteOptions, signal }).catch((error: unknown) => {
    throw signal?.aborted ? abortedBeforeSending(signal) : error;
  });
}

function checkPassengers(trip: Trip, passengers: readonly Passenger[], checks: CheckoutValidateOptions): void {
  const issues = validate(trip, passengers, checks).filter((issue) => issue.severity === "error");
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

/** The last request before a booking was refused: a fresh quote, or none. */
type Refused = "flights.fareQuote" | "flights.book";

const whatDiffers: Readonly<Record<Refused, string>> = {
  "flights.fareQuote": "A fresh quote differs from the one that was shown.",
  "flights.book": "The quote of the trip differs from the one that was agreed to.",
};

/** Refuses an offer of a quote that is not what was agreed to, or costs more than it may: `maxTotal`, or else that. */
export function checkQuote(
  agreed: FareQuoteResult,
  quote: FareQuote,
  offerIndex: number,
  maxTotal: Money | undefined,
  operation: Refused = "flights.fareQuote",
): void {
  const offer = quote.data.result[offerIndex];
  const { flights, terms } = offer === undefined ? { flights: [], terms: [] } : compareOffers(agreed, offer);
  if (offer === undefined || flights.length > 0 || terms.length > 0) {
    throw new OfferChangedError({
      message: [
        whatDiffers[operation],
        ...(offer === undefined ? [`It has no offer with \`offerIndex\` ${offerIndex}.`] : []),
        ...(flights.length > 0 ? ["It has other flights or times."] : []),
        ...summarizeTerms(terms, normalizeSegments(agreed.segments)).slice(0, 3),
        "Nothing was booked: show the new quote and ask again.",
      ].join(" "),
      ...{ operation, flights, terms, offerIndex, quote },
    });
  }
  const limit = maxTotal ?? priceOf(agreed);
  if (limit === null) {
    const must = "must be the maximum price: that of the quote cannot be read.";
    throw refusedRequest("trip.book", "maxTotal", "missing", must, "flights.book");
  }
  checkPrice(priceOf(offer), quote, offerIndex, limit, operation);
}

/** Refuses a price that is above the limit, or cannot be compared with it. */
export function checkPrice(
  price: Money | null,
  quote: FareQuote,
  offerIndex: number,
  limit: Money,
  operation: Refused = "flights.fareQuote",
  message?: string,
): void {
  const order = price && compareMoney(price, limit);
  if (order !== null && order <= 0) return;
  throw new PriceAboveLimitError({
    total: order === null ? null : price,
    message: message ?? complaintOn(price, limit),
    ...{ operation, limit, offerIndex, quote },
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
  deadlineZone: string | undefined,
): Omit<CheckoutBooking, "isAboveLimit"> {
  const { pnr = "", pnrs = [], bookingId = "", booking } = findBookingReference(body) ?? {};
  const { clientReferenceId, fingerprint } = attempt.row;
  const deadline = ticketDeadline(booking ?? {}, deadlineZone);
  const before = deadline === null ? "" : ` before ${deadline.text} (${deadline.zone})`;
  const segments = normalizeSegments(field(booking, "segments"));
  const areConfirmed = segments.length === 0 ? null : segments.every(({ flight_status }) => isConfirmed(flight_status));
  const confirm = areConfirmed === false ? "Ask the service operator whether every flight is confirmed. " : "";
  const several = "has other PNRs than `pnr`: each may have to be ticketed and cancelled separately";
  const unrecognized =
    "has no fingerprint, because flights, times or names could not be read: the same journey, booked again after another search, is not noticed";
  return {
    ...{ body, pnr, pnrs, bookingId, clientReferenceId, changes },
    isConfirmed: areConfirmed,
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
