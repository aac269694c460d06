import { type Client, transportOf } from "../../client.ts";
import { ConfigurationError, refusedRequest } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { checkedClock } from "../../shared/clock.ts";
import { field, isListOf, isNumber, isString, parseJson } from "../../shared/json.ts";
import { each } from "../../shared/objects.ts";
import { anything, listOf, readArguments, readOptions } from "../../shared/options.ts";
import { type FeeQuery, type FeeReport, fees, queryRules } from "../fees/index.ts";
import { type Fields, isPending, type JournalRow, readFields, readRow } from "../journal/journal.ts";
import {
  findRow,
  findRows,
  type LookupResult,
  type ReconcileOptions,
  reconcile,
  reconcileRules,
  refuseShared,
} from "../journal/reconcile.ts";
import { fareRule } from "../operations.ts";
import type { PassengerIssue } from "../passengers/index.ts";
import type { Money } from "../quote/money.ts";
import type { FareQuote, FareRule } from "../types/index.ts";
import { defaultSessionLifetime } from "../types/tokens.ts";
import { keepFound, keepOpen, keepOrder, type Trip } from "./attempt.ts";
import { book, quote, shownQuote, validate } from "./book.ts";
import { bookAll, partsOf, sumPrices, totalOf } from "./book-all.ts";
import {
  bookAllRules,
  bookRules,
  type CheckoutBookAllRequest,
  type CheckoutBooking,
  type CheckoutBookRequest,
  type CheckoutOptions,
  type CheckoutParams,
  type CheckoutValidateOptions,
  isQuote,
  optionRules,
  paramRules,
  readBookOptions,
  readRequest,
  type SavedCheckout,
  type SearchSession,
  type ShownQuote,
  type TripPart,
  validateRules,
} from "./options.ts";

/**
 * Creates a checkout, which takes one flight of a search result to a PNR. It books what the user saw, or throws an
 * error that says what differs. As far as its journal reaches, nothing is booked twice and nothing that may be booked
 * is forgotten.
 *
 * Its steps may run in several processes: `JSON.stringify(trip)` on the quote page, {@link resumeCheckout} on the
 * payment page.
 *
 * @param client - The client, such as a `ServiceApi`.
 * @param params - `trace_id` and `token` of the search result.
 * @param options - See {@link CheckoutOptions}.
 * @throws {@link ConfigurationError} for an unknown option or param, an invalid value, a missing journal, or anything
 *   but a client.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 * import { checkout } from "serviceapi/flights";
 * import { fileJournal } from "serviceapi/node";
 *
 * const trip = checkout(new ServiceApi(), { trace_id, token }, { journal: fileJournal("bookings.jsonl") });
 * const quote = await trip.quote();
 * const issues = trip.validate(passengers);
 * if (!issues.some((issue) => issue.severity === "error")) {
 *   const booking = await trip.book({ passengers, maxTotal: { amount: "7600.00", currency: "INR" } });
 *   console.log(booking.pnr, booking.nextStep.message, booking.changes.changed);
 * }
 * ```
 */
export function checkout(client: Client, params: CheckoutParams, options: CheckoutOptions): Checkout {
  transportOf(client, "checkout");
  const { trace_id: traceId, token } = readOptions("checkout", params, paramRules, ["trace_id", "token"]);
  const saved = { version: 1, traceId, token, startedAt: null, shown: null, attempts: [] } as const;
  return new Checkout(client, saved, options);
}

/**
 * Resumes a checkout that was saved with `JSON.stringify(trip)`, in this process or another.
 *
 * @param client - The client, such as a `ServiceApi`.
 * @param saved - The JSON, as a string or parsed.
 * @param options - The options of {@link checkout}, which are not saved, except for `orderId`: the same `journal` above all.
 * @throws {@link RequestValidationError} if `saved` is not a saved checkout.
 * @throws {@link ConfigurationError} for an unknown option or an invalid value.
 *
 * @example
 * ```ts
 * import { resumeCheckout } from "serviceapi/flights";
 *
 * const trip = resumeCheckout(api, session.trip, { journal });
 * const booking = await trip.book({ passengers, maxTotal });
 * ```
 */
export function resumeCheckout(client: Client, saved: unknown, options: CheckoutOptions): Checkout {
  const value = readFields(typeof saved === "string" ? parseJson(saved) : saved, savedFields);
  if (value !== undefined) return new Checkout(client, value, options);
  const must = "this is not a saved checkout: pass what JSON.stringify(trip) returned, as a string or parsed.";
  throw refusedRequest("resumeCheckout", "", "not_saved", must);
}

/** A flight on its way from a search result to a PNR, created by `checkout` or `resumeCheckout`. */
export class Checkout {
  readonly #trip: Trip;

  /** @internal */
  constructor(client: Client, saved: SavedCheckout, given: CheckoutOptions) {
    transportOf(client, "checkout");
    const options = readOptions<CheckoutOptions>("checkout", given, optionRules, ["journal"]);
    const attempts = saved.attempts.flatMap((row) => readRow(row) ?? []);
    this.#trip = {
      client,
      options,
      params: { trace_id: saved.traceId, token: saved.token },
      now: checkedClock("checkout", options.now),
      journal: options.journal,
      orderId: options.orderId ?? saved.orderId,
      attempts: new Map(attempts.map((row) => [row.attemptId, row])),
      startedAt: saved.startedAt,
      shown: saved.shown,
    };
  }

  /** The estimated lifetime of the search session (docs/assumptions.md, F2). */
  get session(): SearchSession {
    const { startedAt, options, now } = this.#trip;
    const expiresAt = startedAt === null ? null : startedAt + (options.sessionLifetime ?? defaultSessionLifetime);
    return { startedAt, expiresAt, mayHaveExpired: expiresAt !== null && now() >= expiresAt };
  }

  /**
   * The price of the whole trip, to show and to pass to `bookAll` as `maxTotal`: of what is booked as quoted, or as booked if that is more,
   * also for its `orderId` in an earlier search, and of the other offers that were shown. Null before the first `quote()`,
   * while a booking may exist, if a price is not known, or if the currencies differ.
   */
  get total(): Money | null {
    return this.#trip.shown && totalOf(this.#trip);
  }

  /**
   * The price of what is booked, as booked, to capture once the trip is complete. Null before the first booking, if a
   * price is not known, or if the currencies differ.
   */
  get bookedTotal(): Money | null {
    return sumPrices(this.parts.filter(({ state }) => state === "booked").map(({ price }) => price));
  }

  /** The parts of the trip as it knows them: what is booked, or may be, and the other offers that were shown. */
  get parts(): readonly TripPart[] {
    return partsOf(this.#trip);
  }

  /**
   * Reads the rows of the trip from the journal: those that were open, and those of its `orderId`.
   *
   * @returns The {@link Checkout.parts}, as they are now.
   * @throws {@link JournalError} if the journal failed or did not respond in time.
   */
  async refresh(): Promise<readonly TripPart[]> {
    await keepOpen(this.#trip);
    await keepOrder(this.#trip);
    return this.parts;
  }

  /** The quote that the user was shown; null before the first `quote()`. */
  get shown(): ShownQuote | null {
    return this.#trip.shown;
  }

  /**
   * The booking attempts that this trip has sent, before it was saved and since: the journal row of each, as the trip
   * last saw it. `journal.pending()` also has those of a process that crashed before it saved the trip.
   */
  get bookingAttempts(): readonly JournalRow[] {
    return [...this.#trip.attempts.values()];
  }

  /**
   * Requests the quote to show to the user, and remembers it (§4.4): fees, checks and changes refer to it. With an
   * `orderId`, it first finds what the journal has as booked for that.
   *
   * @throws {@link OfferUnavailableError} if nothing is left, or the response has no offer.
   * @throws {@link SessionExpiredError} if the search is too old.
   * @throws {@link JournalError} if there is an `orderId`, and the journal failed or did not respond in time.
   */
  async quote(options?: RequestOptions): Promise<FareQuote> {
    return quote(this.#trip, options);
  }

  /**
   * Requests the fare rules as the airline words them (§4.5). `fareRuleText` of `serviceapi/flights/rule-text` turns
   * them into text.
   */
  async rules(options?: RequestOptions): Promise<FareRule> {
    this.#trip.startedAt ??= this.#trip.now();
    return await this.#trip.client.send(fareRule, this.#trip.params, options);
  }

  /**
   * Checks passengers against the quote; see `validatePassengers`. Ages are checked over all results of the quote,
   * which are one trip.
   *
   * @param options - See {@link CheckoutValidateOptions}. Without `offerIndex`, all results are checked.
   * @throws {@link ConfigurationError} before the first `quote()`, for an unknown option or an invalid value.
   */
  validate(passengers: readonly unknown[], options: CheckoutValidateOptions = {}): PassengerIssue[] {
    readArguments("trip.validate", { passengers }, { passengers: listOf(anything, 0) });
    const checks = readOptions("trip.validate", options, validateRules);
    return validate(this.#trip, shownQuote(this.#trip), passengers, checks);
  }

  /**
   * Returns the fee for a change or a cancellation of the trip at a given time: that of all offers of the quote, booked or
   * not, without what an earlier search has booked of others. `fees` returns that of one.
   *
   * @throws {@link ConfigurationError} before the first `quote()`, or as `fees` throws it.
   */
  fees(query: FeeQuery): FeeReport {
    const asked = readOptions<FeeQuery>("trip.fees", query, queryRules, ["type", "at"]);
    return fees(shownQuote(this.#trip).body.data.result, asked);
  }

  /**
   * Books one result of the quote. It checks the passengers, compares the price of a fresh quote with `maxTotal`,
   * records the booking, sends it once, and compares what was booked with what was shown.
   *
   * @param request - See {@link CheckoutBookRequest}.
   * @param options - Options of the booking call. Undocumented fields go into `extraBody`. The deadlines and the signal
   *   apply to the journal too.
   * @returns The reservation. Have the ticket issued: see `nextStep` and `deadline`.
   * @throws {@link BookingOutcomeUnknownError} if it was sent and no usable response came back: look it up, then
   *   `reconcile`.
   * @throws {@link ApiError} if the service refused it: it was not booked, as with the errors below.
   * @throws {@link PassengerValidationError} if a passenger check is an error; `issues` are those of `validate`.
   * @throws {@link PriceAboveLimitError} if a fresh quote costs more; it carries the quote.
   * @throws {@link OfferChangedError} if a fresh quote has other flights, times or terms.
   * @throws {@link BookingAlreadySentError} if this, or the same flights for the same passengers, was booked or sent before,
   *   or if a booking of the flights in this search is open.
   * @throws {@link JournalError} if the journal failed or did not respond in time.
   * @throws {@link TimeoutError} if too little time was left, as after the machine was suspended: book again.
   * @throws {@link AbortError} if `signal` was aborted before it was sent.
   * @throws {@link RequestValidationError} if `offerIndex` is missing and the quote has several results, or `maxTotal` is
   *   missing and the price cannot be read.
   * @throws {@link ConfigurationError} before the first `quote()`, for a trip with an `orderId`, an unknown option or an invalid
   *   value, an explicit `undefined` as `maxTotal` or `agreedQuote`, or an `extraBody` that sets a field that the journal records.
   */
  async book(request: CheckoutBookRequest, options: RequestOptions = {}): Promise<CheckoutBooking> {
    if (this.#trip.orderId !== undefined)
      throw new ConfigurationError(
        "trip.book: this trip has an `orderId`: call bookAll(), which keeps what is booked. To book one offer alone, begin a trip without it.",
      );
    const owner = "trip.book";
    return (await book(this.#trip, readRequest(owner, request, bookRules), readBookOptions(owner, options))).booking;
  }

  /**
   * Books all offers of the quote, such as the two of a round trip on two airlines: one after the other, in their order,
   * each as {@link Checkout.book} does. It stops at the first that fails, and before one that no longer fits the limit,
   * or the price that was agreed to, since an earlier one was booked for more than it was quoted.
   *
   * @param request - See {@link CheckoutBookRequest}. `maxTotal` is the limit for all offers together: `trip.total` if
   *   they were agreed to as shown.
   * @param options - Options of each booking call.
   * @returns The reservations that were made now, in the order of the offers; `parts` also has those of before.
   * @throws {@link RequestValidationError} if two offers have a flight in common, or one has a flight that is booked.
   * @throws {@link BookingIncompleteError} if an offer failed, or was stopped, after others were booked, which stand. If the
   *   first one failed, its own error is thrown, as by {@link Checkout.book}.
   *
   * @example
   * ```ts
   * import { checkout } from "serviceapi/flights";
   *
   * const trip = checkout(api, { trace_id, token }, { journal, orderId: "order-17" });
   * await trip.quote();
   * await trip.bookAll({ passengers, maxTotal: { amount: "15000", currency: "INR" } });
   * for (const { flights, state, row } of trip.parts) console.log(flights.join(", "), state, row?.pnr);
   * ```
   */
  async bookAll(request: CheckoutBookAllRequest, options: RequestOptions = {}): Promise<readonly CheckoutBooking[]> {
    const owner = "trip.bookAll";
    return bookAll(this.#trip, readRequest(owner, request, bookAllRules), readBookOptions(owner, options));
  }

  /**
   * Closes a booking attempt of this trip whose outcome was unknown, after you looked it up. One that only the journal
   * knows, after a crash, is found by its reference.
   *
   * @param found - `{ pnr, bookingId, price }` of the booking, or `"notBooked"`, after which it can be booked again.
   * @param clientReferenceId - Reference of the booking attempt. @default the only one that is open
   * @param options - See {@link ReconcileOptions}.
   * @throws {@link ConfigurationError} if no booking attempt of that reference is open, or several are and
   *   `clientReferenceId` is missing, for a PNR or booking ID of another booking of the trip, or as `reconcile` throws it.
   * @throws {@link JournalError} if the journal failed or hung. The row may be closed or still open: reconcile again.
   * @throws {@link BookingInFlightError} for `"notBooked"`, if the service may still be making the booking.
   * @throws {@link BookingAlreadySettledError} if it was settled meanwhile.
   */
  async reconcile(
    found: LookupResult,
    clientReferenceId?: string,
    options: ReconcileOptions = {},
  ): Promise<JournalRow> {
    const { journal, attempts, params, now: tripNow } = this.#trip;
    const { force, now = tripNow } = readOptions<ReconcileOptions>("trip.reconcile", options, reconcileRules);
    const at = checkedClock("reconcile", now)();
    // A trip that was saved before a booking, and whose process then crashed, knows it by the journal alone.
    for (const row of clientReferenceId === undefined ? [] : await findRows(journal, clientReferenceId)) {
      const isOfTrip = row.traceId === params.trace_id && row.searchToken === params.token;
      if (isOfTrip && !attempts.has(row.attemptId)) attempts.set(row.attemptId, row);
    }
    const open: JournalRow[] = [];
    for (const saved of [...attempts.values()]) {
      const row = keepFound(this.#trip, saved, await findRow(journal, saved));
      const isMeant = clientReferenceId === undefined || row.clientReferenceId === clientReferenceId;
      // A booking that the journal did not confirm said more than its row.
      if (isMeant && isPending(row)) open.push({ ...saved, ...row });
    }
    const [one, ...others] = open;
    if (one === undefined || others.length > 0) {
      throw new ConfigurationError(
        `This trip has ${one === undefined ? "no matching open booking" : "several open bookings"}. Choose one by its client_referenceId, or close a row of journal.pending() with reconcile(journal, row, found).`,
      );
    }
    if (!force) refuseShared(attempts.values(), one, found);
    const closed = await reconcile(journal, one, found, { force, now: () => at });
    attempts.set(closed.attemptId, closed);
    return closed;
  }

  /** Returns the data for `resumeCheckout`: the quote and the booking attempts, no passenger data. */
  toJSON(): SavedCheckout {
    const { params, startedAt, shown, orderId } = this.#trip;
    const { trace_id: traceId, token } = params;
    return { version: 1, traceId, token, startedAt, shown, orderId, attempts: this.bookingAttempts };
  }

  /** Returns the text that `console.log` shows in Node, Deno and Bun: the progress, no token and no passenger. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    const quote = this.#trip.shown === null ? "not quoted yet" : "quoted";
    return `Checkout { ${quote}; bookings: ${this.bookingAttempts.map(({ state }) => state).join(", ") || "none"} }`;
  }
}

const savedFields: Fields<SavedCheckout> = {
  version: (value) => value === 1,
  ...each(isString, "traceId", "token"),
  startedAt: (value) => value === null || isNumber(value),
  shown: (value) =>
    value === null ||
    (isNumber(field(value, "at")) && isQuote(field(value, "body")) && isListOf(field(value, "offers"), isString)),
  orderId: (value) => value === undefined || (isString(value) && value !== ""),
  attempts: (value) => isListOf(value, (row) => readRow(row) !== undefined),
};
