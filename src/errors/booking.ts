import { type ErrorDetails, hide, ServiceApiError } from "./base.ts";

/**
 * A booking left this machine and no usable answer came back: it may or may not exist (§4.3; docs/assumptions.md, F5).
 *
 * Do not call `book` again for it. Look the booking up by `clientReferenceId` and `traceId`, or ask the service operator.
 */
export class BookingOutcomeUnknownError extends ServiceApiError {
  override get name(): string {
    return "BookingOutcomeUnknownError";
  }

  /** `trace_id` of the booking, to look it up by. */
  readonly traceId: string;
  /** When the request was handed to `fetch`: milliseconds since 1970. */
  readonly sentAt: number;
  /** HTTP status of what came back, if anything did. */
  readonly httpStatus: number | undefined;
  /** The quote token that was used. It must not be booked again. */
  declare readonly token: string;
  /** What came back, if anything did, as it came. */
  declare readonly body: unknown;

  constructor(
    details: ErrorDetails & {
      readonly traceId: string;
      readonly token: string;
      readonly sentAt: number;
      readonly httpStatus?: number | undefined;
      readonly body?: unknown;
    },
  ) {
    super("booking_outcome_unknown", { ...details, outcome: "unknown", isRetryable: false });
    this.traceId = details.traceId;
    this.sentAt = details.sentAt;
    this.httpStatus = details.httpStatus;
    hide(this, { token: details.token, body: details.body });
  }
}
