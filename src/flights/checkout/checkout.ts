import { ConfigurationError } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { checkedClock } from "../../shared/clock.ts";
import { type FeeReport, fees } from "../fees/index.ts";
import type { BookingJournal, JournalRow } from "../journal/journal.ts";
import { memoryJournal } from "../journal/memory.ts";
import { type LookupResult, type ReconcileOptions, readReconcileOptions } from "../journal/reconcile.ts";
import { type PassengerIssue, validatePassengers } from "../passengers/index.ts";
import type { FareQuote, FareRule } from "../types/index.ts";
import { book } from "./book.ts";
import { checkPassengers, readFeeQuery, readValidateOptions } from "./options.ts";
import { reconcileTrip } from "./reconcile.ts";
import { pickResult, refuseEmpty } from "./requote.ts";
import type {
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutClient,
  CheckoutFeeQuery,
  CheckoutOptions,
  CheckoutParams,
  CheckoutValidateOptions,
  SavedCheckout,
  SearchSession,
  ShownQuote,
} from "./types.ts";

/** One flight on its way from a search result to a PNR; made by `checkout` and `resumeCheckout`. */
export class Checkout {
  readonly #api: CheckoutClient;
  readonly #options: CheckoutOptions;
  readonly #now: () => number;
  readonly #params: CheckoutParams;
  readonly #journal: BookingJournal;
  readonly #attempts: Map<string, JournalRow>;
  #startedAt: number | null;
  #shown: ShownQuote | null;

  /** @internal */
  constructor(api: CheckoutClient, saved: SavedCheckout, options: CheckoutOptions) {
    if (saved.journaled === true && options.journal === undefined) {
      throw new ConfigurationError(
        "resumeCheckout: this trip was saved with a journal. Pass the same `journal`: it is what stops a second booking.",
      );
    }
    this.#api = api;
    this.#options = options;
    this.#now = checkedClock("checkout", options.now);
    this.#params = { trace_id: saved.traceId, token: saved.token };
    this.#journal = options.journal ?? memoryJournal(saved.attempts);
    this.#attempts = new Map(saved.attempts.map((row) => [row.attemptId, row]));
    this.#startedAt = saved.startedAt;
    this.#shown = saved.shown;
  }

  /** How old the search session is (docs/assumptions.md, F2). */
  get session(): SearchSession {
    const startedAt = this.#startedAt;
    const expiresAt = startedAt === null ? null : startedAt + (this.#options.sessionLifetime ?? 900_000);
    return { startedAt, expiresAt, mayHaveExpired: expiresAt !== null && this.#now() >= expiresAt };
  }

  /** The quote that the user was shown, and when it came; null before the first `quote()`. */
  get shown(): ShownQuote | null {
    return this.#shown;
  }

  /** The bookings of this trip so far, one row for each attempt that was sent, as this trip last saw them. */
  get bookingAttempts(): readonly JournalRow[] {
    return [...this.#attempts.values()];
  }

  /**
   * Asks for the quote that the user is shown, and remembers it (§4.4): fees, checks and changes refer to it.
   *
   * @throws {@link OfferUnavailableError} when nothing is left, an empty answer included.
   * @throws {@link SessionExpiredError} when the search is too old.
   */
  async quote(options?: RequestOptions): Promise<FareQuote> {
    this.#startedAt ??= this.#now();
    const body = refuseEmpty(await this.#api.flights.fareQuote(this.#params, options).withResponse());
    this.#shown = { body, at: this.#now() };
    return body;
  }

  /** Asks for the rules in the words of the airline (§4.5); `fareRuleText` of `serviceapi/flights/rule-text` makes them readable. */
  async rules(options?: RequestOptions): Promise<FareRule> {
    this.#startedAt ??= this.#now();
    return await this.#api.flights.fareRule(this.#params, options);
  }

  /**
   * Checks passengers against the quote; see `validatePassengers`. A quote with several results is one trip: ages count over all.
   *
   * @throws {@link ConfigurationError} before the first `quote()`, for an unknown option or an invalid value, or if the quote has
   *   several results and none is named.
   */
  validate(passengers: readonly unknown[], options: CheckoutValidateOptions = {}): PassengerIssue[] {
    checkPassengers(passengers);
    const { result, ...checks } = readValidateOptions(options);
    const { body } = this.#quoted();
    return validatePassengers(pickResult(body, result).offer, passengers, {
      ...this.#options.limits,
      ...checks,
      trip: body.data.result,
      now: this.#now(),
      deadlineZone: this.#options.deadlineZone,
    });
  }

  /**
   * Answers what a change or a cancellation costs at a moment; see `fees`.
   *
   * @throws {@link ConfigurationError} before the first `quote()`, or when the quote has several results and none is named.
   */
  fees(asked: CheckoutFeeQuery): FeeReport {
    const { result, ...question } = readFeeQuery(asked);
    return fees(pickResult(this.#quoted().body, result).offer, question);
  }

  /**
   * Books one result of the quote: checks the passengers, compares the price of a fresh quote with `maxTotal`, records the booking,
   * sends it once, and compares what was booked with what was shown.
   *
   * @param request - Passengers, and what may change.
   * @param options - Options of the booking call; fields that the document does not show go into `extraBody`. The deadlines and
   *   the signal hold for the journal too.
   * @returns The reservation. Ticketing must follow: `nextStep`, `deadline`.
   * @throws {@link PassengerValidationError} when a passenger check is an error; `issues` are those of `validate`. Nothing was sent.
   * @throws {@link PriceAboveLimitError} when a fresh quote costs more; it carries the quote. Nothing was booked.
   * @throws {@link OfferChangedError} when a fresh quote has other flights, times or terms. Nothing was booked.
   * @throws {@link BookingAlreadySentError} when this was booked or sent before, or the same flights were for the same passengers.
   *   Nothing was sent.
   * @throws {@link JournalError} when the journal failed or did not respond in time. Nothing was sent.
   * @throws {@link BookingOutcomeUnknownError} when it was sent and no usable response came back: look it up, then `reconcile`.
   * @throws {@link ApiError} when the service refused it.
   * @throws {@link TimeoutError} with the outcome `notSent` when too little time was left for it, after a suspension say: book again.
   * @throws {@link AbortError} when `signal` was aborted before it was sent. Nothing was sent.
   * @throws {@link ConfigurationError} before the first `quote()`, for an unknown option or an invalid value, or if `extraBody` sets
   *   a field that the journal records, or `maxTotal` or `agreed` is given as `undefined`.
   */
  async book(request: CheckoutBookRequest, options: RequestOptions = {}): Promise<CheckoutBooking> {
    return book(
      {
        api: this.#api,
        params: this.#params,
        options: this.#options,
        now: this.#now,
        journal: this.#journal,
        attempts: this.#attempts,
        quoted: () => this.#quoted(),
        quote: (options) => this.quote(options),
        validate: (passengers, options) => this.validate(passengers, options),
      },
      request,
      options,
    );
  }

  /**
   * Closes a booking of this trip whose outcome was unknown, once it was looked up. A booking that only the saved trip knows is
   * written into the journal first.
   *
   * @param found - `{ pnr, bookingId }` of what was found, or `"notBooked"`, after which it can be booked again.
   * @param clientReferenceId - Which booking. @default the only one that is open
   * @param options - See {@link ReconcileOptions}.
   * @throws {@link ConfigurationError} when there is no such booking, or several are open and none is named; and as `reconcile` does.
   * @throws {@link JournalError} when the journal failed or hung. The row may be closed or still open: reconcile again.
   * @throws {@link BookingInFlightError} for `"notBooked"`, when the service may still be making the booking.
   * @throws {@link BookingAlreadySettledError} when it was settled meanwhile.
   */
  async reconcile(
    found: LookupResult,
    clientReferenceId?: string,
    options: ReconcileOptions = {},
  ): Promise<JournalRow> {
    const { force, now = this.#now } = readReconcileOptions("trip.reconcile", options);
    const bookings = { journal: this.#journal, attempts: this.#attempts };
    return reconcileTrip(bookings, found, clientReferenceId, { force, now });
  }

  /** What `resumeCheckout` reads: the quote and the bookings so far, no passenger data. */
  toJSON(): SavedCheckout {
    const { trace_id: traceId, token } = this.#params;
    const journaled = this.#options.journal !== undefined;
    return {
      version: 2,
      traceId,
      token,
      startedAt: this.#startedAt,
      shown: this.#shown,
      journaled,
      attempts: this.bookingAttempts,
    };
  }

  /** What `console.log` shows in Node, Deno and Bun: how far it has come, no token and no passenger. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    const quote = this.#shown === null ? "not quoted yet" : "quoted";
    return `Checkout { ${quote}; bookings: ${this.bookingAttempts.map(({ state }) => state).join(", ") || "none"} }`;
  }

  #quoted(): ShownQuote {
    if (this.#shown === null)
      throw new ConfigurationError("Call quote() first: what follows refers to what the user was shown.");
    return this.#shown;
  }
}
