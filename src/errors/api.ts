import { type ApiErrorKind, type DetailsOf, type ErrorDetails, rejectedKinds, ServiceApiError } from "./base.ts";

/**
 * The service refused the call: HTTP ≥ 400, a redirect, or `FAILED` / `failed` in a response of HTTP 200 (§7). `kind`,
 * `httpStatus`, `statusCode` and `serviceMessage` say why; the subclasses are the known kinds.
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
  static override readonly title: string = "ApiError";
  declare readonly kind: ApiErrorKind;

  /** HTTP status of the response; 200 if only the body is a refusal. */
  declare readonly httpStatus: number;
  /** `statusCode` or `status_code` of the body, as a string. */
  declare readonly statusCode: string | undefined;
  /** `message` of the body, or what gateways send in its place. */
  declare readonly serviceMessage: string | undefined;
  /** Milliseconds after which the service asks to be called again (`Retry-After`). */
  declare readonly retryAfter: number | undefined;
  /**
   * The body, unchanged except for secrets. `console.log` and `JSON.stringify` leave it out, as they do the headers.
   */
  declare readonly body: unknown;
  /** The headers of the response. */
  declare readonly headers: Headers;
  /**
   * The clause or the name in the response that keeps the outcome of a call with `retry: "never"` `unknown`: it is not
   * known as part of a refusal. If your deployment refuses with it, add the sentence to `knownMessages.refused`.
   */
  declare readonly unrecognized: string | undefined;
  /** The client data that a refusal of the verification echoes (§7.1); undefined if the body has none. */
  declare readonly clientData: EchoedClientData | undefined;

  constructor(kind: ApiErrorKind, details: DetailsOf<ApiError>) {
    const outcome = Object.hasOwn(rejectedKinds, kind) ? "rejected" : "unknown";
    const clientData = clientDataOf(details.body);
    super(kind, { outcome, ...details, clientData } as ErrorDetails, ["body", "headers", "unrecognized", "clientData"]);
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

/** The service refused the credentials (401). Check `clientId` and `clientSecret`. */
export class AuthenticationError extends ApiError {
  static override readonly title: string = "AuthenticationError";
  declare readonly kind: "authentication";
}

/** The credentials lack a permission, or the IP address of this machine is not registered with the service (403). */
export class PermissionError extends ApiError {
  static override readonly title: string = "PermissionError";
  declare readonly kind: "permission";
}

/**
 * The service has no such data (404): for verification, no UPI ID is linked to the number. If a look-up's 404 has
 * neither a `status` nor a code of the service, nor "UPI" in its message, a gateway responded: its kind is `unknown`.
 */
export class NotFoundError extends ApiError {
  static override readonly title: string = "NotFoundError";
  declare readonly kind: "not_found";
}

/** The service refused the content of the request (400, 422), for example because GST details are missing. */
export class InvalidRequestError extends ApiError {
  static override readonly title: string = "InvalidRequestError";
  declare readonly kind: "invalid";
}

/** The trace or the token is invalid or has expired: search again. */
export class SessionExpiredError extends ApiError {
  static override readonly title: string = "SessionExpiredError";
  declare readonly kind: "session_expired";
}

/** The flight is no longer for sale at this price: quote or search again. */
export class OfferUnavailableError extends ApiError {
  static override readonly title: string = "OfferUnavailableError";
  declare readonly kind: "offer_unavailable";
}

/** The token belongs to another `trace_id`. */
export class TraceMismatchError extends ApiError {
  static override readonly title: string = "TraceMismatchError";
  declare readonly kind: "trace_mismatch";
}

/**
 * The service has done this before: look up what exists, and do not retry. `outcome` is `unknown`, because the earlier
 * request may have been yours.
 */
export class DuplicateRequestError extends ApiError {
  static override readonly title: string = "DuplicateRequestError";
  declare readonly kind: "duplicate";
}

/** The service is still processing the call: look up the result later. */
export class RequestInProgressError extends ApiError {
  static override readonly title: string = "RequestInProgressError";
  declare readonly kind: "in_progress";
}

/** The account's balance does not cover the call (402). */
export class InsufficientBalanceError extends ApiError {
  static override readonly title: string = "InsufficientBalanceError";
  declare readonly kind: "insufficient_balance";
}

/** Too many calls (429). Wait `retryAfter` milliseconds, if the service named a time. */
export class RateLimitError extends ApiError {
  static override readonly title: string = "RateLimitError";
  declare readonly kind: "rate_limited";
}

/** The service is not able to respond now (5xx, 408). Retry later if `isRetryable` is true. */
export class ServiceUnavailableError extends ApiError {
  static override readonly title: string = "ServiceUnavailableError";
  declare readonly kind: "unavailable";
}

/** A new kind is a class above, a row here, and the rows that the compiler then asks for. */
const apiErrorClasses = {
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
} satisfies Record<ApiErrorKind, typeof ApiError>;

/** A refusal by the service, as a union that `switch (error.kind)` narrows. */
export type AnyApiError =
  | InstanceType<(typeof apiErrorClasses)[Exclude<ApiErrorKind, "unknown">]>
  | (ApiError & { readonly kind: "unknown" });

export function createApiError(kind: ApiErrorKind, details: DetailsOf<ApiError>): ApiError {
  return new apiErrorClasses[kind](kind, details);
}
