import { type ByKind, type DetailsOf, type ErrorDetails, ofKind, ServiceApiError } from "../errors/base.ts";
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

  /** Current price of the offer, or of all that `bookAll` had still to book; null if it cannot be read or compared. */
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
 * Thrown by `trip.bookAll` if an offer could not be booked while others are. These stand, with their tickets to be issued;
 * nothing after the failure was sent. `cause` is the error of the offer that failed, and `outcome` its outcome: if that is
 * `unknown`, look it up. Otherwise call `bookAll` again, or have the bookings cancelled.
 */
export class BookingIncompleteError extends ServiceApiError {
  static override readonly title: string = "BookingIncompleteError";
  declare readonly kind: "booking_incomplete";

  /** The bookings that were made by this call, in the order of the offers. */
  declare readonly bookings: readonly CheckoutBooking[];
  /** The rows of what is booked, by this call or before it. Their tokens are left out of logs. */
  declare readonly booked: readonly JournalRow[];
  /** Index of the offer that failed, in `data.result` of the quote; -1 if its booking may exist, and it has left the quote. */
  declare readonly offerIndex: number;
  /**
   * Rest of `maxTotal`, or of the price that was agreed to, for that offer and those after it together: zero if the
   * price of a booking is not known, null if there is no limit.
   */
  declare readonly left: Money | null;

  constructor({ left = null, ...details }: DetailsOf<BookingIncompleteError, "left">) {
    super("booking_incomplete", { ...details, left } as ErrorDetails, ["bookings", "booked"]);
  }
}

/** The sentences for the traveller. */
const texts = {
  correct: "Please correct the details of the passengers.",
  otherParty: "Its passengers have to be those of the part that is booked: please enter them as they were, or call us.",
  confirm: "Please look at the offer and its price again.",
  search: "This offer is gone, or its search is too old: please search again.",
  retry: "This did not work: please try again later.",
  wait: "The booking may exist already. Please do not book again.",
  /** Without the PNR: that of another booking of the search may be other people's. */
  booked: "This is booked already. Please do not book again.",
} as const;

/** The next step after a failed booking: see {@link adviceFor}. */
export type BookingAdvice = {
  /** A sentence for the traveller. */
  readonly text: string;
  /** The part of the trip that is booked, and stands: what has changed in it is to be shown, too. */
  readonly booked: readonly JournalRow[];
} & (
  | {
      readonly next: "correct";
      /** The issues of the passengers, for the form; none if they have to be those of the part that is booked: see `text`. */
      readonly issues: readonly PassengerIssue[];
    }
  | {
      readonly next: "confirm";
      /** The quote to show. */
      readonly quote: FareQuote;
    }
  | {
      readonly next: "booked";
      /** The row of the earlier booking, which may be another traveller's. */
      readonly row: JournalRow;
    }
  | {
      /** The next step: see {@link adviceFor}. */
      readonly next: "search" | "retry" | "wait";
    }
);

/**
 * Returns what a page does next, and says to the traveller, after an error of `quote`, `book` or `bookAll` of a checkout:
 *
 * - `correct`: show the form again, with its `issues`.
 * - `confirm`: the offer or its price has changed. Show `quote`, and ask.
 * - `search`: the offer is gone, or the search too old.
 * - `retry`: this call booked nothing, for a reason that may pass. It may be made again.
 * - `wait`: a booking may exist. Find out, and do not book again.
 * - `booked`: it is booked already, by an earlier click or another order: see `row`, and do not book again.
 *
 * After a `BookingIncompleteError` it is the step for the rest of the trip, which `bookAll` of a trip of the order books.
 *
 * @param error - Anything that was thrown.
 * @returns The advice; null for a fault of the program, which is to be thrown again.
 *
 * @example
 * ```ts
 * import { adviceFor } from "serviceapi/flights";
 *
 * try {
 *   await trip.bookAll({ passengers, maxTotal });
 * } catch (error) {
 *   const advice = adviceFor(error);
 *   if (advice === null) throw error;
 *   console.log(advice.text, advice.next === "correct" ? advice.issues : "");
 * }
 * ```
 */
export function adviceFor(error: unknown): BookingAdvice | null {
  const isPart = BookingIncompleteError.isInstance(error);
  const cause = isPart ? error.cause : error;
  const booked = isPart ? error.booked : [];
  const next = nextAfter(cause) ?? (isPart && "wait");
  if (!next) return null;
  const issues = PassengerValidationError.isInstance(cause) ? cause.issues : [];
  const text = next === "correct" && !issues.length && RequestValidationError.isInstance(cause) ? "otherParty" : next;
  const about = { text: textFor(text, booked), booked };
  if (next === "correct") return { next, ...about, issues };
  if (next === "confirm") return { next, ...about, quote: (cause as OfferChangedError).quote };
  if (next === "booked") return { next, ...about, row: (cause as BookingAlreadySentError).row };
  return { next, ...about };
}

/** The steps of which the class of the error alone decides. */
const steps: ByKind<BookingAdvice["next"]> = {
  correct: "correct",
  price_above_limit: "confirm",
  offer_changed: "confirm",
  search: "search",
  booking_already_sent: "wait",
};

function textFor(next: keyof typeof texts, booked: readonly JournalRow[]): string {
  const step = texts[next];
  if (booked.length > 0) {
    const flights = booked.flatMap((row) => row.flights ?? []).join(", ");
    return `A part of the trip is booked, and stands${flights && `: ${flights}`}. The rest: ${step}`;
  }
  return next === "wait" || next === "booked" ? step : `${step} Nothing was booked just now.`;
}

/** The steps after what a checkout refuses: two offers that cannot both be booked, and people other than those of the order. */
const ofRefused: Readonly<Record<string, "search" | "correct">> = { repeated: "search", other_party: "correct" };

/** Returns the next step after an error of one booking; undefined for a fault of the program. */
function nextAfter(error: unknown): BookingAdvice["next"] | undefined {
  if (PassengerValidationError.isInstance(error)) return "correct";
  if (RequestValidationError.isInstance(error)) return ofRefused[error.issues[0]?.code ?? ""];
  if (!ServiceApiError.isInstance(error) || error.kind === "configuration") return undefined;
  if (BookingAlreadySentError.isInstance(error) && error.row.state === "booked") return "booked";
  const { kind, outcome, operation = "" } = error;
  // A look-up books nothing, whatever its own outcome is.
  const isLookUp = ["flights.fareQuote", "flights.fareRule"].includes(operation);
  if (outcome === "unknown" && !isLookUp) return "wait";
  const step = ofKind(steps, kind) ?? "retry";
  return step === "correct" && isLookUp ? "search" : step;
}
