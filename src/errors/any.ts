import type { AnyApiError } from "./api.ts";
import { type CheckoutErrorKind, ServiceApiError } from "./base.ts";
import type { BookingOutcomeUnknownError } from "./booking.ts";
import type {
  AbortError,
  ConfigurationError,
  ConnectionError,
  RequestValidationError,
  ResponseValidationError,
  TimeoutError,
  UnexpectedResponseError,
} from "./request.ts";
import type { StreamFailedError, StreamStalledError, StreamTruncatedError } from "./stream.ts";
import type { WebhookAuthError, WebhookPayloadError, WebhookProcessingError } from "./webhook.ts";

/**
 * Every error that this package throws, as a union that `switch (error.kind)` narrows. Those of a checkout are in it
 * without their own fields, which `isInstance` of their classes finds.
 */
export type AnyServiceApiError =
  | AnyApiError
  | AbortError
  | BookingOutcomeUnknownError
  | (ServiceApiError & {
      /** Machine-readable code of the error's class. */
      readonly kind: CheckoutErrorKind;
    })
  | ConfigurationError
  | ConnectionError
  | RequestValidationError
  | ResponseValidationError
  | StreamFailedError
  | StreamStalledError
  | StreamTruncatedError
  | TimeoutError
  | UnexpectedResponseError
  | WebhookAuthError
  | WebhookPayloadError
  | WebhookProcessingError;

/**
 * Returns whether a value is an error of this package, also of another copy of it.
 *
 * @param value - Anything that was thrown.
 *
 * @example
 * ```ts
 * import { isServiceApiError } from "serviceapi";
 *
 * function waitBeforeRetry(error: unknown): number | undefined {
 *   if (!isServiceApiError(error)) throw error;
 *   switch (error.kind) {
 *     case "rate_limited":
 *       return error.retryAfter ?? 1_000;
 *     case "timeout":
 *       return error.isRetryable ? error.timeout : undefined;
 *     default:
 *       return undefined;
 *   }
 * }
 * ```
 */
export function isServiceApiError(value: unknown): value is AnyServiceApiError {
  return ServiceApiError.isInstance(value);
}
