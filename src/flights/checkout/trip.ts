import { ConfigurationError, formatPath, listIssues, RequestValidationError } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { createReference } from "../../transport/reference.ts";
import { type FeeReport, fees } from "../fees.ts";
import { type BookingJournal, type Found, isPending, type JournalRow, memoryJournal, reconcile } from "../journal.ts";
import { type PassengerIssue, validatePassengers } from "../passengers.ts";
import type { FareQuote, FareQuoteResult, FareRule, Passenger } from "../types.ts";
import { Attempt } from "./attempt.ts";
import { checkFresh, checkPrice, pickResult, readLimit, refuseEmpty } from "./requote.ts";
import { describeBooking, sendBooking } from "./send.ts";
import type {
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutClient,
  CheckoutFeeQuestion,
  CheckoutOptions,
  CheckoutParams,
  CheckoutValidateOptions,
  SavedCheckout,
  Session,
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
    this.#api = api;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#params = { trace_id: saved.traceId, token: saved.token };
    this.#journal = options.journal ?? memoryJournal(saved.attempts);
    this.#attempts = new Map(saved.attempts.map((row) => [row.clientReferenceId, row]));
    this.#startedAt = saved.startedAt;
    this.#shown = saved.shown;
  }

  /** How old the search session is (docs/assumptions.md, F2). */
  get session(): Session {
    const startedAt = this.#startedAt;
    const expiresAt = startedAt === null ? null : startedAt + (this.#options.sessionMinutes ?? 15) * 60_000;
    return { startedAt, expiresAt, mayHaveExpired: expiresAt !== null && this.#now() >= expiresAt };
  }

  /** The bookings of this trip so far, one row each. */
  get attempts(): readonly JournalRow[] {
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
   * @throws {@link ConfigurationError} before the first `quote()`, or when the quote has several results and none is named.
   */
  validate(passengers: readonly Passenger[], { result, ...options }: CheckoutValidateOptions = {}): PassengerIssue[] {
    const { body } = this.#quoted();
    return validatePassengers(pickResult(body, result).offer, passengers, {
      ...this.#options.limits,
      ...options,
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
  fees({ result, ...question }: CheckoutFeeQuestion): FeeReport {
    return fees(pickResult(this.#quoted().body, result).offer, question);
  }

  /**
   * Books one result of the quote: checks the passengers, holds the price against `maxTotal` on a fresh quote, writes the booking
   * down, sends it once, and compares what was booked with what was shown.
   *
   * @param request - Passengers, and what may change.
   * @param options - Options of the booking call; fields that the document does not show go into `extraBody`.
   * @returns The reservation. Ticketing must follow: `nextStep`, `deadline`.
   * @throws {@link RequestValidationError} when a passenger check is an error; `issues` are those of `validate`. Nothing was sent.
   * @throws {@link PriceAboveLimitError} when a fresh quote costs more; it carries the quote. Nothing was booked.
   * @throws {@link OfferChangedError} when a fresh quote has other flights or times. Nothing was booked.
   * @throws {@link BookingAlreadySentError} when this was booked or sent before. Nothing was sent.
   * @throws {@link JournalError} when the journal could not write it down. Nothing was sent.
   * @throws {@link BookingOutcomeUnknownError} when it was sent and no usable answer came back: look it up, then `reconcile`.
   * @throws {@link ApiError} when the service refused it.
   * @throws {@link ConfigurationError} before the first `quote()`, or when `result` or `maxTotal` is not what it should be.
   */
  async book(request: CheckoutBookRequest, options: RequestOptions = {}): Promise<CheckoutBooking> {
    const shown = this.#quoted();
    const { offer, index } = pickResult(shown.body, request.result);
    const maxTotal = readLimit(request.maxTotal);
    this.#refuseIssues(request, index, options);

    const attempt = this.#attempt(request, index, offer);
    const fresh = await attempt.prepare(async () => {
      const quoted = await this.#freshOffer(shown, offer, index, { ...request, maxTotal }, options);
      if (quoted !== offer) this.#refuseIssues(request, index, options);
      return quoted;
    });
    const booked = await sendBooking(
      this.#api,
      attempt,
      {
        trace_id: this.#params.trace_id,
        token: fresh.token,
        passengers: request.passengers,
        client_referenceId: attempt.clientReferenceId,
      },
      options,
    );
    return describeBooking(booked, offer, this.#options.deadlineZone);
  }

  /**
   * Closes a booking of this trip whose outcome was unknown, once it was looked up.
   *
   * @param found - `{ pnr, bookingId }` of what was found, or `"notBooked"`, after which it can be booked again.
   * @param clientReferenceId - Which booking. @default the only one that is open
   * @throws {@link ConfigurationError} when there is no such booking, or several are open and none is named.
   */
  async reconcile(found: Found, clientReferenceId?: string): Promise<JournalRow> {
    const isMeant = (row: JournalRow) => clientReferenceId === undefined || row.clientReferenceId === clientReferenceId;
    const [row, ...others] = this.attempts.filter((attempt) => isPending(attempt) && isMeant(attempt));
    if (row === undefined || others.length > 0) {
      throw new ConfigurationError(
        `This trip has ${row === undefined ? "no such booking" : "several bookings"} open. Name one by its client_referenceId, or close a row of journal.pending() with reconcile(journal, row, found).`,
      );
    }
    const closed = await reconcile(this.#journal, row, found, this.#now());
    this.#attempts.set(closed.clientReferenceId, closed);
    return closed;
  }

  /** What `resumeCheckout` reads: the quote and the bookings so far, no passenger data. */
  toJSON(): SavedCheckout {
    const { trace_id: traceId, token } = this.#params;
    return { version: 1, traceId, token, startedAt: this.#startedAt, shown: this.#shown, attempts: this.attempts };
  }

  /** What `console.log` shows in Node, Deno and Bun: how far it has come, no token and no passenger. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    const quote = this.#shown === null ? "not quoted yet" : "quoted";
    return `Checkout { ${quote}; bookings: ${this.attempts.map(({ state }) => state).join(", ") || "none"} }`;
  }

  #quoted(): ShownQuote {
    if (this.#shown === null)
      throw new ConfigurationError("Call quote() first: what follows refers to what the user was shown.");
    return this.#shown;
  }

  #refuseIssues(
    { passengers, acceptIssues }: CheckoutBookRequest,
    result: number,
    { extraBody }: RequestOptions,
  ): void {
    const issues = this.validate(passengers, { result, acceptIssues, extraBody }).filter(
      (issue) => issue.severity === "error",
    );
    if (issues.length === 0) return;
    const list = listIssues(
      issues,
      ({ path, message, code }) => `${formatPath(path)}: ${message.replace(/\.$/, "")} (${code})`,
    );
    throw new RequestValidationError({
      message: `The passengers cannot be booked as they are: ${list}. Nothing was sent.`,
      operation: "flights.book",
      issues,
    });
  }

  #attempt(request: CheckoutBookRequest, result: number, offer: FareQuoteResult): Attempt {
    const { trace_id: traceId, token: searchToken } = this.#params;
    const clientReferenceId = request.client_referenceId ?? (this.#options.createReference ?? createReference)();
    const row = {
      clientReferenceId,
      traceId,
      searchToken,
      token: offer.token,
      result,
      state: "intent",
      at: this.#now(),
    } as const;
    return new Attempt(this.#journal, this.#attempts, row, request.force ?? false, this.#now);
  }

  /** The offer to book: the one that was shown, or the same on a fresh quote that costs no more than it may. */
  async #freshOffer(
    shown: ShownQuote,
    offer: FareQuoteResult,
    index: number,
    { maxTotal, requoteIfOlderThan = maxTotal === undefined ? Number.POSITIVE_INFINITY : 0 }: CheckoutBookRequest,
    { signal }: RequestOptions,
  ): Promise<FareQuoteResult> {
    if (this.#now() - shown.at < requoteIfOlderThan) {
      if (maxTotal !== undefined) checkPrice(offer, shown.body, index, maxTotal);
      return offer;
    }
    const fresh = await this.quote({ signal });
    checkFresh(offer, fresh, index, maxTotal);
    return pickResult(fresh, index).offer;
  }
}
