import { type Client, internalsOf } from "../../client.ts";
import type { Issue } from "../../errors/base.ts";
import { formatPath, listIssues } from "../../errors/issues.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { createReference } from "../../shared/ulid.ts";
import { newReference } from "../../transport/prepare.ts";
import { findBookingReference } from "../booking/reference.ts";
import { compareBooking, compareFlights } from "../changes/index.ts";
import { summarizeTerms } from "../changes/summary.ts";
import { compareOffers } from "../changes/terms.ts";
import { OfferChangedError, PassengerValidationError, PriceAboveLimitError } from "../errors.ts";
import type { BookingJournal, JournalRow } from "../journal/journal.ts";
import type { PassengerIssue } from "../passengers/index.ts";
import { compareMoney, type Money } from "../quote/money.ts";
import { normalizeSegments } from "../quote/normalize.ts";
import { priceOf } from "../quote/price.ts";
import { ticketDeadline } from "../quote/ticket-deadline.ts";
import type { BookParams, FareQuote, FareQuoteResult, Passenger } from "../types/index.ts";
import { fingerprintOf, warnUnrecognized } from "./fingerprint.ts";
import { abortedBeforeSending, BookingSteps, follow } from "./lifecycle.ts";
import { peopleSent, pickOffer, readLimit } from "./options.ts";
import type {
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutParams,
  CheckoutValidateOptions,
  ShownQuote,
} from "./types.ts";

export { reconcileTrip } from "../journal/reconcile.ts";

/** The trip that a booking is made for. */
export interface BookedTrip {
  readonly client: Client;
  readonly params: CheckoutParams;
  readonly deadlineZone: string | undefined;
  readonly now: () => number;
  readonly journal: BookingJournal;
  /** The rows that are saved with the trip, by `attemptId`. */
  readonly attempts: Map<string, JournalRow>;
  /** The quote that the user was shown. */
  readonly shown: ShownQuote;
  /** Requests a fresh quote, to which the trip refers from then on. */
  quote(options: RequestOptions): Promise<FareQuote>;
  validate(passengers: readonly unknown[], options: CheckoutValidateOptions): PassengerIssue[];
}

/** Runs one booking of a trip, from the checks to what was booked. The request and the options are copies. */
export async function book(
  trip: BookedTrip,
  request: CheckoutBookRequest,
  call: RequestOptions,
): Promise<CheckoutBooking> {
  const { client, params, shown } = trip;
  const { offer, index } = pickOffer(shown.body, request.offerIndex);
  const maxTotal = readLimit(request.maxTotal);
  const { agreedQuote, allowDuplicate = false, clientReferenceId } = request;
  if (agreedQuote !== undefined) checkFresh(pickOffer(agreedQuote, index).offer, shown.body, index, maxTotal);
  refuseIssues(trip, request, index, call);
  if (call.signal?.aborted) throw abortedBeforeSending(call.signal, clientReferenceId);

  const people = peopleSent(request.passengers, call.extraBody);
  const row = {
    attemptId: createReference(),
    clientReferenceId: clientReferenceId ?? newReference(internalsOf(client).options),
    traceId: params.trace_id,
    searchToken: params.token,
    token: offer.token,
    result: index,
    fingerprint: await fingerprintOf(offer, people),
    ...(allowDuplicate && { forced: true }),
  };
  const steps = new BookingSteps(row, {
    ...{ client, call, allowDuplicate, now: trip.now, journal: trip.journal, attempts: trip.attempts },
    quote: async (): Promise<BookParams> => ({
      trace_id: params.trace_id,
      token: (await agreeOn(trip, request, call, { offer, index, maxTotal })).token,
      passengers: request.passengers,
      client_referenceId: row.clientReferenceId,
    }),
  });
  await follow(steps);
  return describeBooking(steps, offer, people, trip.deadlineZone);
}

/** The offer that is booked, and the limit for its price. */
interface Chosen {
  readonly offer: FareQuoteResult;
  readonly index: number;
  readonly maxTotal: Money | undefined;
}

/** Returns the offer to book: that of a fresh quote, if the one that was shown is too old. */
async function agreeOn(
  trip: BookedTrip,
  request: CheckoutBookRequest,
  call: RequestOptions,
  { offer, index, maxTotal }: Chosen,
): Promise<FareQuoteResult> {
  const { signal } = call;
  // Without an explicit limit a booking is made on the quote that was shown, whatever its age.
  const { requoteIfOlderThan: maxAge = maxTotal === undefined ? Number.POSITIVE_INFINITY : 0 } = request;
  const age = trip.now() - trip.shown.at;
  // A negative age means that the clocks of two machines differ: the age of the quote is not known.
  if (maxAge === Number.POSITIVE_INFINITY || (age >= 0 && age < maxAge)) {
    if (maxTotal !== undefined) checkPrice(offer, trip.shown.body, index, maxTotal);
    return offer;
  }
  const quote = await trip.quote({ signal }).catch((error: unknown) => {
    // The outcome of the quote is unknown, that of the booking is not.
    throw signal?.aborted ? abortedBeforeSending(signal) : error;
  });
  checkFresh(offer, quote, index, maxTotal);
  // A fresh quote may want other details of the passengers.
  refuseIssues(trip, request, index, call);
  return pickOffer(quote, index).offer;
}

function refuseIssues(
  trip: BookedTrip,
  { passengers, acceptIssues }: CheckoutBookRequest,
  offerIndex: number,
  { extraBody }: RequestOptions,
): void {
  const issues = trip
    .validate(passengers, { offerIndex, acceptIssues, extraBody })
    .filter((issue) => issue.severity === "error");
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
    throw new ConfigurationError(
      "The price of the quote that was shown cannot be read: set `maxTotal` to the maximum price.",
    );
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
function warnNames(pnr: string, pnrs: readonly string[]): readonly Issue[] {
  const message = "has other PNRs than `pnr`: each may have to be ticketed and cancelled separately";
  return pnrs.some((one) => one !== pnr) ? [{ path: ["pnrs"], message, code: "several_pnrs" }] : [];
}
