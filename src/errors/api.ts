import { type ApiErrorKind, defineHidden, type ErrorDetails, ServiceApiError } from "./base.ts";

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
  declare readonly kind: ApiErrorKind;

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
  /** The client data that a refusal of the verification echoes (§7.1); undefined if the body has none. */
  declare readonly clientData: EchoedClientData | undefined;

  constructor(kind: ApiErrorKind, details: ApiErrorDetails) {
    super(kind, { outcome: kind === "duplicate" ? "unknown" : "rejected", ...details });
    this.httpStatus = details.httpStatus;
    this.statusCode = details.statusCode;
    this.serviceMessage = details.serviceMessage;
    this.retryAfter = details.retryAfter;
    defineHidden(this, { body: details.body, headers: details.headers, clientData: clientDataOf(details.body) });
  }
}

/** The client data that a refusal echoes (§2.1, §7.1). */
export interface EchoedClientData {
  /** The client ID that was sent. */
  readonly client_id: string;
  readonly [field: string]: unknown;
}

function clientDataOf(body: unknown): EchoedClientData | undefined {
  const { clientData } = Object(body);
  return typeof clientData?.client_id === "string" ? clientData : undefined;
}

/** The credentials were refused (401). */
export class AuthenticationError extends ApiError {
  override get name(): string {
    return "AuthenticationError";
  }
  declare readonly kind: "authentication";
}

/** The credentials may not do this, or this address is not registered with the service (403). */
export class PermissionError extends ApiError {
  override get name(): string {
    return "PermissionError";
  }
  declare readonly kind: "permission";
}

/** What was asked for is not there (404): for verification, no UPI ID is linked to the number. */
export class NotFoundError extends ApiError {
  override get name(): string {
    return "NotFoundError";
  }
  declare readonly kind: "not_found";
}

/** The service refused the request's content (400, 422), missing GST details included. */
export class InvalidRequestError extends ApiError {
  override get name(): string {
    return "InvalidRequestError";
  }
  declare readonly kind: "invalid";
}

/** The trace or the token is invalid or too old: search again. */
export class SessionExpiredError extends ApiError {
  override get name(): string {
    return "SessionExpiredError";
  }
  declare readonly kind: "session_expired";
}

/** The flight is no longer for sale at this price: quote or search again. */
export class OfferUnavailableError extends ApiError {
  override get name(): string {
    return "OfferUnavailableError";
  }
  declare readonly kind: "offer_unavailable";
}

/** The token belongs to another `trace_id`. */
export class TraceMismatchError extends ApiError {
  override get name(): string {
    return "TraceMismatchError";
  }
  declare readonly kind: "trace_mismatch";
}

/**
 * The service has done this before: look up what exists, do not repeat the call. `outcome` is `unknown`, because the
 * earlier request may have been yours.
 */
export class DuplicateRequestError extends ApiError {
  override get name(): string {
    return "DuplicateRequestError";
  }
  declare readonly kind: "duplicate";
}

/** The service is still at it: look up the result later. */
export class RequestInProgressError extends ApiError {
  override get name(): string {
    return "RequestInProgressError";
  }
  declare readonly kind: "in_progress";
}

/** The account's balance does not cover the call (402). */
export class InsufficientBalanceError extends ApiError {
  override get name(): string {
    return "InsufficientBalanceError";
  }
  declare readonly kind: "insufficient_balance";
}

/** Too many calls (429); `retryAfter` says when to come back, where the service does. */
export class RateLimitError extends ApiError {
  override get name(): string {
    return "RateLimitError";
  }
  declare readonly kind: "rate_limited";
}

/** The service is not able to answer (5xx). */
export class ServiceUnavailableError extends ApiError {
  override get name(): string {
    return "ServiceUnavailableError";
  }
  declare readonly kind: "unavailable";
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
