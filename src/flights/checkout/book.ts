import { type Client, internalsOf } from "../../client.ts";
import { formatPath, listIssues } from "../../errors/issues.ts";
import type { RequestOptions } from "../../options.ts";
import { createReference } from "../../shared/ulid.ts";
import { newReference } from "../../transport/prepare.ts";
import { PassengerValidationError } from "../errors.ts";
import { fingerprintOf } from "../journal/fingerprint.ts";
import type { BookingJournal, JournalRow } from "../journal/journal.ts";
import type { PassengerIssue } from "../passengers/index.ts";
import type { Money } from "../quote/money.ts";
import type { FareQuote, FareQuoteResult } from "../types/index.ts";
import { abortedBeforeSending, BookingAttempt } from "./booking-attempt.ts";
import { bookingDeadlines, peopleSent, readBookOptions, readBookRequest } from "./options.ts";
import { checkFresh, checkPrice, pickResult, readLimit } from "./requote.ts";
import { describeBooking, sendBooking } from "./send.ts";
import type {
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutOptions,
  CheckoutParams,
  CheckoutValidateOptions,
  ShownQuote,
} from "./types.ts";

/** The trip that a booking is made for. */
export interface BookedTrip {
  readonly client: Client;
  readonly params: CheckoutParams;
  readonly options: CheckoutOptions;
  readonly now: () => number;
  readonly journal: BookingJournal;
  /** The rows that are saved with the trip, by `attemptId`. */
  readonly attempts: Map<string, JournalRow>;
  /** Returns the quote that the user was shown. */
  quoted(): ShownQuote;
  /** Requests a fresh quote, to which the trip refers from then on. */
  quote(options: RequestOptions): Promise<FareQuote>;
  validate(passengers: readonly unknown[], options: CheckoutValidateOptions): PassengerIssue[];
}

/** Runs one booking of a trip, from the checks to what was booked. */
export async function book(
  trip: BookedTrip,
  request: CheckoutBookRequest,
  options: RequestOptions,
): Promise<CheckoutBooking> {
  const asked = readBookRequest(request);
  const call = readBookOptions(options);
  const shown = trip.quoted();
  const { offer, index } = pickResult(shown.body, asked.offerIndex);
  const maxTotal = readLimit(asked.maxTotal);
  if (asked.agreedQuote !== undefined)
    checkFresh(pickResult(asked.agreedQuote, index).offer, shown.body, index, maxTotal);
  refuseIssues(trip, asked, index, call);
  if (call.signal?.aborted) throw abortedBeforeSending(call.signal, asked.clientReferenceId);

  const attempt = await makeAttempt(trip, asked, index, offer, call);
  await attempt.refuseConflicts();
  const needsFreshQuote = isTooOld(trip.now() - shown.at, asked.requoteIfOlderThan ?? defaultMaxAge(maxTotal));
  const current = needsFreshQuote ? await freshOffer(trip, offer, index, maxTotal, call) : offer;
  // A fresh quote may want other details of the passengers.
  if (needsFreshQuote) refuseIssues(trip, asked, index, call);
  else if (maxTotal !== undefined) checkPrice(offer, shown.body, index, maxTotal);
  const params = {
    trace_id: trip.params.trace_id,
    token: current.token,
    passengers: asked.passengers,
    client_referenceId: attempt.clientReferenceId,
  };
  const booked = await sendBooking(trip.client, attempt, params, call);
  return describeBooking(booked, offer, trip.options.deadlineZone);
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

async function makeAttempt(
  { client, params, now, journal, attempts }: BookedTrip,
  request: CheckoutBookRequest,
  result: number,
  offer: FareQuoteResult,
  call: RequestOptions,
): Promise<BookingAttempt> {
  const planned = {
    attemptId: createReference(),
    clientReferenceId: request.clientReferenceId ?? newReference(internalsOf(client).options),
    traceId: params.trace_id,
    searchToken: params.token,
    token: offer.token,
    result,
    fingerprint: await fingerprintOf(offer, peopleSent(request.passengers, call.extraBody)),
    ...(request.allowDuplicate === true && { forced: true }),
  };
  return new BookingAttempt(planned, {
    journal,
    own: attempts,
    force: request.allowDuplicate ?? false,
    now,
    deadlines: bookingDeadlines(client, call),
    signal: call.signal,
  });
}

/** Without an explicit limit a booking is made on the quote that was shown, whatever its age. */
function defaultMaxAge(maxTotal: Money | undefined): number {
  return maxTotal === undefined ? Number.POSITIVE_INFINITY : 0;
}

/** A negative age means that the clocks of two machines differ: the age of the quote is not known. */
function isTooOld(age: number, maxAge: number): boolean {
  return maxAge !== Number.POSITIVE_INFINITY && (age < 0 || age >= maxAge);
}

/** The same offer on a fresh quote, which costs no more than it may. */
async function freshOffer(
  trip: BookedTrip,
  offer: FareQuoteResult,
  index: number,
  maxTotal: Money | undefined,
  { signal }: RequestOptions,
): Promise<FareQuoteResult> {
  const quote = await trip.quote({ signal }).catch((error: unknown) => {
    // The outcome of the quote is unknown, that of the booking is not.
    throw signal?.aborted ? abortedBeforeSending(signal) : error;
  });
  checkFresh(offer, quote, index, maxTotal);
  return pickResult(quote, index).offer;
}
