import { type DetailsOf, type ErrorDetails, ServiceApiError } from "./base.ts";

/**
 * Thrown if a booking was sent and its outcome is not known: it may exist (§4.3; docs/assumptions.md, F5).
 *
 * Do not call `book` again. Look the booking up by `clientReferenceId` and `traceId`, or ask the service operator.
 */
export class BookingOutcomeUnknownError extends ServiceApiError {
  static override readonly title: string = "BookingOutcomeUnknownError";
  declare readonly kind: "booking_outcome_unknown";

  /** `trace_id` of the booking, for the look-up. */
  declare readonly traceId: string;
  /** Time at which the request was passed to `fetch`, in milliseconds since 1970. */
  declare readonly sentAt: number;
  /** HTTP status of the response, if there was one. */
  declare readonly httpStatus: number | undefined;
  /** The PNR in the response, which does not say that the booking succeeded. It is left out of logs, as `token` is. */
  declare readonly pnr: string | undefined;
  /** The PNRs in the response: several if it names parts of the booking. They are left out of logs. */
  declare readonly pnrs: readonly string[];
  /** The booking ID in the response. It is left out of logs. */
  declare readonly bookingId: string | undefined;
  /** The quote token that was sent. Do not book it again. */
  declare readonly token: string;
  /** Body of the response, if there was one: parsed if it was JSON, otherwise a string. */
  declare readonly body: unknown;
  /**
   * The part of the response that speaks against the booking, or else a clause that is not known as part of a refusal.
   * If your deployment means something else by it, add the sentence to `knownMessages`.
   */
  declare readonly unrecognized: string | undefined;

  constructor(details: DetailsOf<BookingOutcomeUnknownError, "pnrs">) {
    const { pnr, pnrs = pnr === undefined ? [] : [pnr] } = details;
    super("booking_outcome_unknown", { ...details, pnrs, outcome: "unknown", isRetryable: false } as ErrorDetails, [
      "token",
      "pnr",
      "pnrs",
      "bookingId",
      "body",
      "unrecognized",
    ]);
  }
}
