import { type Client, internalsOf } from "../../client.ts";
import { ServiceApiError } from "../../errors/base.ts";
import { AbortError, TimeoutError } from "../../errors/request.ts";
import { type RequestOptions, timeLimit } from "../../options.ts";
import { causeOf } from "../../shared/error-code.ts";
import { elementsOf, field, stringOf } from "../../shared/json.ts";
import { maxTimerMs } from "../../shared/options.ts";
import type { WithResponse } from "../../transport/call.ts";
import { findBookingReference } from "../booking/reference.ts";
import { BookingAlreadySentError, JournalError } from "../errors.ts";
import {
  type BookingConflict,
  type BookingJournal,
  type BookingState,
  conflictsWith,
  type JournalRow,
} from "../journal/journal.ts";
import { adopt, adviceIn, readReply, recordBooked, withinTime } from "../journal/reconcile.ts";
import { book } from "../operations.ts";
import type { Booking, BookParams } from "../types/index.ts";
import type { CheckoutOptions, CheckoutParams, ShownQuote } from "./options.ts";

/**
 * The life of a booking (docs/assumptions.md, F6). In each state it takes the step of that name in {@link Steps}; what
 * the step comes to leads to the next state, or to the end. `threw` is a step that rejected: a booking that has failed
 * rejects with the first error. Its row, which it alone writes, is `sent` from the claim on. Tests explore all that can
 * happen at each step.
 */
export const lifecycle = {
  /** No earlier booking may stand in the way. Asked before a quote is requested for it. */
  comparing: { free: "quoting", threw: "failed" },
  /** The offer is what was shown, at no more than it may cost. */
  quoting: { agreed: "claiming", threw: "failed" },
  /** The row is written before the booking is sent. Unless it is certain that it was, nothing is sent. */
  claiming: { claimed: "sending", threw: "withdrawing" },
  withdrawing: { begun: "failed" },
  /** Once. */
  sending: { booked: "recording", threw: "closing" },
  /** The booking exists, whatever the journal does. */
  recording: { recorded: "booked", threw: "booked" },
  /** The row says how the booking failed. A journal that fails as well must not hide that. */
  closing: { recorded: "failed", threw: "failed" },
} as const satisfies Record<string, Record<string, string>>;

type State = keyof typeof lifecycle;
type Next = State | "booked" | "failed";

/** The step of each state, which resolves with what it came to. It is passed the error that the booking failed with. */
export type Steps = {
  readonly [S in State]: (error: unknown) => Promise<Exclude<keyof (typeof lifecycle)[S], "threw">>;
};

/** Takes a booking to its end: it exists, or this rejects. */
export async function follow(steps: Steps): Promise<void> {
  let thrown: { readonly error: unknown } | undefined;
  for (let state: State = "comparing"; ; ) {
    const result: string = await steps[state](thrown?.error).catch((error: unknown) => {
      thrown ??= { error };
      return "threw" as const;
    });
    const next: Next | undefined = (lifecycle[state] as Readonly<Record<string, Next>>)[result];
    if (next === "booked") return;
    if (next === "failed" || next === undefined) throw thrown?.error;
    state = next;
  }
}

/** A trip, from the search result to its bookings. */
export interface Trip {
  readonly client: Client;
  readonly options: CheckoutOptions;
  readonly params: CheckoutParams;
  readonly now: () => number;
  readonly journal: BookingJournal;
  /** The rows that are saved with the trip, by `attemptId`. The journal takes precedence. */
  readonly attempts: Map<string, JournalRow>;
  startedAt: number | null;
  /** The quote that the user was shown. */
  shown: ShownQuote | null;
}

/** The terms of one booking of a trip. */
export interface BookingTerms {
  readonly trip: Trip;
  readonly allowDuplicate: boolean;
  /** Options of the call. */
  readonly call: RequestOptions;
  /** Returns what is sent, once the offer is what was shown: requests a fresh quote if need be. */
  agree(): Promise<BookParams>;
}

/** The fields of a row that are known before it is claimed. */
export type PlannedRow = Omit<JournalRow, "state" | "at" | "sentAt" | "responseDueBy">;

/** The steps of one booking. */
export class BookingSteps implements Steps {
  /** The row as it was last written. */
  row: JournalRow;
  /** The response, once the booking exists. */
  response: WithResponse<Booking> | undefined;
  /** The warning that a booking which exists could not be recorded. */
  warning: string | undefined;
  readonly #terms: BookingTerms;
  readonly #deadlines: ReturnType<typeof bookingDeadlines>;
  #params: BookParams | undefined;
  #claim: Promise<unknown> | undefined;
  #isHandedOver = false;

  constructor(planned: PlannedRow, terms: BookingTerms) {
    this.#terms = terms;
    this.#deadlines = bookingDeadlines(terms);
    this.row = this.#sentNow(planned);
  }

  async comparing(): ReturnType<Steps["comparing"]> {
    const { allowDuplicate: force } = this.#terms;
    const { journal, attempts } = this.#terms.trip;
    for (const saved of [...attempts.values()]) {
      // The journal knows better than a saved trip, if it knows the row at all.
      const adopted = this.#ask(() => adopt(journal, saved)).catch((error: unknown) => {
        // A booking that the trip knows of stops another one without the journal, too.
        if (saved.state !== "booked") throw error;
      });
      const current = (await adopted) ?? saved;
      attempts.set(current.attemptId, current);
      if (this.#conflict(current) !== undefined) throw this.#alreadySent(current);
    }
    const other = await this.#ask(() => journal.conflict(this.row, { force }));
    if (other !== undefined) throw this.#alreadySent(other);
    return "free";
  }

  async quoting(): ReturnType<Steps["quoting"]> {
    this.#params = await this.#terms.agree();
    return "agreed";
  }

  async claiming(): ReturnType<Steps["claiming"]> {
    const { allowDuplicate: force } = this.#terms;
    const { journal, attempts, now } = this.#terms.trip;
    const row = this.#sentNow({ ...this.row, token: this.#params?.token ?? this.row.token });
    this.row = row;
    const claim = (async () => journal.claim(row, { force }))();
    this.#claim = claim;
    const other = await this.#ask(() => claim);
    if (other !== undefined && other.attemptId !== row.attemptId) throw this.#alreadySent(other);
    // A journal that retries a claim, because its own response was lost, finds the row that it has just written.
    if (other !== undefined && other.state !== "sent")
      throw this.#notRecorded(new Error("The row was closed while it was claimed."));
    // A process that was suspended in between may find its row closed by now.
    if (now() - row.sentAt > 2 * this.#deadlines.journal)
      throw this.#notRecorded(new Error("The claim took too long."));
    attempts.set(row.attemptId, row);
    return "claimed";
  }

  /** A claim that succeeds after it was given up must not conflict with others. Nobody waits for this. */
  async withdrawing(): ReturnType<Steps["withdrawing"]> {
    const row: JournalRow = { ...this.row, state: "rejected", reason: "journal", at: this.#present() };
    const withdraw = () => this.#terms.trip.journal.settle(row, "sent");
    this.#claim?.then(withdraw, withdraw).catch(() => {});
    return "begun";
  }

  /**
   * Sends the booking within the time of its row. After `responseDueBy` others may find no booking and book again, so a
   * request that may take longer is not sent, and no response is awaited longer, whatever the deadlines of the client.
   */
  async sending(): ReturnType<Steps["sending"]> {
    const { trip, call } = this.#terms;
    const { transport, options } = internalsOf(trip.client);
    const limit = timeLimit(book, options, call);
    const left = this.timeLeft();
    if (left < 1) throw tooLate(this.row);
    const inTime = limit !== false && limit <= left ? call : { ...call, totalTimeout: Math.min(left, maxTimerMs) };
    // A timer does not count the time in which the machine was suspended, so the clock is read again.
    const onSend = (attemptLimit: number) => {
      const leftNow = this.timeLeft();
      // A call with a longer deadline, or none, is ended in time.
      if (leftNow < Math.min(attemptLimit, book.timeout)) throw tooLate(this.row);
      // From here on the service may make the booking.
      this.#isHandedOver = true;
      return leftNow;
    };
    this.response = await transport.send(book, this.#params as BookParams, inTime, { onSend }).withResponse();
    return "booked";
  }

  /** Milliseconds until the checkout ends the call itself, some time before `row.responseDueBy`. */
  timeLeft(): number {
    return this.row.sentAt + this.#deadlines.stop - this.#terms.trip.now();
  }

  async recording(): ReturnType<Steps["recording"]> {
    const names = namesIn(findBookingReference(this.response?.data));
    this.#keep({ ...this.row, ...names, state: "booked" });
    this.warning =
      "is booked, but the journal did not record it in time: check its row, and settle it by hand if it is open";
    this.warning = await withinTime(() => recordBooked(this.#terms.trip.journal, this.row), settleLimit);
    return "recorded";
  }

  async closing(error: unknown): ReturnType<Steps["closing"]> {
    this.#keep({ ...this.row, ...endingOf(error, this.#isHandedOver) });
    await withinTime(() => this.#terms.trip.journal.settle(this.row, "sent"), settleLimit);
    return "recorded";
  }

  #keep(row: JournalRow): void {
    this.row = { ...row, at: this.#present() };
    this.#terms.trip.attempts.set(row.attemptId, this.row);
  }

  #sentNow(planned: PlannedRow): JournalRow {
    const at = this.#terms.trip.now();
    return { ...planned, state: "sent", at, sentAt: at, responseDueBy: at + this.#deadlines.response };
  }

  /** Once a booking was sent, a clock that fails must not hide its outcome. */
  #present(): number {
    try {
      return this.#terms.trip.now();
    } catch {
      return this.row.at;
    }
  }

  /** Calls the journal before anything is sent. */
  async #ask(step: () => Promise<unknown>): Promise<JournalRow | undefined> {
    const { signal } = this.#terms.call;
    try {
      return readReply(await withinTime(step, this.#deadlines.journal, signal));
    } catch (cause) {
      throw signal?.aborted && cause === signal.reason
        ? abortedBeforeSending(signal, this.row.clientReferenceId)
        : this.#notRecorded(cause);
    }
  }

  #notRecorded(cause: unknown): JournalError {
    return new JournalError({
      message: `The journal could not record the booking, so it was not sent now. ${adviceIn(cause)}`,
      operation: "flights.book",
      clientReferenceId: this.row.clientReferenceId,
      cause: causeOf(cause),
    });
  }

  #conflict(other: JournalRow): BookingConflict | undefined {
    return conflictsWith(other, this.row, { force: this.#terms.allowDuplicate });
  }

  /** A journal of the application may return a row for its own reasons; then the offer counts as taken. */
  #alreadySent(other: JournalRow): BookingAlreadySentError {
    const conflict = this.#conflict(other) ?? "offer";
    return new BookingAlreadySentError({
      message:
        `${inCommon[conflict]} ${whatIsKnown[other.state]}, under client_referenceId ${other.clientReferenceId}. ` +
        `Nothing was sent now. ${adviceFor(other, conflict, this.#terms.trip)}`,
      operation: "flights.book",
      clientReferenceId: this.row.clientReferenceId,
      conflict,
      row: other,
    });
  }
}

const inCommon: Readonly<Record<BookingConflict, string>> = {
  reference: "A booking with this client_referenceId",
  token: "A booking on this quote",
  offer: "This offer",
  passengers: "A booking of the same flights, probably for the same passengers,",
};

const whatIsKnown: Readonly<Record<BookingState, string>> = {
  booked: "is booked already",
  sent: "was sent already, and its response is still to come or was lost",
  unknown: "was sent already, and it is not known yet whether it is booked",
  rejected: "was sent already",
};

function adviceFor({ state }: JournalRow, conflict: BookingConflict, { shown }: Trip): string {
  if (state !== "booked") return "Look it up, close it with reconcile(), and book again only if it is not booked.";
  if ((conflict === "reference" || conflict === "token") && (shown?.body.data.result.length ?? 0) > 1)
    return "The quote has other offers: find those that are booked in the journal, and book the rest with trip.book({ offerIndex, … }).";
  if (conflict === "reference") return "Use another reference for another booking.";
  return "If it was cancelled, or is to be booked twice, pass `allowDuplicate: true`.";
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

function tooLate({ clientReferenceId, sentAt, responseDueBy }: JournalRow): TimeoutError {
  return new TimeoutError({
    message:
      "flights.book: too much time passed between the claim of the journal row and the request, so it was not sent. " +
      "Nothing is booked. Book again. If it happens again, look for what blocks or suspends the process.",
    operation: "flights.book",
    clientReferenceId,
    deadline: "total",
    phase: "credentials",
    timeout: responseDueBy - sentAt,
  });
}

/** The longest wait for a journal before a booking is sent. */
const journalLimit = 30_000;
/** The longest wait for a journal once the outcome of a booking is known. */
const settleLimit = 2_000;
/** For clocks of other machines, and for a service that finishes a booking after its client has gone. */
const margin = 30_000;
/** For timers that fire late. */
const slack = 30_000;
/** A booking without a deadline counts as on its way for a day. */
const noDeadline = 86_400_000;

/** The deadlines of a booking with these options: those of the call, of the client, or the defaults. */
function bookingDeadlines({ trip, call: options }: BookingTerms) {
  const limit = timeLimit(book, internalsOf(trip.client).options, options);
  const call = limit === false ? noDeadline : limit;
  /** For a step of the journal before the booking is sent. */
  const journal = Math.min(call, journalLimit);
  /** From the claim of a row to the time at which the checkout ends the call itself. */
  const stop = journal + call + slack;
  // A client that gives up early does not make the service any faster.
  const usual = journalLimit + book.timeout + slack;
  /** From the claim of a row to the time after which the service makes no booking any more. */
  const response = Math.max(stop, usual) + margin;
  return { journal, stop, response };
}

/**
 * Returns the end of a row whose booking failed. Once it was handed over to `fetch`, only what the service or the runtime
 * rules out is a no.
 */
function endingOf(error: unknown, isHandedOver: boolean): Pick<JournalRow, "state"> & Partial<JournalRow> {
  const known = ServiceApiError.isInstance(error) ? error : undefined;
  const reason = known?.kind ?? "unknown";
  const isRuledOut = known?.operation === "flights.book" && known.outcome !== "unknown";
  if (!isHandedOver || isRuledOut) return { state: "rejected", reason };
  return { state: "unknown", reason, ...namesIn(error) };
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
