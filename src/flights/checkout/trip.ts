import {
  AbortError,
  ConfigurationError,
  formatPath,
  listIssues,
  RequestValidationError,
} from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { createReference } from "../../transport/reference.ts";
import { type FeeReport, fees } from "../fees.ts";
import { fingerprintOf } from "../journal/fingerprint.ts";
import { type BookingJournal, isPending, type JournalRow } from "../journal/journal.ts";
import { memoryJournal } from "../journal/memory.ts";
import { askJournal, type Found, type ReconcileOptions, reconcile } from "../journal/reconcile.ts";
import { readRow } from "../journal/row.ts";
import { type PassengerIssue, validatePassengers } from "../passengers.ts";
import type { FareQuote, FareQuoteResult, FareRule, Passenger } from "../types.ts";
import { Attempt } from "./attempt.ts";
import { bookingDeadlines } from "./deadlines.ts";
import { checkPassengers, readBookOptions, readBookRequest, readFeeQuestion, readValidateOptions } from "./options.ts";
import { peopleSent } from "./people.ts";
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
    this.#now = clockOf(options.now ?? Date.now);
    this.#params = { trace_id: saved.traceId, token: saved.token };
    this.#journal = options.journal ?? memoryJournal(saved.attempts);
    this.#attempts = new Map(saved.attempts.map((row) => [row.attemptId, row]));
    this.#startedAt = saved.startedAt;
    this.#shown = saved.shown;
  }

  /** How old the search session is (docs/assumptions.md, F2). */
  get session(): Session {
    const startedAt = this.#startedAt;
    const expiresAt = startedAt === null ? null : startedAt + (this.#options.sessionMinutes ?? 15) * 60_000;
    return { startedAt, expiresAt, mayHaveExpired: expiresAt !== null && this.#now() >= expiresAt };
  }

  /** The quote that the user was shown, and when it came; null before the first `quote()`. */
  get shown(): ShownQuote | null {
    return this.#shown;
  }

  /** The bookings of this trip so far, one row for each attempt that was sent, as this trip last saw them. */
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
   * @throws {@link ConfigurationError} before the first `quote()`, for an unknown option or an invalid value, or if the quote has
   *   several results and none is named.
   */
  validate(passengers: readonly Passenger[], options: CheckoutValidateOptions = {}): PassengerIssue[] {
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
  fees(asked: CheckoutFeeQuestion): FeeReport {
    const { result, ...question } = readFeeQuestion(asked);
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
   * @throws {@link RequestValidationError} when a passenger check is an error; `issues` are those of `validate`. Nothing was sent.
   * @throws {@link PriceAboveLimitError} when a fresh quote costs more; it carries the quote. Nothing was booked.
   * @throws {@link OfferChangedError} when a fresh quote has other flights, times or terms. Nothing was booked.
   * @throws {@link BookingAlreadySentError} when this was booked or sent before, or the same flights were for the same passengers.
   *   Nothing was sent.
   * @throws {@link JournalError} when the journal failed or did not respond in time. Nothing was sent.
   * @throws {@link BookingOutcomeUnknownError} when it was sent and no usable response came back: look it up, then `reconcile`.
   * @throws {@link ApiError} when the service refused it.
   * @throws {@link AbortError} when `signal` was aborted before it was sent.
   * @throws {@link ConfigurationError} before the first `quote()`, for an unknown option or an invalid value, or if `extraBody` sets
   *   a field that the journal records.
   */
  async book(request: CheckoutBookRequest, options: RequestOptions = {}): Promise<CheckoutBooking> {
    const asked = readBookRequest(request);
    const call = readBookOptions(options);
    const shown = this.#quoted();
    const { offer, index } = pickResult(shown.body, asked.result);
    const maxTotal = readLimit(asked.maxTotal);
    if (asked.agreed !== undefined) checkFresh(pickResult(asked.agreed, index).offer, shown.body, index, maxTotal);
    this.#refuseIssues(asked, index, call);
    refuseAborted(call.signal);

    const attempt = await this.#attempt(asked, index, offer, call);
    await attempt.refuseConflicts();
    const fresh = await this.#freshOffer(shown, offer, index, { ...asked, maxTotal }, call);
    if (fresh !== offer) this.#refuseIssues(asked, index, call);
    const booked = await sendBooking(
      this.#api,
      attempt,
      {
        trace_id: this.#params.trace_id,
        token: fresh.token,
        passengers: asked.passengers,
        client_referenceId: attempt.clientReferenceId,
      },
      call,
    );
    return describeBooking(booked, offer, this.#options.deadlineZone);
  }

  /**
   * Closes a booking of this trip whose outcome was unknown, once it was looked up.
   *
   * @param found - `{ pnr, bookingId }` of what was found, or `"notBooked"`, after which it can be booked again.
   * @param clientReferenceId - Which booking. @default the only one that is open
   * @param options - See {@link ReconcileOptions}.
   * @throws {@link ConfigurationError} when there is no such booking, or several are open and none is named; and as `reconcile` does.
   * @throws {@link BookingInFlightError} when its response may still come.
   * @throws {@link BookingAlreadySettledError} when it was settled meanwhile.
   */
  async reconcile(found: Found, clientReferenceId?: string, options: ReconcileOptions = {}): Promise<JournalRow> {
    const open: JournalRow[] = [];
    for (const row of this.attempts) {
      const current = readRow(await askJournal(row, () => this.#journal.get(row.attemptId))) ?? row;
      this.#attempts.set(current.attemptId, current);
      const isMeant = clientReferenceId === undefined || current.clientReferenceId === clientReferenceId;
      if (isMeant && isPending(current)) open.push(current);
    }
    const [row, ...others] = open;
    if (row === undefined || others.length > 0) {
      throw new ConfigurationError(
        `This trip has ${row === undefined ? "no such booking" : "several bookings"} open. Name one by its client_referenceId, or close a row of journal.pending() with reconcile(journal, row, found).`,
      );
    }
    const closed = await reconcile(this.#journal, row, found, { now: this.#now, ...options });
    this.#attempts.set(closed.attemptId, closed);
    return closed;
  }

  /** What `resumeCheckout` reads: the quote and the bookings so far, no passenger data. */
  toJSON(): SavedCheckout {
    const { trace_id: traceId, token } = this.#params;
    return { version: 2, traceId, token, startedAt: this.#startedAt, shown: this.#shown, attempts: this.attempts };
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

  async #attempt(
    request: CheckoutBookRequest,
    result: number,
    offer: FareQuoteResult,
    call: RequestOptions,
  ): Promise<Attempt> {
    const { trace_id: traceId, token: searchToken } = this.#params;
    const planned = {
      attemptId: createReference(),
      clientReferenceId: request.client_referenceId ?? this.#createReference(),
      traceId,
      searchToken,
      token: offer.token,
      result,
      fingerprint: await fingerprintOf(offer, peopleSent(request.passengers, call.extraBody)),
      ...(request.force === true && { forced: true }),
    };
    return new Attempt(planned, {
      journal: this.#journal,
      own: this.#attempts,
      force: request.force ?? false,
      now: this.#now,
      deadlines: bookingDeadlines(this.#api, call),
      signal: call.signal,
    });
  }

  #createReference(): string {
    const reference: unknown = (this.#options.createReference ?? createReference)();
    if (typeof reference === "string" && reference.trim() !== "") return reference;
    throw new ConfigurationError("checkout: `createReference` must return a non-empty string. Nothing was sent.");
  }

  /** The offer to book: the one that was shown, or the same on a fresh quote that costs no more than it may. */
  async #freshOffer(
    shown: ShownQuote,
    offer: FareQuoteResult,
    index: number,
    { maxTotal, requoteIfOlderThan = maxTotal === undefined ? Number.POSITIVE_INFINITY : 0 }: CheckoutBookRequest,
    { signal }: RequestOptions,
  ): Promise<FareQuoteResult> {
    if (isYoungerThan(requoteIfOlderThan, this.#now() - shown.at)) {
      if (maxTotal !== undefined) checkPrice(offer, shown.body, index, maxTotal);
      return offer;
    }
    const fresh = await this.quote({ signal });
    checkFresh(offer, fresh, index, maxTotal);
    return pickResult(fresh, index).offer;
  }
}

/** A negative age means that two clocks differ: how old the quote is, nobody knows. */
function isYoungerThan(limit: number, age: number): boolean {
  return limit === Number.POSITIVE_INFINITY || (age >= 0 && age < limit);
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new AbortError({
    message: "flights.book: aborted by the caller before it was sent. Nothing is booked.",
    operation: "flights.book",
    phase: "credentials",
    reason: signal.reason,
  });
}

/** A clock of the application's: every guard compares with what it says. */
function clockOf(now: () => number): () => number {
  return () => {
    const time: unknown = now();
    if (typeof time === "number" && Number.isFinite(time)) return time;
    throw new ConfigurationError("checkout: `now` must return milliseconds since 1970.");
  };
}
