import { defineHidden, type ErrorDetails, ServiceApiError } from "./base.ts";

/**
 * A booking was sent, and nothing that came back says for certain whether it exists (§4.3; docs/assumptions.md, F5).
 *
 * Do not call `book` again for it. Look the booking up by `clientReferenceId` and `traceId`, or ask the service operator.
 */
export class BookingOutcomeUnknownError extends ServiceApiError {
  override get name(): string {
    return "BookingOutcomeUnknownError";
  }
  declare readonly kind: "booking_outcome_unknown";

  /** `trace_id` of the booking, to look it up by. */
  readonly traceId: string;
  /** When the request was handed to `fetch`: milliseconds since 1970. */
  readonly sentAt: number;
  /** HTTP status of the response, if there was one. */
  readonly httpStatus: number | undefined;
  /** The PNR that the response names without saying that the booking succeeded. It stays out of logs, as `token` does. */
  declare readonly pnr: string | undefined;
  /** The PNRs that the response names, likewise: several if it names parts of the booking. */
  declare readonly pnrs: readonly string[];
  /** The booking ID that the response names, likewise. */
  declare readonly bookingId: string | undefined;
  /** The quote token that was used. It must not be booked again. */
  declare readonly token: string;
  /** The body of the response, if there was one: parsed if it was JSON, else its text. */
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
