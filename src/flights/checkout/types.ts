import type { Issue } from "../../errors/base.ts";
import type { RequestOptions } from "../../options.ts";
import type { BookingChanges } from "../changes/index.ts";
import type { FeeQuery } from "../fees/index.ts";
import type { Flights } from "../flights.ts";
import type { BookingJournal, JournalRow } from "../journal/journal.ts";
import type { PassengerIssueCode, PassengerLimits, ValidatePassengersOptions } from "../passengers/index.ts";
import type { Money } from "../quote/money.ts";
import type { TicketDeadline } from "../quote/ticket-deadline.ts";
import type { Booking, FareQuote, Passenger, SearchToken } from "../types/index.ts";

/**
 * What a checkout calls: a `ServiceApi` client.
 *
 * A client of your own that wraps one has to pass the options of `book` on, above all `signal`: with it the checkout keeps a
 * booking from leaving, or ends it, when its journal row leaves no time for it (docs/assumptions.md, F18).
 */
export interface CheckoutClient {
  readonly flights: Pick<Flights, "fareQuote" | "fareRule" | "book"> & {
    /**
     * Returns the milliseconds after which a booking with these options has ended; `false` if there is no deadline. Without it, the
     * deadlines of the call count, else 180 seconds. The checkout ends the call itself if the client takes longer.
     */
    bookingTimeLimit?(options?: RequestOptions): number | false;
  };
}

/** Which flight of which search. */
export interface CheckoutParams {
  /** From the flight search. */
  readonly trace_id: string;
  /** Token of the flight in the search result. */
  readonly token: SearchToken;
}

/** Options of {@link checkout}. */
export interface CheckoutOptions {
  /** Records the bookings. @default a memory journal of this checkout, which is saved with it */
  readonly journal?: BookingJournal | undefined;
  /** The time zone in which `last_ticket_date` is read. @default "Asia/Kolkata" (docs/assumptions.md, F4) */
  readonly deadlineZone?: string | undefined;
  /**
   * Estimated lifetime of a search session in milliseconds (docs/assumptions.md, F2). Past it `session.mayHaveExpired` is true;
   * nothing is refused. @default 900_000 (15 minutes)
   */
  readonly sessionLifetime?: number | undefined;
  /** Bounds of the passenger checks. */
  readonly limits?: PassengerLimits | undefined;
  /** Makes a `client_referenceId` for each booking, which is recorded before it is sent. @default a ULID */
  readonly createReference?: (() => string) | undefined;
  /** Milliseconds since 1970, for tests. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** What {@link Checkout.fees} asks. */
export interface CheckoutFeeQuery extends FeeQuery {
  /** Which of the quote's results. @default the only one */
  readonly result?: number | undefined;
}

/** What {@link Checkout.validate} takes besides the passengers. */
export interface CheckoutValidateOptions extends Pick<ValidatePassengersOptions, "acceptIssues" | "extraBody"> {
  /** Which of the quote's results. @default the only one */
  readonly result?: number | undefined;
}

/** What {@link Checkout.book} takes. */
export interface CheckoutBookRequest {
  readonly passengers: readonly Passenger[];
  /** Which of the quote's results, counted from 0. A quote with several is booked one at a time. @default the only one */
  readonly result?: number | undefined;
  /** The most that this result may cost, `{ amount: "7600.00", currency: "INR" }`. It is held against a fresh quote before anything is booked. `undefined` is refused. */
  readonly maxTotal?: Money;
  /**
   * Milliseconds after which a quote is too old to book on and a fresh one is requested: `0` for always, `Infinity` for never. A
   * quote from the future (the clocks of two machines differ) is too old.
   *
   * @default 0 (always) with `maxTotal`, never without. Without `maxTotal` a fresh quote may not cost more than the one that was shown.
   */
  readonly requoteIfOlderThan?: number | undefined;
  /** Codes of passenger checks that do not stop the booking. @default [] */
  readonly acceptIssues?: readonly PassengerIssueCode[] | undefined;
  /**
   * The quote that the user agreed to, such as the `quote` of an {@link OfferChangedError}. The booking is refused if the trip
   * refers to a quote with other flights, or one that costs more (than `maxTotal`, if given). With it, a retry never books what
   * nobody has seen. `undefined` is refused.
   *
   * @default whatever the trip refers to
   */
  readonly agreed?: FareQuote;
  /**
   * Books although an earlier booking of this offer, quote token or journey exists or may exist. The rows of both are kept. A
   * `client_referenceId` that is taken is refused all the same.
   *
   * @default false
   */
  readonly force?: boolean | undefined;
  /** Your own unique reference. @default one is made */
  readonly client_referenceId?: string | undefined;
}

/** A reservation, and what to do with it. */
export interface CheckoutBooking {
  /** The answer as it came (§4.3). */
  readonly body: Booking;
  /** The airline's confirmation number; empty where the answer has none. */
  readonly pnr: string;
  /** The confirmation numbers that the response names; a warning says so if there are others than `pnr`. */
  readonly pnrs: readonly string[];
  /** The service's own number, digit by digit; empty if the response has none, or a warning says that its digits were lost. */
  readonly bookingId: string;
  readonly clientReferenceId: string;
  /** What differs from the quote that was shown. */
  readonly changes: BookingChanges;
  readonly nextStep: NextStep;
  /** Until when the ticket must be issued; null where that does not apply. */
  readonly deadline: TicketDeadline | null;
  /** Where the answer differs from the document, and what could not be written down. */
  readonly warnings: readonly Issue[];
}

/** A reservation is not a ticket (§1, §3.4). */
export interface NextStep {
  readonly action: "issueTicket";
  /** For a person. */
  readonly message: string;
  readonly before: TicketDeadline | null;
}

/** What is known of the search session (docs/assumptions.md, F2). */
export interface SearchSession {
  /** When it was first used here: milliseconds since 1970; null before the first quote. */
  readonly startedAt: number | null;
  /** When it is thought to end: milliseconds since 1970; null before the first quote. */
  readonly expiresAt: number | null;
  /** It may be over: a {@link SessionExpiredError} would be no surprise. Nothing is refused for it. */
  readonly mayHaveExpired: boolean;
}

/** A quote and when it came. */
export interface ShownQuote {
  readonly body: FareQuote;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What `JSON.stringify(trip)` writes and `resumeCheckout` reads. It holds no passenger data. */
export interface SavedCheckout {
  readonly version: 2;
  readonly traceId: string;
  readonly token: string;
  readonly startedAt: number | null;
  readonly shown: ShownQuote | null;
  /** Whether the trip had a journal of the application's: it is not resumed without one. */
  readonly journaled?: boolean | undefined;
  /** The bookings of this trip. */
  readonly attempts: readonly JournalRow[];
}
