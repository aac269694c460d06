import type { ApiError } from "../../errors/api.ts";
import type { ErrorKind, ServiceApiError } from "../../errors/base.ts";
import { BookingOutcomeUnknownError } from "../../errors/booking.ts";
import { oneLine } from "../../errors/one-line.ts";
import { ResponseValidationError } from "../../errors/request.ts";
import type { SentCall } from "../../operation.ts";
import { namingRequest } from "../../transport/errors/details.ts";
import { namingUnrecognized } from "../../transport/errors/refusal.ts";
import { whatDenies } from "./proof.ts";
import { findBookingReference } from "./reference.ts";

const whatHappened: Partial<Record<ErrorKind, string>> = {
  connection: "the connection broke before the response was whole",
  timeout: "no response came in time",
  abort: "the call was aborted on this side before its response came",
  unexpected_response: "the response names no booking or could not be read",
  response_validation: "the response names no booking",
  in_progress: "the service was still working on it or had done a part of it",
  unavailable: "the service failed while it worked on it",
};

/**
 * The error for a booking that may or may not exist, written for the person at a help desk who has to find out: what
 * was sent, when, what to look it up by, and what not to do. A duplicate says that much itself, and stays what it is.
 */
export function bookingOutcomeUnknown(error: ServiceApiError, call: SentCall): ServiceApiError {
  const { body, httpStatus, unrecognized } = error as ServiceApiError & Partial<ApiError>;
  const isOther = ResponseValidationError.isInstance(error) && error.reason === "otherRequest";
  const named = findBookingReference(body);
  if (error.kind === "duplicate" && named === undefined) return error;
  const traceId = sentText(call.body.trace_id);
  // The body is what was sent, also if an `extraBody` had the last word.
  const reference = sentText(call.body.client_referenceId) || error.clientReferenceId;
  const what = isOther
    ? "the response belongs to another request: if it names a booking, that may be somebody else's"
    : named === undefined
      ? (whatHappened[error.kind] ?? "the response does not say whether it was made")
      : "the response names a booking (`pnr`, `bookingId`) but does not call it a success";
  return new BookingOutcomeUnknownError({
    message:
      `The booking may exist: it was sent at ${new Date(call.sentAt).toISOString()}, and ${what}. Do not book again. ` +
      `${lookUp({ client_referenceId: reference, trace_id: traceId })} ` +
      "If a checkout sent it, then close its row: reconcile it with the `pnr` or `bookingId` that was found, or with " +
      '"notBooked" if the operator says that there is no booking.' +
      (named === undefined ? namingUnrecognized(unrecognized) : namingDenial(body)) +
      namingRequest(error.requestId),
    operation: error.operation,
    clientReferenceId: reference,
    attempts: error.attempts,
    requestId: error.requestId,
    cause: error,
    traceId,
    token: sentText(call.body.token),
    sentAt: call.sentAt,
    httpStatus,
    pnr: named?.pnr || undefined,
    pnrs: named?.pnrs,
    bookingId: named?.bookingId || undefined,
    body,
  });
}

function namingDenial(body: unknown): string {
  const denial = whatDenies(body);
  return denial === undefined
    ? ""
    : ` "${oneLine(denial)}" may take it back. If the operator confirms that it does not, add the sentence to \`knownMessages.booked\`.`;
}

/** Says what to look the booking up by, as far as these were sent. */
function lookUp(sent: Readonly<Record<string, string | undefined>>): string {
  const names = Object.entries(sent).flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
  if (names.length === 0) return "Ask the service operator to look it up.";
  return `Look it up by ${names.join(" or ")}, or ask the service operator to.`;
}

/** A value as it was sent; an empty string for an object, which an `extraBody` may have put in its place. */
function sentText(value: unknown): string {
  return typeof value === "object" || value === undefined ? "" : String(value);
}
