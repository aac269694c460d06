import { type Client, transportOf } from "../../client.ts";
import { ServiceApiError, type ValidationIssue } from "../../errors/base.ts";
import { AbortError, TimeoutError } from "../../errors/request.ts";
import { type RequestOptions, timeLimit } from "../../options.ts";
import { withinTime } from "../../shared/clock.ts";
import { elementsOf, field, stringOf } from "../../shared/json.ts";
import { quietly } from "../../shared/promises.ts";
import type { WithResponse } from "../../transport/call.ts";
import { findBookingReference } from "../booking/reference.ts";
import { BookingAlreadySentError, type JournalError } from "../errors.ts";
import {
  type BookingConflict,
  type BookingJournal,
  type BookingState,
  conflictsWith,
  isOverdue,
  isPending,
  type JournalRow,
  journeyOf,
} from "../journal/journal.ts";
import {
  findBookings,
  findRow,
  journalFailed,
  orderReference,
  readReply,
  readRows,
  recordBooked,
  stepLimit,
} from "../journal/reconcile.ts";
import { book } from "../operations.ts";
import type { Booking, BookParams } from "../types/index.ts";
import type { CheckoutOptions, CheckoutParams, ShownQuote } from "./options.ts";

/** A trip, from the search result to its bookings. */
export interface Trip {
  readonly client: Client;
  readonly options: CheckoutOptions;
  readonly params: CheckoutParams;
  readonly now: () => number;
  readonly journal: BookingJournal;
  readonly orderId: string | undefined;
  /** The rows that are saved with the trip, by `attemptId`. The journal takes precedence. */
  readonly attempts: Map<string, JournalRow>;
  startedAt: number | null;
  /** The quote that the user was shown. */
  shown: ShownQuote | null;
  /** The options with which it was requested: a fresh one is compared with it. */
  quoteOptions?: RequestOptions | undefined;
}

type PlannedRow = Omit<JournalRow, "state" | "at" | "sentAt" | "responseDueBy">;

/**
 * One booking of a trip (docs/assumptions.md, F6), whose row it alone writes: `sent` from the claim on, closed when the
 * outcome is known. Tests explore all that can happen at each step.
 */
export class BookingAttempt {
  /** The row as it was last written. */
  row: JournalRow;
  /** Warnings about the row, or that of another booking which may be this one. */
  readonly warnings: ValidationIssue[] = [];
  readonly #trip: Trip;
  readonly #options: RequestOptions;
  readonly #force: boolean;
  readonly #deadlines: ReturnType<typeof bookingDeadlines>;
  #isHandedOver = false;

  constructor(trip: Trip, planned: PlannedRow, options: RequestOptions) {
    this.#trip = trip;
    this.#force = planned.forced === true;
    const limit = timeLimit(book, transportOf(trip.client).options, options);
    this.#deadlines = bookingDeadlines(limit);
    // Credentials that never come end with the row, too.
    this.#options = limit === false ? { ...options, totalTimeout: this.#deadlines.stop } : options;
    this.row = this.#sentNow(planned);
  }

  /**
   * Takes a booking to its response, or rejects with the first error. Once it is there, the booking exists: `record` it.
   *
   * @param agree - Returns what is sent, with the offers of its quote and the price, once the offer is what was shown:
   *   requests a fresh quote if need be.
   */
  async run(
    agree: () => Promise<{ readonly params: BookParams } & Pick<JournalRow, "offers" | "price">>,
  ): Promise<WithResponse<Booking>> {
    await this.refuseConflicts();
    const { params, ...quoted } = await agree();
    await this.claim({ ...quoted, token: params.token });
    return await this.send(params).catch(async (error: unknown) => {
      await this.close(error);
      throw error;
    });
  }

  /** Finds the rows of the order of the trip. */
  async findBookings(): Promise<readonly JournalRow[]> {
    await this.refresh();
    return this.#ask(() => keepOrder(this.#trip));
  }

  /** Refuses a booking that an earlier one stands in the way of, before a quote is requested for it. */
  async refuseConflicts(): Promise<void> {
    const { journal, attempts } = this.#trip;
    await this.refresh();
    for (const current of attempts.values()) {
      if (conflictsWith(current, this.row, { force: this.#force }) !== undefined) throw this.alreadySent(current);
    }
    const other = await this.#ask(async () => readReply(await journal.conflict(this.row, { force: this.#force })));
    if (other !== undefined) throw this.alreadySent(other);
    await this.#warnOfOtherNames();
  }

  /** Reads the outcome of what was open when the trip was saved. What it has as booked stops another booking in any case. */
  async refresh(): Promise<void> {
    await this.#ask(() => keepOpen(this.#trip));
  }

  /** A booking of the flights after another search, under other names, may be another customer's: it does not conflict. */
  async #warnOfOtherNames(): Promise<void> {
    const flights = journeyOf(this.row);
    if (this.#force || flights === "") return;
    const open = await this.#ask(async () => readRows(await this.#trip.journal.pending()));
    const same = open.filter((row) => journeyOf(row) === flights);
    const lost = same.find((row) => row.state === "unknown" || isOverdue(row, { now: this.#trip.now }));
    const message =
      "is an earlier booking of the same flights that may exist: if it is for these passengers, look it up, and cancel one";
    if (lost !== undefined) this.#warn(lost, message, "open_booking");
  }

  /** Writes the row before the booking is sent. Unless it is certain that it was written, nothing is sent. */
  async claim(quoted: Pick<JournalRow, "token" | "offers" | "price">): Promise<void> {
    const { journal, attempts, now } = this.#trip;
    const row = this.#sentNow({ ...this.row, ...quoted });
    this.row = row;
    const claim = (async () => journal.claim(row, { force: this.#force }))();
    try {
      const other = await this.#ask(async () => readReply(await claim));
      // A journal that retries a claim, because its own response was lost, finds the row that it has just written.
      if (other !== undefined && other.attemptId !== row.attemptId) throw this.alreadySent(other);
      if (other !== undefined && other.state !== "sent")
        throw this.#notRecorded(new Error("The row was closed while it was claimed."));
      // A process that was suspended in between may find its row closed by now.
      if (now() - row.sentAt > 2 * this.#deadlines.journal)
        throw this.#notRecorded(new Error("The claim took too long."));
    } catch (error) {
      // A claim that succeeds after it was given up must not conflict with others. Nobody waits for this.
      const closed: JournalRow = { ...row, state: "rejected", reason: "journal", at: this.#present() };
      const withdraw = () => journal.settle(closed, "sent");
      claim.then(withdraw, withdraw).catch(() => {});
      throw error;
    }
    attempts.set(row.attemptId, row);
  }

  /**
   * Sends the booking once, within the time of its row. After `responseDueBy` others may find no booking and book again,
   * so a request that may take longer is not sent, and no response is awaited longer, whatever the client's deadlines.
   */
  async send(params: BookParams): Promise<WithResponse<Booking>> {
    // A timer does not count the time in which the machine was suspended, so the clock is read again.
    const onSend = (attemptLimit: number) => {
      const leftNow = this.timeLeft();
      // A call with a longer deadline, or none, is ended in time.
      if (leftNow < Math.min(attemptLimit, book.timeout)) throw tooLate(this.row, this.#deadlines.leave);
      // From here on the service may make the booking.
      this.#isHandedOver = true;
      return leftNow;
    };
    const transport = transportOf(this.#trip.client);
    return await transport.send(book, params, this.#options, { onSend }).withResponse();
  }

  /**
   * Milliseconds until the checkout ends the call itself, some time before `row.responseDueBy`. A clock that was put back
   * leaves no more.
   */
  timeLeft(): number {
    const { stop } = this.#deadlines;
    return Math.min(stop, this.row.sentAt + stop - this.#trip.now());
  }

  /** Records the booking, which exists whatever the journal does, its price if it is known, and what is to be said of it. */
  async record(
    body: Booking,
    said: Pick<JournalRow, "price" | "summary" | "isConfirmed" | "isAboveLimit" | "lastTicketDate">,
  ): Promise<void> {
    const { journal } = this.#trip;
    const { price: _, ...row } = this.row;
    this.row = { ...row, ...said };
    this.#keep({ ...namesIn(findBookingReference(body)), state: "booked" });
    const warning = await withinTime("The journal", () => recordBooked(journal, this.row), settleLimit).catch(
      () => "is booked, but the journal did not confirm its row: check it, and settle it by hand if it is open",
    );
    if (warning !== undefined) this.#warn(this.row, warning);
  }

  #warn({ clientReferenceId }: JournalRow, message: string, code = "custom"): void {
    this.warnings.push({ path: ["journal", clientReferenceId], message, code });
  }

  /**
   * Records how the booking failed. Once it was handed over to `fetch`, only what the service or the runtime rules out is
   * a no. A journal that fails as well must not hide the error.
   */
  async close(error: unknown): Promise<void> {
    const { journal } = this.#trip;
    const known = ServiceApiError.isInstance(error) ? error : undefined;
    const reason = known?.kind ?? "unknown";
    const isRuledOut = known?.operation === "flights.book" && known.outcome !== "unknown";
    if (!this.#isHandedOver || isRuledOut) this.#keep({ state: "rejected", reason });
    else this.#keep({ state: "unknown", reason, ...namesIn(error) });
    await withinTime("The journal", () => journal.settle(this.row, "sent"), settleLimit).catch(() => {});
  }

  #keep(ending: Partial<JournalRow>): void {
    this.row = { ...this.row, ...ending, at: this.#present() };
    this.#trip.attempts.set(this.row.attemptId, this.row);
  }

  #sentNow(planned: PlannedRow): JournalRow {
    const at = this.#trip.now();
    return { ...planned, state: "sent", at, sentAt: at, responseDueBy: at + this.#deadlines.response };
  }

  /** Once a booking was sent, a clock that fails must not hide its outcome. */
  #present(): number {
    return quietly(this.#trip.now) ?? this.row.at;
  }

  async #ask<T>(step: () => Promise<T>): Promise<T> {
    const { signal } = this.#options;
    try {
      return await withinTime("The journal", step, this.#deadlines.journal, signal);
    } catch (cause) {
      throw signal?.aborted && cause === signal.reason
        ? abortedBeforeSending(signal, this.row.clientReferenceId)
        : this.#notRecorded(cause);
    }
  }

  #notRecorded(cause: unknown): JournalError {
    return journalFailed("The journal could not record the booking, so it was not sent now.", this.row, cause);
  }

  /** A journal of the application may return a row for its own reasons; then the offer counts as taken. */
  alreadySent(other: JournalRow): BookingAlreadySentError {
    const conflict = conflictsWith(other, this.row, { force: this.#force }) ?? "offer";
    const flights = journeyOf(this.row);
    const isPerhaps = conflict === "offer" && (flights === "" || journeyOf(other) !== flights);
    return new BookingAlreadySentError({
      message:
        `${isPerhaps ? perhaps : inCommon[conflict]} ${whatIsKnown[other.state]}, under client_referenceId ${other.clientReferenceId}. ` +
        `Nothing was sent now. ${howToGoOn(other, conflict, this.#trip)}`,
      operation: "flights.book",
      clientReferenceId: this.row.clientReferenceId,
      conflict,
      row: other,
    });
  }
}

/** Finds the rows of the order of a trip, which knows what is booked, or may be, although its journal may forget it. */
export async function keepOrder({ journal, orderId, attempts }: Trip): Promise<readonly JournalRow[]> {
  if (orderId === undefined) return [];
  const before = new Map(attempts);
  for (const row of await findBookings(journal, orderId)) {
    const known = attempts.get(row.attemptId);
    // An attempt that went on meanwhile knows better.
    const isNews = row.state === "booked" || (known?.state !== "booked" && known === before.get(row.attemptId));
    if (isNews && (known !== undefined || row.state !== "rejected")) attempts.set(row.attemptId, row);
  }
  const numberOf = (reference: string) => Number(reference.slice(orderId.length + 1));
  return [...attempts.values()].filter(
    ({ clientReferenceId: one }) => one === orderReference(orderId, numberOf(one) - 1),
  );
}

/** Reads how the bookings of a trip ended that were open. */
export async function keepOpen(trip: Trip): Promise<void> {
  for (const saved of [...trip.attempts.values()].filter(isPending))
    keepFound(trip, saved, await findRow(trip.journal, saved));
}

/**
 * Keeps a row as it was looked up, and returns it: or as its attempt has written it meanwhile, which knows better. A row
 * that the journal has lost stays what it was.
 */
export function keepFound({ attempts }: Trip, saved: JournalRow, found: JournalRow = saved): JournalRow {
  const current = attempts.get(saved.attemptId) ?? saved;
  const row = current === saved ? found : current;
  attempts.set(row.attemptId, row);
  return row;
}

const inCommon: Readonly<Record<BookingConflict, string>> = {
  reference: "A booking with this client_referenceId",
  token: "A booking on this quote",
  offer: "This offer",
  passengers: "A booking of the same flights, probably for the same passengers,",
};

const perhaps = "An offer of this search, perhaps this one at another time,";

const whatIsKnown: Readonly<Record<BookingState, string>> = {
  booked: "is booked already",
  sent: "was sent already, and its response is still to come or was lost",
  unknown: "was sent already, and it is not known yet whether it is booked",
  rejected: "was sent already",
};

function howToGoOn(row: JournalRow, conflict: BookingConflict, { shown, now, orderId }: Trip): string {
  if (row.state !== "booked") {
    const dueBy = new Date(row.responseDueBy).toISOString();
    const wait = row.responseDueBy > now() ? ` Its response may still come until ${dueBy}: look it up after that.` : "";
    return `Look it up, close it with reconcile(), and book again only if it is not booked.${wait}`;
  }
  const isOne = orderId !== undefined || (shown?.body.data.result.length ?? 0) < 2;
  if ((conflict === "reference" || conflict === "token") && !isOne)
    return "The quote has other offers: those of which the journal has no row, and which nothing is booking now, can be booked with trip.book({ offerIndex, … }).";
  if (conflict === "reference")
    return `Use another ${orderId === undefined ? "reference" : "`orderId`"} for another booking.`;
  return "If it was cancelled, is another offer, or is to be booked twice, pass `allowDuplicate: true`.";
}

/** The caller aborted before the booking was handed over. */
export function abortedBeforeSending({ reason }: AbortSignal, clientReferenceId?: string): AbortError {
  return new AbortError({
    message: "flights.book: aborted by the caller before it was sent.",
    operation: "flights.book",
    clientReferenceId,
    phase: "credentials",
    reason,
  });
}

function tooLate({ clientReferenceId }: JournalRow, timeout: number): TimeoutError {
  return new TimeoutError({
    message:
      "flights.book: too much time passed between the claim of the journal row and the request, so it was not sent. " +
      "Nothing is booked. Book again. If it happens again, look for what blocks or suspends the process.",
    operation: "flights.book",
    clientReferenceId,
    deadline: "total",
    phase: "credentials",
    timeout,
  });
}

/** The longest wait for a journal once the outcome of a booking is known. */
const settleLimit = 2_000;
/** For clocks of other machines, and for a service that finishes a booking after its client has gone. */
const margin = 30_000;
/** For timers that fire late. */
const slack = 30_000;
/** A booking without a deadline counts as on its way for a day. */
const noDeadline = 86_400_000;

function bookingDeadlines(limit: number | false) {
  const call = limit === false ? noDeadline : limit;
  /** For a step of the journal before the booking is sent. */
  const journal = Math.min(call, stepLimit);
  /** From the claim of a row to the time at which the checkout ends the call itself. */
  const stop = journal + call + slack;
  // A client that gives up early does not make the service any faster.
  const usual = stepLimit + book.timeout + slack;
  /** From the claim of a row to the time after which the service makes no booking any more. */
  const response = Math.max(stop, usual) + margin;
  // By `leave` the request has to be sent, so that its attempt ends before `stop`.
  return { journal, stop, leave: stop - Math.min(call, book.timeout), response };
}

/** The names of a booking in a reference, or in an error, which may be another copy's. */
function namesIn(named: unknown): Pick<JournalRow, "pnr" | "pnrs" | "bookingId"> {
  const [pnr, bookingId] = [stringOf(field(named, "pnr")), stringOf(field(named, "bookingId"))];
  const pnrs = elementsOf(field(named, "pnrs")).map(stringOf);
  return {
    ...(pnr !== "" && { pnr }),
    ...(pnrs.some((one) => one !== pnr) && { pnrs }),
    ...(bookingId !== "" && { bookingId }),
  };
}
