export { type AnyApiError, type AnyServiceApiError, type CheckoutError, isServiceApiError } from "./any.ts";
export {
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  DuplicateRequestError,
  type EchoedClientData,
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
  type CheckoutErrorKind,
  type ErrorDetails,
  type ErrorKind,
  type Issue,
  type Outcome,
  ServiceApiError,
} from "./base.ts";
export { BookingOutcomeUnknownError } from "./booking.ts";
export {
  AbortError,
  ConfigurationError,
  ConnectionError,
  type Deadline,
  type Phase,
  RequestValidationError,
  ResponseValidationError,
  type ResponseValidationReason,
  TimeoutError,
  UnexpectedResponseError,
  type UnexpectedResponseReason,
} from "./request.ts";
export {
  type PartialStream,
  StreamError,
  type StreamErrorDetails,
  StreamFailedError,
  StreamStalledError,
  StreamTruncatedError,
} from "./stream.ts";
export {
  WebhookAuthError,
  type WebhookAuthReason,
  WebhookError,
  type WebhookPayloadDetails,
  WebhookPayloadError,
  type WebhookPayloadReason,
  WebhookProcessingError,
  type WebhookProcessingReason,
} from "./webhook.ts";
