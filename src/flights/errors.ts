import { type CheckoutErrorKind, type DetailsOf, type ErrorDetails, ServiceApiError } from "../errors/base.ts";
import { RequestValidationError } from "../errors/request.ts";
import { causeOf } from "../shared/error-code.ts";
import type { BookingChanges } from "./changes/index.ts";
import type { CheckoutBooking } from "./checkout/options.ts";
import type { BookingConflict, JournalRow } from "./journal/journal.ts";
import type { PassengerIssue } from "./passengers/issues.ts";
import type { Money } from "./quote/money.ts";
import type { FareQuote } from "./types/index.ts";

/**
 * Thrown if a passenger check is an error. Nothing was sent. `issues` has the errors that `validate` reports. It is a
 * `RequestValidationError` too.
 *
 * @example
 * ```ts
 * import { PassengerValidationError } from "serviceapi/flights";
 *
 * try {
 *   await trip.book({ passengers });
 * } catch (error) {
 *   if (!PassengerValidationError.isInstance(error)) throw error;
 *   for (const { path, message, suggestion } of error.issues) console.log(path.join("."), message, suggestion ?? "");
 * }
 * ```
 */
export class PassengerValidationError extends RequestValidationError {
  static override readonly title: string = "PassengerValidationError";
  /** The errors of the passenger checks, some with a suggestion. */
  declare readonly issues: readonly PassengerIssue[];

  constructor(details: DetailsOf<PassengerValidationError>) {
    // Names and dates of people, which `console.log` and `JSON.stringify` leave out.
    const hidden = { suggestion: { enumerable: false }, values: { enumerable: false } };
    const issues = details.issues.map((issue) => Object.defineProperties({ ...issue }, hidden));
    super({ ...details, issues });
  }
}

/**
 * Thrown if a fresh quote costs more than `maxTotal` or than the quote that was shown, or if its price cannot be read.
 * Nothing was booked. Show `quote` and ask the user again: the checkout compares with it from now on.
 */
export class PriceAboveLimitError extends ServiceApiError {
  static override readonly title: string = "PriceAboveLimitError";
  declare readonly kind: "price_above_limit";

  /** Current price of the offer; null if it cannot be read or is in another currency. */
  declare readonly total: Money | null;
  /** The limit that it exceeds. */
  declare readonly limit: Money;
  /** Index of the offer in `data.result` of `quote`. */
  declare readonly offerIndex: number;
  /** The complete current quote. */
  declare readonly quote: FareQuote;

  constructor(details: DetailsOf<PriceAboveLimitError>) {
    super("price_above_limit", details, ["quote"]);
  }
}

/**
 * Thrown if a fresh quote has other flights, times or terms than the quote that was shown. Nothing was booked. Show
 * `quote` and ask the user again: the checkout compares with it from now on.
 */
export class OfferChangedError extends ServiceApiError {
  static override readonly title: string = "OfferChangedError";
  declare readonly kind: "offer_changed";

  /** Differences of the flights, in their order. */
  declare readonly flights: BookingChanges["flights"];
  /** Terms that differ: baggage, classes, refundability, charges, fare type, meal, airline, supplier. */
  declare readonly terms: BookingChanges["terms"];
  /** Index of the offer in `data.result` of `quote`. */
  declare readonly offerIndex: number;
  /** The complete current quote. */
  declare readonly quote: FareQuote;

  constructor({ terms = [], ...details }: DetailsOf<OfferChangedError, "terms">) {
    super("offer_changed", { ...details, terms } as ErrorDetails, ["quote"]);
  }
}

/**
 * Thrown if the journal failed, hung or returned something unusable. A booking that was to be recorded was not sent.
 * `cause` is the error of the journal, its database or its file system.
 */
export class JournalError extends ServiceApiError {
  static override readonly title: string = "JournalError";
  declare readonly kind: "journal";

  constructor(details: ErrorDetails) {
    super("journal", { ...details, cause: causeOf(details.cause) });
  }
}

/**
 * Thrown if an earlier booking conflicts with this one: it exists, or it was sent and its outcome is not known yet.
 * Nothing was sent. Look `row` up and close it with `reconcile`. `allowDuplicate: true` overrides the check, unless the two
 * share a `client_referenceId`.
 */
export class BookingAlreadySentError extends ServiceApiError {
  static override readonly title: string = "BookingAlreadySentError";
  declare readonly kind: "booking_already_sent";

  /** The property that the two bookings share. */
  declare readonly conflict: BookingConflict;
  /** The earlier booking, from the journal. Its tokens are left out of logs. */
  declare readonly row: JournalRow;

  constructor(details: DetailsOf<BookingAlreadySentError>) {
    super("booking_already_sent", details, ["row"]);
  }
}

/**
 * Thrown by `reconcile` if the response may still come: a look-up may miss a booking that is being made. Nothing was
 * changed. Wait until `row.responseDueBy`, then look the booking up.
 */
export class BookingInFlightError extends ServiceApiError {
  static override readonly title: string = "BookingInFlightError";
  declare readonly kind: "booking_in_flight";

  /** The current row. Its tokens are left out of logs. */
  declare readonly row: JournalRow;

  constructor(details: DetailsOf<BookingInFlightError>) {
    super("booking_in_flight", details, ["row"]);
  }
}

/**
 * Thrown by `reconcile` if the row has been settled meanwhile. Nothing was changed: `row` is the row in the journal.
 */
export class BookingAlreadySettledError extends ServiceApiError {
  static override readonly title: string = "BookingAlreadySettledError";
  declare readonly kind: "booking_already_settled";

  /** The current row. Its tokens are left out of logs. */
  declare readonly row: JournalRow;

  constructor(details: DetailsOf<BookingAlreadySettledError>) {
    super("booking_already_settled", details, ["row"]);
  }
}

/**
 * Thrown by `trip.bookAll` if an offer could not be booked after others were. Those in `bookings` stand, with their
 * tickets to be issued; nothing after the failure was sent. `cause` is the error of the offer that failed, and `outcome`
 * its outcome: if that is `unknown`, look it up. Otherwise book the rest with `trip.book({ offerIndex, maxTotal: left, … })`,
 * or have the bookings cancelled.
 */
export class BookingIncompleteError extends ServiceApiError {
  static override readonly title: string = "BookingIncompleteError";
  declare readonly kind: "booking_incomplete";

  /** The bookings that were made, in the order of the offers. */
  declare readonly bookings: readonly CheckoutBooking[];
  /** Index of the offer that failed, in `data.result` of the quote. */
  declare readonly offerIndex: number;
  /**
   * Rest of `maxTotal`, or of the price that was agreed to, for that offer and those after it together: zero if the
   * price of a booking is not known, null if there is no limit.
   */
  declare readonly left: Money | null;

  constructor({ left = null, ...details }: DetailsOf<BookingIncompleteError, "left">) {
    super("booking_incomplete", { ...details, left } as ErrorDetails, ["bookings"]);
  }
}

/** An error of a checkout or a journal, as a union that `switch (error.kind)` narrows. */
export type CheckoutError =
  | BookingAlreadySentError
  | BookingAlreadySettledError
  | BookingInFlightError
  | BookingIncompleteError
  | JournalError
  | OfferChangedError
  | PriceAboveLimitError;

const kinds: Readonly<Record<CheckoutErrorKind, true>> = {
  booking_already_sent: true,
  booking_already_settled: true,
  booking_in_flight: true,
  booking_incomplete: true,
  journal: true,
  offer_changed: true,
  price_above_limit: true,
};

/**
 * Returns true for one of the seven errors of `serviceapi/flights`, also of another copy of this package. A checkout also
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
  return ServiceApiError.isInstance(value) && Object.hasOwn(kinds, value.kind);
}
