import { defineHidden, type ErrorDetails, ServiceApiError } from "./base.ts";

/**
 * Thrown if a booking was sent and its outcome is not known: it may exist (§4.3; docs/assumptions.md, F5).
 *
 * Do not call `book` again. Look the booking up by `clientReferenceId` and `traceId`, or ask the service operator.
 */
export class BookingOutcomeUnknownError extends ServiceApiError {
  override get name(): string {
    return "BookingOutcomeUnknownError";
  }
  declare readonly kind: "booking_outcome_unknown";

  /** `trace_id` of the booking, for the look-up. */
  readonly traceId: string;
  /** Time at which the request was passed to `fetch`, in milliseconds since 1970. */
  readonly sentAt: number;
  /** HTTP status of the response, if there was one. */
  readonly httpStatus: number | undefined;
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

  constructor(
    details: ErrorDetails & {
      readonly traceId: string;
      readonly token: string;
      readonly sentAt: number;
      readonly httpStatus?: number | undefined;
      readonly pnr?: string | undefined;
      /** @default the `pnr` alone, if there is one */
      readonly pnrs?: readonly string[] | undefined;
      readonly bookingId?: string | undefined;
      readonly body?: unknown;
    },
  ) {
    super("booking_outcome_unknown", { ...details, outcome: "unknown", isRetryable: false });
    this.traceId = details.traceId;
    this.sentAt = details.sentAt;
    this.httpStatus = details.httpStatus;
    const { token, pnr, bookingId, body } = details;
    const { pnrs = pnr === undefined ? [] : [pnr] } = details;
    defineHidden(this, { token, pnr, pnrs, bookingId, body });
  }
}
