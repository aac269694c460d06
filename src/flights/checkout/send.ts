import type { Issue } from "../../errors/base.ts";
import type { RequestOptions } from "../../options.ts";
import type { WithResponse } from "../../transport/call.ts";
import { findBookingReference } from "../booking/reference.ts";
import { compareAsSent } from "../changes/index.ts";
import { warnUnrecognized } from "../journal/fingerprint.ts";
import { ticketDeadline } from "../quote/ticket-deadline.ts";
import type { Booking, BookParams, FareQuoteResult } from "../types/index.ts";
import type { BookingAttempt } from "./booking-attempt.ts";
import { sendInTime } from "./in-time.ts";
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
