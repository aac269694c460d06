import { type CheckoutErrorKind, ServiceApiError } from "../errors/base.ts";
import type {
  BookingAlreadySentError,
  BookingAlreadySettledError,
  BookingInFlightError,
  JournalError,
  OfferChangedError,
  PriceAboveLimitError,
} from "./errors.ts";

/** An error of a checkout or a journal, as a union that `switch (error.kind)` narrows. */
export type CheckoutError =
  | BookingAlreadySentError
  | BookingAlreadySettledError
  | BookingInFlightError
  | JournalError
  | OfferChangedError
  | PriceAboveLimitError;

const kinds: ReadonlySet<string> = new Set(
  Object.keys({
    booking_already_sent: true,
    booking_already_settled: true,
    booking_in_flight: true,
    journal: true,
    offer_changed: true,
    price_above_limit: true,
  } satisfies Record<CheckoutErrorKind, true>),
);

/**
 * Returns true for one of the six errors of `serviceapi/flights`, also of another copy of this package. A checkout also
 * throws the errors of its calls: use `isServiceApiError` of `serviceapi` for those.
 *
 * @param value - Anything that was thrown.
 *
 * @example
 * ```ts
 * import { isServiceApiError } from "serviceapi";
 * import { isCheckoutError } from "serviceapi/flights";
 *
 * function page(error: unknown): string {
 *   if (isCheckoutError(error)) {
 *     switch (error.kind) {
 *       case "price_above_limit":
 *       case "offer_changed":
 *         return `ask again, with ${error.quote.data.result.length} offers`;
 *       case "booking_already_sent":
 *         return `look ${error.row.clientReferenceId} up`;
 *       default:
 *         return error.message;
 *     }
 *   } else if (isServiceApiError(error)) {
 *     return error.kind === "rate_limited" ? "try again in a minute" : error.message;
 *   }
 *   throw error;
 * }
 * ```
 */
export function isCheckoutError(value: unknown): value is CheckoutError {
  return ServiceApiError.isInstance(value) && kinds.has(value.kind);
}
