import type { Client } from "../../client.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { checkedClock } from "../../shared/clock.ts";
import { type FeeReport, fees } from "../fees/index.ts";
import { adopt } from "../journal/adopt.ts";
import { type BookingJournal, isPending, type JournalRow } from "../journal/journal.ts";
import { memoryJournal } from "../journal/memory.ts";
import {
  askForRow,
  askForRows,
  type LookupResult,
  type ReconcileOptions,
  readReconcileOptions,
  reconcile,
} from "../journal/reconcile.ts";
import { fareQuote, fareRule } from "../operations.ts";
import { type PassengerIssue, validatePassengers } from "../passengers/index.ts";
import type { FareQuote, FareRule } from "../types/index.ts";
import { defaultSessionLifetime } from "../types/tokens.ts";
import { book } from "./book.ts";
import { checkPassengers, readFeeQuery, readValidateOptions } from "./options.ts";
import { pickResult, refuseEmpty } from "./requote.ts";
import type {
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutFeeQuery,
  CheckoutOptions,
  CheckoutParams,
  CheckoutValidateOptions,
  SavedCheckout,
  SearchSession,
  ShownQuote,
} from "./types.ts";

/** A flight on its way from a search result to a PNR, created by `checkout` or `resumeCheckout`. */
export class Checkout {
  readonly #client: Client;
  readonly #options: CheckoutOptions;
  readonly #now: () => number;
  readonly #params: CheckoutParams;
  readonly #journal: BookingJournal;
  readonly #attempts: Map<string, JournalRow>;
  #startedAt: number | null;
  #shown: ShownQuote | null;

  /** @internal */
  constructor(client: Client, saved: SavedCheckout, options: CheckoutOptions) {
    if (saved.journaled && options.journal === undefined) {
      throw new ConfigurationError(
        "resumeCheckout: this trip was saved with a journal. Pass the same `journal`, which stops a second booking.",
      );
    }
    this.#client = client;
    this.#options = options;
    this.#now = checkedClock("checkout", options.now);
    this.#params = { trace_id: saved.traceId, token: saved.token };
    this.#journal = options.journal ?? memoryJournal(saved.attempts);
    this.#attempts = new Map(saved.attempts.map((row) => [row.attemptId, row]));
    this.#startedAt = saved.startedAt;
    this.#shown = saved.shown;
  }

  /** The estimated lifetime of the search session (docs/assumptions.md, F2). */
  get session(): SearchSession {
    const startedAt = this.#startedAt;
    const expiresAt = startedAt === null ? null : startedAt + (this.#options.sessionLifetime ?? defaultSessionLifetime);
    return { startedAt, expiresAt, mayHaveExpired: expiresAt !== null && this.#now() >= expiresAt };
  }

  /** The quote that the user was shown; null before the first `quote()`. */
  get shown(): ShownQuote | null {
    return this.#shown;
  }

  /**
   * The booking attempts that this trip has sent, and those that were saved with it: the journal row of each, as the
   * trip last saw it. `journal.pending()` also has those of a process that crashed before it saved the trip.
   */
  get bookingAttempts(): readonly JournalRow[] {
    return [...this.#attempts.values()];
  }

  /**
   * Requests the quote to show to the user, and remembers it (§4.4): fees, checks and changes refer to it.
   *
   * @throws {@link OfferUnavailableError} if nothing is left, or the response has no offer.
   * @throws {@link SessionExpiredError} if the search is too old.
   */
  async quote(options?: RequestOptions): Promise<FareQuote> {
    this.#startedAt ??= this.#now();
    const body = refuseEmpty(await this.#client.send(fareQuote, this.#params, options).withResponse());
    this.#shown = { body, at: this.#now() };
    return body;
  }

  /**
   * Requests the fare rules as the airline words them (§4.5). `fareRuleText` of `serviceapi/flights/rule-text` turns
   * them into text.
   */
  async rules(options?: RequestOptions): Promise<FareRule> {
    this.#startedAt ??= this.#now();
    return await this.#client.send(fareRule, this.#params, options);
  }

  /**
   * Checks passengers against the quote; see `validatePassengers`. Ages are checked over all results of the quote,
   * which are one trip.
   *
   * @throws {@link ConfigurationError} before the first `quote()`, for an unknown option or an invalid value, or if the
   *   quote has several results and `offerIndex` is missing.
   */
  validate(passengers: readonly unknown[], options: CheckoutValidateOptions = {}): PassengerIssue[] {
    checkPassengers(passengers);
    const { offerIndex, ...checks } = readValidateOptions(options);
    const { body } = this.#quoted();
    return validatePassengers(pickResult(body, offerIndex).offer, passengers, {
      ...this.#options.limits,
      ...checks,
      trip: body.data.result,
      now: this.#now(),
      deadlineZone: this.#options.deadlineZone,
    });
  }

  /**
   * Returns the fee for a change or a cancellation at a given time; see `fees`.
   *
   * @throws {@link ConfigurationError} before the first `quote()`, or if the quote has several results and `result` is
   *   missing.
   */
  fees(asked: CheckoutFeeQuery): FeeReport {
    const { offerIndex, ...query } = readFeeQuery(asked);
    return fees(pickResult(this.#quoted().body, offerIndex).offer, query);
  }

  /**
   * Books one result of the quote. It checks the passengers, compares the price of a fresh quote with `maxTotal`,
   * records the booking, sends it once, and compares what was booked with what was shown.
   *
   * @param request - See {@link CheckoutBookRequest}.
   * @param options - Options of the booking call. Undocumented fields go into `extraBody`. The deadlines and the signal
   *   apply to the journal too.
   * @returns The reservation. Have the ticket issued: see `nextStep` and `deadline`.
   * @throws {@link PassengerValidationError} if a passenger check is an error; `issues` are those of `validate`.
   *   Nothing was sent.
   * @throws {@link PriceAboveLimitError} if a fresh quote costs more; it carries the quote. Nothing was booked.
   * @throws {@link OfferChangedError} if a fresh quote has other flights, times or terms. Nothing was booked.
   * @throws {@link BookingAlreadySentError} if this was booked or sent before, or the same flights were for the same
   *   passengers. Nothing was sent.
   * @throws {@link JournalError} if the journal failed or did not respond in time. Nothing was sent.
   * @throws {@link BookingOutcomeUnknownError} if it was sent and no usable response came back: look it up, then
   *   `reconcile`.
   * @throws {@link ApiError} if the service refused it.
   * @throws {@link TimeoutError} with the outcome `notSent` if too little time was left, for example after the machine
   *   was suspended: book again.
   * @throws {@link AbortError} if `signal` was aborted before it was sent. Nothing was sent.
   * @throws {@link ConfigurationError} before the first `quote()`, for an unknown option or an invalid value, or if
   *   `extraBody` sets a field that the journal records, or `maxTotal` or `agreedQuote` is explicitly `undefined`.
   */
  async book(request: CheckoutBookRequest, options: RequestOptions = {}): Promise<CheckoutBooking> {
    return book(
      {
        client: this.#client,
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
   * Closes a booking attempt of this trip whose outcome was unknown, after you looked it up. A booking attempt that
   * only the saved trip knows is written to the journal first. One that only the journal knows, since the process
   * crashed, is found by its reference.
   *
   * @param found - `{ pnr, bookingId }` of the booking, or `"notBooked"`, after which it can be booked again.
   * @param clientReferenceId - Reference of the booking attempt. @default the only one that is open
   * @param options - See {@link ReconcileOptions}.
   * @throws {@link ConfigurationError} if no booking attempt of that reference is open, or several are and
   *   `clientReferenceId` is missing, and when `reconcile` throws it.
   * @throws {@link JournalError} if the journal failed or hung. The row may be closed or still open: reconcile again.
   * @throws {@link BookingInFlightError} for `"notBooked"`, if the service may still be making the booking.
   * @throws {@link BookingAlreadySettledError} if it was settled meanwhile.
   */
  async reconcile(
    found: LookupResult,
    clientReferenceId?: string,
    options: ReconcileOptions = {},
  ): Promise<JournalRow> {
    const { force, now = this.#now } = readReconcileOptions("trip.reconcile", options);
    const at = checkedClock("reconcile", now)();
    const bookings = { params: this.#params, journal: this.#journal, attempts: this.#attempts };
    return reconcileTrip(bookings, found, clientReferenceId, { force, now: () => at });
  }

  /** Returns the data for `resumeCheckout`: the quote and the booking attempts, no passenger data. */
  toJSON(): SavedCheckout {
    const { trace_id: traceId, token } = this.#params;
    const journaled = this.#options.journal !== undefined;
    return {
      version: 1,
      traceId,
      token,
      startedAt: this.#startedAt,
      shown: this.#shown,
      journaled,
      attempts: this.bookingAttempts,
    };
  }

  /** Returns the text that `console.log` shows in Node, Deno and Bun: the progress, no token and no passenger. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    const quote = this.#shown === null ? "not quoted yet" : "quoted";
    return `Checkout { ${quote}; bookings: ${this.bookingAttempts.map(({ state }) => state).join(", ") || "none"} }`;
  }

  #quoted(): ShownQuote {
    if (this.#shown === null)
      throw new ConfigurationError("Call quote() first: this step refers to the quote that the user was shown.");
    return this.#shown;
  }
}

/** The booking attempts of a trip, and its journal, which takes precedence. */
export interface TripBookings {
  readonly params: CheckoutParams;
  readonly journal: BookingJournal;
  /** The rows that are saved with the trip, by `attemptId`. */
  readonly attempts: Map<string, JournalRow>;
}

/** Closes an open booking attempt of a trip, in the journal and in the trip. */
export async function reconcileTrip(
  bookings: TripBookings,
  found: LookupResult,
  clientReferenceId: string | undefined,
  options: ReconcileOptions,
): Promise<JournalRow> {
  const { journal, attempts } = bookings;
  if (clientReferenceId !== undefined) await addAttemptsInJournal(bookings, clientReferenceId);
  const open: { readonly row: JournalRow; readonly holder: BookingJournal }[] = [];
  for (const saved of [...attempts.values()]) {
    const held = await askForRow(saved, () => adopt(journal, saved));
    const row = held ?? saved;
    attempts.set(row.attemptId, row);
    const isMeant = clientReferenceId === undefined || row.clientReferenceId === clientReferenceId;
    // Another booking attempt may have the row's reference in the journal: then the saved trip alone holds the row.
    if (isMeant && isPending(row)) open.push({ row, holder: held === undefined ? memoryJournal([row]) : journal });
  }
  const [one, ...others] = open;
  if (one === undefined || others.length > 0) {
    throw new ConfigurationError(
      `This trip has ${one === undefined ? "no matching open booking" : "several open bookings"}. Choose one by its client_referenceId, or close a row of journal.pending() with reconcile(journal, row, found).`,
    );
  }
  const closed = await reconcile(one.holder, one.row, found, options);
  attempts.set(closed.attemptId, closed);
  return closed;
}

/** A trip that was saved before a booking, and whose process then crashed, knows it by the journal alone. */
async function addAttemptsInJournal(
  { params, journal, attempts }: TripBookings,
  clientReferenceId: string,
): Promise<void> {
  for (const row of await askForRows(journal, { clientReferenceId })) {
    const isOfTrip = row.traceId === params.trace_id && row.searchToken === params.token;
    if (isOfTrip && !attempts.has(row.attemptId)) attempts.set(row.attemptId, row);
  }
}
