import type { Issue } from "../../errors/base.ts";
import type { RequestOptions } from "../../options.ts";
import type { WithResponse } from "../../transport/call.ts";
import { findBookingReference } from "../booking/reference.ts";
import { compareBooking } from "../changes/index.ts";
import { warnUnrecognized } from "../journal/fingerprint.ts";
import { ticketDeadline } from "../quote/ticket-deadline.ts";
import type { Booking, BookParams, FareQuoteResult } from "../types/index.ts";
import type { Attempt } from "./attempt.ts";
import type { CheckoutBooking, CheckoutClient } from "./types.ts";

/** Sends a booking once, with its journal row before and after. */
export async function sendBooking(
  api: CheckoutClient,
  attempt: Attempt,
  params: BookParams & { readonly client_referenceId: string },
  options: RequestOptions,
): Promise<Booked> {
  await attempt.claim(params.token);
  let answer: WithResponse<Booking>;
  try {
    answer = await api.flights.book(params, options).withResponse();
  } catch (error) {
    await attempt.failed(error);
    throw error;
  }
  // From here on there is a reservation: nothing below may throw.
  const { pnr = "", bookingId = "", booking } = findBookingReference(answer.data) ?? {};
  const unwritten = await attempt.booked(pnr, bookingId);
  const warnings = [...answer.warnings, ...warnUnrecognized(attempt.fingerprint), ...(unwritten ? [unwritten] : [])];
  return { body: answer.data, pnr, bookingId, booking, warnings, params };
}

/** A reservation as the service answered it. */
interface Booked {
  readonly body: Booking;
  readonly pnr: string;
  readonly bookingId: string;
  readonly booking: object | undefined;
  readonly warnings: readonly Issue[];
  readonly params: BookParams & { readonly client_referenceId: string };
}

/** What a reservation means against the offer that was shown, and what must follow (§3.4; docs/assumptions.md, F25). */
export function describeBooking(
  booked: Booked,
  shown: FareQuoteResult,
  deadlineZone: string | undefined,
): CheckoutBooking {
  const { booking, params, ...rest } = booked;
  const deadline = ticketDeadline(booking ?? {}, deadlineZone);
  const before = deadline === null ? "" : ` before ${deadline.text} (${deadline.zone})`;
  const changes = compareBooking(shown, booking, params.passengers);
  return {
    ...rest,
    clientReferenceId: params.client_referenceId,
    changes,
    nextStep: {
      action: "issueTicket",
      message: `This is a reservation, not a ticket. Have the ticket issued${before}. ${changes.summary}`.trim(),
      before: deadline,
    },
    deadline,
  };
}
