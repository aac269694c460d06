import { defineHidden, type ErrorDetails, ServiceApiError } from "../errors/base.ts";
import { RequestValidationError } from "../errors/request.ts";
import type { BookingChanges } from "./changes/index.ts";
import type { Conflict, JournalRow } from "./journal/journal.ts";
import type { PassengerIssue } from "./passengers/issues.ts";
import type { Money } from "./quote/money.ts";
import type { FareQuote } from "./types/index.ts";

/**
 * Passenger checks refused the booking. Nothing was sent. `issues` are the errors among what `validate` returns, and
 * `RequestValidationError.isInstance` holds too.
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
  override get name(): string {
    return "PassengerValidationError";
  }
  /** The errors of the passenger checks, some of them with a suggestion. */
  declare readonly issues: readonly PassengerIssue[];

  constructor(details: ErrorDetails & { readonly issues: readonly PassengerIssue[] }) {
    super(details);
  }
}

/**
 * A fresh quote costs more than `maxTotal`, or more than what the user was shown, or its price could not be read.
 * Nothing was booked. `quote` is what to show next; the checkout compares with it from here on.
 */
export class PriceAboveLimitError extends ServiceApiError {
  override get name(): string {
    return "PriceAboveLimitError";
  }
  declare readonly kind: "price_above_limit";

  /** What the offer costs now; null where its price could not be read or is of another currency. */
  readonly total: Money | null;
  /** What it was allowed to cost. */
  readonly limit: Money;
  /** Which of the quote's results it is. */
  readonly result: number;
  /** The fresh quote, whole. */
  declare readonly quote: FareQuote;

  constructor(
    details: ErrorDetails & {
      readonly total: Money | null;
      readonly limit: Money;
      readonly result: number;
      readonly quote: FareQuote;
    },
  ) {
    super("price_above_limit", details);
    this.total = details.total;
    this.limit = details.limit;
    this.result = details.result;
    defineHidden(this, { quote: details.quote });
  }
}

/**
 * A fresh quote has other flights, times or terms than the one that the user was shown. Nothing was booked.
 * `quote` is what to show next; the checkout compares with it from here on.
 */
export class OfferChangedError extends ServiceApiError {
  override get name(): string {
    return "OfferChangedError";
  }
  declare readonly kind: "offer_changed";

  /** What differs, flight by flight. */
  readonly flights: BookingChanges["flights"];
  /** Terms that differ: baggage, classes, refundability, charges, fare type, meal, airline, supplier. */
  readonly terms: BookingChanges["terms"];
  /** Which of the quote's results it is. */
  readonly result: number;
  /** The fresh quote, whole. */
  declare readonly quote: FareQuote;

  constructor(
    details: ErrorDetails & {
      readonly flights: BookingChanges["flights"];
      readonly terms?: BookingChanges["terms"];
      readonly result: number;
      readonly quote: FareQuote;
    },
  ) {
    super("offer_changed", details);
    this.flights = details.flights;
    this.terms = details.terms ?? [];
    this.result = details.result;
    defineHidden(this, { quote: details.quote });
  }
}

/**
 * The journal failed, hung or returned something unusable. A booking that was to be recorded was not sent. `cause` is what the
 * journal, its database or its file system threw.
 */
export class JournalError extends ServiceApiError {
  override get name(): string {
    return "JournalError";
  }
  declare readonly kind: "journal";

  constructor(details: ErrorDetails) {
    super("journal", details);
  }
}

/**
 * An earlier booking stands in the way: it exists, or was sent and nobody knows yet what became of it. Nothing was sent.
 * Look `row` up and close it with `reconcile`. `force: true` books all the same, unless the two share a `client_referenceId`.
 */
export class BookingAlreadySentError extends ServiceApiError {
  override get name(): string {
    return "BookingAlreadySentError";
  }
  declare readonly kind: "booking_already_sent";

  /** What the two bookings have in common. */
  readonly conflict: Conflict;
  /** The earlier booking, from the journal. Its tokens are left out of logs. */
  declare readonly row: JournalRow;

  constructor(details: ErrorDetails & { readonly conflict: Conflict; readonly row: JournalRow }) {
    super("booking_already_sent", details);
    this.conflict = details.conflict;
    defineHidden(this, { row: details.row });
  }
}

/**
 * A row was to be reconciled whose response may still come: a look-up may miss a booking that is being made. Nothing was
 * changed. Wait until `row.answerBy`, then look it up.
 */
export class BookingInFlightError extends ServiceApiError {
  override get name(): string {
    return "BookingInFlightError";
  }
  declare readonly kind: "booking_in_flight";

  /** The row as it stands. Its tokens are left out of logs. */
  declare readonly row: JournalRow;

  constructor(details: ErrorDetails & { readonly row: JournalRow }) {
    super("booking_in_flight", details);
    defineHidden(this, { row: details.row });
  }
}

/** A row was to be reconciled that has been settled meanwhile. Nothing was changed: `row` is what the journal holds. */
export class BookingAlreadySettledError extends ServiceApiError {
  override get name(): string {
    return "BookingAlreadySettledError";
  }
  declare readonly kind: "booking_already_settled";

  /** The row as it stands. Its tokens are left out of logs. */
  declare readonly row: JournalRow;

  constructor(details: ErrorDetails & { readonly row: JournalRow }) {
    super("booking_already_settled", details);
    defineHidden(this, { row: details.row });
  }
}
