export { type AnyServiceApiError, isServiceApiError } from "./any.ts";
export {
  type AnyApiError,
  ApiError,
  AuthenticationError,
  DuplicateRequestError,
  InsufficientBalanceError,
  InvalidRequestError,
  NotFoundError,
  OfferUnavailableError,
  PermissionError,
  RateLimitError,
  RequestInProgressError,
  ServiceUnavailableError,
  SessionExpiredError,
  TraceMismatchError,
} from "./api.ts";
export {
  type ApiErrorKind,
  type ErrorKind,
  type Outcome,
  ServiceApiError,
  type ValidationIssue,
} from "./base.ts";
export { BookingOutcomeUnknownError } from "./booking.ts";
export { httpStatusFor } from "./http-status.ts";
export {
  AbortError,
  ConfigurationError,
  ConnectionError,
  RequestValidationError,
  ResponseValidationError,
  TimeoutError,
  UnexpectedResponseError,
} from "./request.ts";
export {
  StreamError,
  StreamFailedError,
  StreamStalledError,
  StreamTruncatedError,
} from "./stream.ts";
export {
  WebhookAuthError,
  WebhookError,
  WebhookPayloadError,
  WebhookProcessingError,
} from "./webhook.ts";
