import { type Client, internalsOf } from "../../client.ts";
import type { Issue } from "../../errors/base.ts";
import { TimeoutError } from "../../errors/request.ts";
import { type RequestOptions, timeLimit } from "../../options.ts";
import { maxTimerMs } from "../../shared/options.ts";
import type { WithResponse } from "../../transport/call.ts";
import { findBookingReference } from "../booking/reference.ts";
import { compareBooking } from "../changes/index.ts";
import { warnUnrecognized } from "../journal/fingerprint.ts";
import type { JournalRow } from "../journal/journal.ts";
import { book } from "../operations.ts";
import { ticketDeadline } from "../quote/ticket-deadline.ts";
import type { Booking, BookParams, FareQuoteResult, Passenger } from "../types/index.ts";
import type { BookingAttempt } from "./booking-attempt.ts";
import { peopleSent } from "./options.ts";
import type { CheckoutBooking } from "./types.ts";

/** Sends a booking once, with its journal row before and after. */
export async function sendBooking(
  client: Client,
  attempt: BookingAttempt,
  params: BookParams & { readonly client_referenceId: string },
  options: RequestOptions,
): Promise<Booked> {
  const people = peopleSent(params.passengers, options.extraBody);
  await attempt.claim(params.token);
  let response: WithResponse<Booking>;
  try {
    response = await sendInTime(client, attempt, params, options);
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
  // An `extraBody` may have made them anything: they are compared as far as they can be read.
  const changes = compareBooking(shown, booking, people as readonly Passenger[]);
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
 * @throws {@link TimeoutError} if too little time is left, for example after the machine was suspended. Nothing was
 *   sent.
 */
export async function sendInTime(
  client: Client,
  time: BookingTime,
  params: BookParams,
  options: RequestOptions,
): Promise<WithResponse<Booking>> {
  const { transport, options: byClient } = internalsOf(client);
  const limit = timeLimit(book, byClient, options);
  const left = time.timeLeft();
  if (left < 1) throw tooLate(time.row);
  const inTime = limit !== false && limit <= left ? options : { ...options, totalTimeout: Math.min(left, maxTimerMs) };
  // A timer does not count the time in which the machine was suspended, so the clock is read again.
  const onSend = (attemptLimit: number) => {
    const leftNow = time.timeLeft();
    // A call with a longer deadline, or none, is ended in time.
    if (leftNow < Math.min(attemptLimit, book.timeout)) throw tooLate(time.row);
    time.handOver();
    return leftNow;
  };
  return await transport.send(book, params, inTime, { onSend }).withResponse();
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
