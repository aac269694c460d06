import type { ErrorKind, ServiceApiError } from "../errors/base.ts";
import { BookingOutcomeUnknownError } from "../errors/booking.ts";
import type { SentCall } from "../operation.ts";

const whatHappened: Partial<Record<ErrorKind, string>> = {
  connection: "the connection broke before the answer was whole",
  timeout: "no answer came in time",
  abort: "the call was ended on this side before its answer came",
  unexpected_response: "the answer names no booking or could not be read",
  in_progress: "the service was still working on it or had done a part of it",
  unavailable: "the service failed while it worked on it",
};

/**
 * The error for a booking that may or may not exist (policy 30), written for the person at a help desk who has to find out:
 * what was sent, when, what to look it up by, and what not to do.
 */
export function bookingOutcomeUnknown(error: ServiceApiError, call: SentCall): BookingOutcomeUnknownError {
  const traceId = String(call.body.trace_id);
  // The body is what was sent, also where an `extraBody` had the last word.
  const reference = String(call.body.client_referenceId ?? error.clientReferenceId);
  return new BookingOutcomeUnknownError({
    message:
      `The booking may exist: it was sent at ${new Date(call.sentAt).toISOString()}, and ` +
      `${whatHappened[error.kind] ?? "no usable answer came back"}. Do not book again. ` +
      `Look it up by client_referenceId ${reference} or trace_id ${traceId}, or ask the service operator to.`,
    operation: error.operation,
    clientReferenceId: reference,
    attempts: error.attempts,
    cause: error,
    traceId,
    token: String(call.body.token),
    sentAt: call.sentAt,
    httpStatus: "httpStatus" in error && typeof error.httpStatus === "number" ? error.httpStatus : undefined,
    body: "body" in error ? error.body : undefined,
  });
}
