import { type ApiErrorKind, type ErrorDetails, hide, ServiceApiError } from "./base.ts";

/** What an {@link ApiError} is made from. */
export interface ApiErrorDetails extends ErrorDetails {
  /** HTTP status of the answer. */
  readonly httpStatus: number;
  /** `statusCode` or `status_code` of the body, as text. */
  readonly statusCode: string | undefined;
  /** The body's own `message`. */
  readonly serviceMessage: string | undefined;
  /** The answer as it came. */
  readonly body: unknown;
  /** The answer's headers. */
  readonly headers: Headers;
  /** Milliseconds after which the service asks to be called again. */
  readonly retryAfter?: number | undefined;
}

/**
 * The service said no: HTTP ≥ 400, a redirect, or `FAILED` / `failed` in an answer of HTTP 200 (§7).
 *
 * @example
 * ```ts
 * import { ApiError, ServiceApi } from "serviceapi";
 *
 * try {
 *   await new ServiceApi().verification.findVpas({ vpa_mobile: "6000000404", consent: "Y" });
 * } catch (error) {
 *   if (!ApiError.isInstance(error)) throw error;
 *   console.log(error.kind, error.httpStatus, error.statusCode, error.serviceMessage);
 * }
 * ```
 */
export class ApiError extends ServiceApiError {
  override get name(): string {
    return "ApiError";
  }

  /** HTTP status of the answer; 200 where the body alone says no. */
  readonly httpStatus: number;
  /** `statusCode` or `status_code` of the body, as text. */
  readonly statusCode: string | undefined;
  /** The body's own `message`. */
  readonly serviceMessage: string | undefined;
  /** Milliseconds after which the service asks to be called again (`Retry-After`). */
  readonly retryAfter: number | undefined;
  /** The answer as it came. It stays out of `console.log` and `JSON.stringify`, as the headers do. */
  declare readonly body: unknown;
  /** The answer's headers. */
  declare readonly headers: Headers;

  constructor(kind: ApiErrorKind, details: ApiErrorDetails) {
    super(kind, { outcome: "rejected", ...details });
    this.httpStatus = details.httpStatus;
    this.statusCode = details.statusCode;
    this.serviceMessage = details.serviceMessage;
    this.retryAfter = details.retryAfter;
    hide(this, { body: details.body, headers: details.headers });
  }
}

/** The credentials were refused (401). */
export class AuthenticationError extends ApiError {
  override get name(): string {
    return "AuthenticationError";
  }
}

/** The credentials may not do this, or this address is not registered with the service (403). */
export class PermissionError extends ApiError {
  override get name(): string {
    return "PermissionError";
  }
}

/** What was asked for is not there (404): for verification, no UPI ID is linked to the number. */
export class NotFoundError extends ApiError {
  override get name(): string {
    return "NotFoundError";
  }
}

/** The service refused the request's content (400, 422), missing GST details included. */
export class InvalidRequestError extends ApiError {
  override get name(): string {
    return "InvalidRequestError";
  }
}

/** The trace or the token is invalid or too old: search again. */
export class SessionExpiredError extends ApiError {
  override get name(): string {
    return "SessionExpiredError";
  }
}

/** The flight is no longer for sale at this price: quote or search again. */
export class OfferUnavailableError extends ApiError {
  override get name(): string {
    return "OfferUnavailableError";
  }
}

/** The token belongs to another `trace_id`. */
export class TraceMismatchError extends ApiError {
  override get name(): string {
    return "TraceMismatchError";
  }
}

/** The service has done this already: look up what exists, do not repeat. */
export class DuplicateRequestError extends ApiError {
  override get name(): string {
    return "DuplicateRequestError";
  }
}

/** The service is still at it: look up the result later. */
export class RequestInProgressError extends ApiError {
  override get name(): string {
    return "RequestInProgressError";
  }
}

/** The account's balance does not cover the call (402). */
export class InsufficientBalanceError extends ApiError {
  override get name(): string {
    return "InsufficientBalanceError";
  }
}

/** Too many calls (429); `retryAfter` says when to come back, where the service does. */
export class RateLimitError extends ApiError {
  override get name(): string {
    return "RateLimitError";
  }
}

/** The service is not able to answer (5xx). */
export class ServiceUnavailableError extends ApiError {
  override get name(): string {
    return "ServiceUnavailableError";
  }
}

/** A new error class is a class above and a row here; what leads to a kind stands in `transport/classify.ts`. */
const apiErrorClasses: Record<ApiErrorKind, typeof ApiError> = {
  authentication: AuthenticationError,
  permission: PermissionError,
  not_found: NotFoundError,
  invalid: InvalidRequestError,
  session_expired: SessionExpiredError,
  offer_unavailable: OfferUnavailableError,
  trace_mismatch: TraceMismatchError,
  duplicate: DuplicateRequestError,
  in_progress: RequestInProgressError,
  insufficient_balance: InsufficientBalanceError,
  rate_limited: RateLimitError,
  unavailable: ServiceUnavailableError,
  unknown: ApiError,
};

/** The error of a kind, as an instance of that kind's class. */
export function createApiError(kind: ApiErrorKind, details: ApiErrorDetails): ApiError {
  return new apiErrorClasses[kind](kind, details);
}
