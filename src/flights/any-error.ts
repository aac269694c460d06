import type { AnyServiceApiError, CheckoutError } from "../errors/any.ts";
import { ServiceApiError } from "../errors/base.ts";
import type {
  BookingAlreadySentError,
  BookingAlreadySettledError,
  BookingInFlightError,
  JournalError,
  OfferChangedError,
  PriceAboveLimitError,
} from "./errors.ts";

/** Every error that a checkout can throw, as a union that `switch (error.kind)` narrows. */
export type AnyCheckoutError =
  | Exclude<AnyServiceApiError, CheckoutError>
  | BookingAlreadySentError
  | BookingAlreadySettledError
  | BookingInFlightError
  | JournalError
  | OfferChangedError
  | PriceAboveLimitError;

/**
 * Returns whether a value is an error of this package, as `isServiceApiError` does, with the fields of a checkout's own.
 *
 * @param value - Anything that was thrown.
 *
 * @example
 * ```ts
 * import { isCheckoutError } from "serviceapi/flights";
 *
 * function page(error: unknown): string {
 *   if (!isCheckoutError(error)) throw error;
 *   switch (error.kind) {
 *     case "price_above_limit":
 *     case "offer_changed":
 *       return `ask again, with ${error.quote.data.result.length} offers`;
 *     case "booking_already_sent":
 *       return `look ${error.row.clientReferenceId} up`;
 *     default:
 *       return error.message;
 *   }
 * }
 * ```
 */
export function isCheckoutError(value: unknown): value is AnyCheckoutError {
  return ServiceApiError.isInstance(value);
}
