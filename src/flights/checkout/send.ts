import type { Issue } from "../../errors/base.ts";
import { BookingOutcomeUnknownError } from "../../errors/booking.ts";
import { TimeoutError } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { maxTimerMs } from "../../shared/options.ts";
import { checkBeforeSending, type SendCheck } from "../../shared/send-check.ts";
import type { WithResponse } from "../../transport/call.ts";
import { findBookingReference } from "../booking/reference.ts";
import { compareAsSent } from "../changes/index.ts";
import { warnUnrecognized } from "../journal/fingerprint.ts";
import type { JournalRow } from "../journal/journal.ts";
import { book } from "../operations.ts";
import { ticketDeadline } from "../quote/ticket-deadline.ts";
import type { Booking, BookParams, FareQuoteResult } from "../types/index.ts";
import type { BookingAttempt } from "./booking-attempt.ts";
import { peopleSent } from "./options.ts";
import type { CheckoutBooking, CheckoutClient } from "./types.ts";

/** Sends a booking once, with its journal row before and after. */
export async function sendBooking(
  api: CheckoutClient,
  attempt: BookingAttempt,
  params: BookParams & { readonly client_referenceId: string },
  options: RequestOptions,
): Promise<Booked> {
  const people = peopleSent(params.passengers, options.extraBody);
  await attempt.claim(params.token);
  let response: WithResponse<Booking>;
  try {
    response = await sendInTime(attempt, options.signal, (signal) =>
      api.flights.book(params, { ...options, signal }).withResponse(),
    );
  } catch (error) {
    await attempt.failed(error);
    throw error;
  }
  // From here on there is a reservation: nothing below may throw.
  const { pnr = "", pnrs = [], bookingId = "", booking } = findBookingReference(response.data) ?? {};
  const unwritten = await attempt.booked({ pnr, pnrs, bookingId });
  const { fingerprint, clientReferenceId } = attempt.row;
  const warnings = [
    ...response.warnings,
    ...warnNames(pnr, pnrs),
    ...warnUnrecognized(fingerprint),
    ...(unwritten ? [unwritten] : []),
  ];
  return { body: response.data, pnr, pnrs, bookingId, clientReferenceId, booking, people, warnings };
}

/** Returns a warning for names that do not identify the booking. */
function warnNames(pnr: string, pnrs: readonly string[]): readonly Issue[] {
  const message = "has other PNRs than `pnr`: each may have to be ticketed and cancelled separately";
  return pnrs.some((one) => one !== pnr) ? [{ path: ["pnrs"], message, code: "several_pnrs" }] : [];
}

/** A reservation, and what was sent for it. */
interface Booked {
  readonly body: Booking;
  readonly pnr: string;
  readonly pnrs: readonly string[];
  readonly bookingId: string;
  readonly booking: object | undefined;
  readonly warnings: readonly Issue[];
  /** The passengers as they were sent. */
  readonly people: unknown;
  readonly clientReferenceId: string;
}

/** Compares a reservation with the offer that was shown, and adds the next step (§3.4; docs/assumptions.md, F25). */
export function describeBooking(
  booked: Booked,
  shown: FareQuoteResult,
  deadlineZone: string | undefined,
): CheckoutBooking {
  const { booking, people, ...rest } = booked;
  const deadline = ticketDeadline(booking ?? {}, deadlineZone);
  const before = deadline === null ? "" : ` before ${deadline.text} (${deadline.zone})`;
  const changes = compareAsSent(shown, booking, people);
  return {
    ...rest,
    changes,
    nextStep: {
      action: "issueTicket",
      message: `This is a reservation, not a ticket. Have the ticket issued${before}. ${changes.summary}`.trim(),
    },
    deadline,
  };
}

/** The time that the journal row of a booking leaves for it. */
export interface BookingTime {
  readonly row: JournalRow;
  /** Called when the request is handed over to `fetch`. */
  handOver(): void;
  /** Returns the milliseconds until the checkout ends the call itself, some time before `row.responseDueBy`. */
  timeLeft(): number;
}

/**
 * Sends a booking within the time of its row. After `responseDueBy` others may find no booking and book again, so a
 * request that may take longer is not sent, and no response is awaited longer, whatever the deadlines of the client.
 *
 * @param send - Sends the booking with the signal that is passed to it.
 * @throws {@link TimeoutError} if too little time is left, for example after the machine was suspended. Nothing was
 *   sent.
 * @throws {@link BookingOutcomeUnknownError} if the client did not end the call in time, or tries to send the booking
 *   again.
 */
export async function sendInTime<T>(
  time: BookingTime,
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const wait = startWait(time.row);
  const unfollow = follow(signal, wait.controller);
  const { clientReferenceId } = time.row;
  const sent = { operation: "flights.book", clientReferenceId, signal: wait.controller.signal };
  const forget = checkBeforeSending(sent, handOverOnce(time, wait.limit));
  try {
    wait.limit(time.timeLeft());
    return await Promise.race([send(wait.controller.signal), wait.givenUp]);
  } finally {
    wait.stop();
    forget();
    unfollow();
  }
}

/** The wait for a response, which ends before the row of the booking expects none. */
interface Wait {
  /** Ends the call. */
  readonly controller: AbortController;
  /** Rejects when the time is up, also if the client ignores the signal. */
  readonly givenUp: Promise<never>;
  /** Sets the milliseconds that are left. */
  readonly limit: (left: number) => void;
  readonly stop: () => void;
}

function startWait(row: JournalRow): Wait {
  const controller = new AbortController();
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUp = () => {
    const error = outcomeUnknown(
      row,
      `the client did not end the call in time for its journal row, which expects no response after ${new Date(row.responseDueBy).toISOString()}. Give the client a deadline (\`timeout\`, \`totalTimeout\`), and have it pass \`signal\` on`,
    );
    reject(error);
    controller.abort(error);
  };
  const stop = () => clearTimeout(timer);
  const limit = (left: number) => {
    stop();
    timer = setTimeout(giveUp, Math.min(Math.max(left, 0), maxTimerMs));
  };
  return { controller, givenUp, limit, stop };
}

/** Aborts a controller with the caller's signal. Returns a function that ends this. */
function follow(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (signal === undefined) return () => {};
  const abort = () => controller.abort(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  return () => {
    try {
      signal.removeEventListener("abort", abort);
    } catch {
      // A polyfill whose signal throws here must not hide the outcome. The controller is no longer used.
    }
  };
}

/**
 * Returns the check that lets a booking through once, and only if enough time is left.
 *
 * @param onHandOver - Called with the milliseconds that are left. A timer does not count those in which the machine was
 *   suspended, so it has to be set again.
 */
function handOverOnce(time: BookingTime, onHandOver: (left: number) => void): SendCheck {
  let isHandedOver = false;
  return (limit) => {
    if (isHandedOver) {
      throw outcomeUnknown(
        time.row,
        "the client tried to send it again, which was refused. Have the client not retry `book`",
      );
    }
    const left = time.timeLeft();
    // A call with a longer deadline, or none, is ended in time.
    if (left < Math.min(limit, book.timeout)) throw tooLate(time.row);
    isHandedOver = true;
    time.handOver();
    onHandOver(left);
  };
}

function tooLate({ clientReferenceId, sentAt, responseDueBy }: JournalRow): TimeoutError {
  return new TimeoutError({
    message:
      "flights.book: too much time passed between the claim of the journal row and the request, so it was not sent. " +
      "Nothing is booked. Book again. If it happens again, look for what blocks or suspends the process.",
    operation: "flights.book",
    clientReferenceId,
    deadline: "total",
    phase: "credentials",
    timeout: responseDueBy - sentAt,
  });
}

function outcomeUnknown(row: JournalRow, why: string): BookingOutcomeUnknownError {
  const { clientReferenceId, traceId, token, sentAt } = row;
  return new BookingOutcomeUnknownError({
    message:
      `The booking may exist: it was handed to the client at ${new Date(sentAt).toISOString()}, and ${why}. Do not book again. ` +
      `Look it up by client_referenceId ${clientReferenceId} or trace_id ${traceId}, or ask the service operator to.`,
    operation: "flights.book",
    clientReferenceId,
    attempts: 1,
    traceId,
    token,
    sentAt,
  });
}
