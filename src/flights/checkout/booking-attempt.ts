import { type Issue, ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import { causeOf } from "../../shared/error-code.ts";
import { elementsOf, field, stringOf } from "../../shared/json.ts";
import type { BookingReference } from "../booking/reference.ts";
import { BookingAlreadySentError, JournalError } from "../errors.ts";
import { adopt } from "../journal/adopt.ts";
import { adviceIn, begin, withinTime } from "../journal/failure.ts";
import {
  type BookingConflict,
  type BookingJournal,
  type BookingState,
  conflictsWith,
  isPending,
  type JournalRow,
  readRow,
} from "../journal/journal.ts";
import type { BookingDeadlines } from "./options.ts";

/** Dependencies and options of a booking attempt. */
export interface AttemptTerms {
  readonly journal: BookingJournal;
  /** The rows that are saved with the trip, by `attemptId`. */
  readonly own: Map<string, JournalRow>;
  readonly force: boolean;
  readonly now: () => number;
  readonly deadlines: BookingDeadlines;
  readonly signal: AbortSignal | undefined;
}

/** The fields of a row that are known before it is claimed. */
export type PlannedRow = Omit<JournalRow, "state" | "at" | "sentAt" | "responseDueBy">;

/** The journal's side of one booking: one row, claimed before it is sent and settled after. It settles no other row. */
export class BookingAttempt {
  readonly #terms: AttemptTerms;
  #row: JournalRow;
  #isHandedOver = false;

  constructor(planned: PlannedRow, terms: AttemptTerms) {
    this.#terms = terms;
    this.#row = this.#sentNow(planned);
  }

  get clientReferenceId(): string {
    return this.#row.clientReferenceId;
  }

  /** The row as it was last written. */
  get row(): JournalRow {
    return this.#row;
  }

  /** Milliseconds until the checkout ends the call itself. */
  timeLeft(): number {
    return this.#row.sentAt + this.#terms.deadlines.stop - this.#terms.now();
  }

  /** From here on the service may make the booking. */
  handOver(): void {
    this.#isHandedOver = true;
  }

  /** Refuses what is booked or on its way already, before a fresh quote is requested for it. */
  async refuseConflicts(): Promise<void> {
    const { journal, own, force } = this.#terms;
    for (const saved of [...own.values()].filter((row) => isPending(row) || this.#conflict(row) !== undefined)) {
      // The journal knows better than a saved trip, if it knows the row at all.
      const current = (await this.#ask(() => adopt(journal, saved))) ?? saved;
      own.set(current.attemptId, current);
      if (this.#conflict(current) !== undefined) throw this.#alreadySent(current);
    }
    this.#refuse(await this.#ask(() => journal.conflict(this.#row, { force })));
  }

  /** Records that the booking is on its way. If this throws, nothing was sent. */
  async claim(token: string): Promise<void> {
    const { journal, own, force, now, deadlines } = this.#terms;
    this.#row = this.#sentNow({ ...this.#row, token });
    const claiming = begin(() => journal.claim(this.#row, { force }));
    try {
      this.#refuseOthers(await this.#read(claiming));
      // A process that was suspended in between may find its row closed by now.
      if (now() - this.#row.sentAt > 2 * deadlines.journal)
        throw this.#unrecorded(new Error("The claim took too long."));
    } catch (error) {
      // Whatever was returned, the row may have been written, and nothing is sent for it.
      this.#withdrawOnce(claiming);
      throw error;
    }
    own.set(this.#row.attemptId, this.#row);
  }

  /** Records that the booking exists. A failure to do so comes back as a warning. */
  async booked(reference: BookingNames): Promise<Issue | undefined> {
    this.#keep(bookedRow(this.#row, reference, this.#present()));
    const message = await recordBooked(this.#terms.journal, this.#row);
    return message === undefined ? undefined : { path: ["journal", this.clientReferenceId], message, code: "custom" };
  }

  /** Records how the booking failed. */
  async failed(error: unknown): Promise<void> {
    this.#keep(failedRow(this.#row, error, { at: this.#present(), isHandedOver: this.#isHandedOver }));
    await recordFailed(this.#terms.journal, this.#row);
  }

  /** A claim that succeeds after it was given up must not conflict with others: nothing was sent for it. */
  #withdrawOnce(claiming: Promise<unknown>): void {
    const { journal } = this.#terms;
    const row: JournalRow = { ...this.#row, state: "rejected", reason: "journal", at: this.#present() };
    const withdraw = () => journal.settle(row, "sent");
    claiming.then(withdraw, withdraw).catch(() => {});
  }

  #keep(row: JournalRow): void {
    this.#row = row;
    this.#terms.own.set(row.attemptId, row);
  }

  #sentNow(planned: PlannedRow): JournalRow {
    const at = this.#terms.now();
    return { ...planned, state: "sent", at, sentAt: at, responseDueBy: at + this.#terms.deadlines.response };
  }

  /** Once a booking was sent, a clock that fails must not hide its outcome. */
  #present(): number {
    try {
      return this.#terms.now();
    } catch {
      return this.#row.at;
    }
  }

  async #ask(step: () => Promise<unknown>): Promise<JournalRow | undefined> {
    return this.#read(begin(step));
  }

  /** Reads a row, or none, from a journal that may hang, throw, or return anything. */
  async #read(asked: Promise<unknown>): Promise<JournalRow | undefined> {
    const { deadlines, signal } = this.#terms;
    const value = await withinTime(asked, deadlines.journal, signal).catch((cause) => {
      throw signal?.aborted && cause === signal.reason
        ? abortedBeforeSending(signal, this.clientReferenceId)
        : this.#unrecorded(cause);
    });
    if (value === undefined || value === null) return undefined;
    const row = readRow(value);
    if (row === undefined)
      throw this.#unrecorded(new Error("The journal returned something that is not a JournalRow."));
    return row;
  }

  #unrecorded(cause: unknown): JournalError {
    return new JournalError({
      message: `The journal could not record the booking, so it was not sent. Nothing is booked. ${adviceIn(cause)}`,
      operation: "flights.book",
      clientReferenceId: this.clientReferenceId,
      cause: causeOf(cause),
    });
  }

  #conflict(other: JournalRow): BookingConflict | undefined {
    return conflictsWith(other, this.#row, { force: this.#terms.force });
  }

  /** A journal that retries a claim, because its own response was lost, finds the row that it has just written. */
  #refuseOthers(other: JournalRow | undefined): void {
    if (other?.attemptId !== this.#row.attemptId) this.#refuse(other);
    else if (other.state !== "sent") throw this.#unrecorded(new Error("The row was closed while it was claimed."));
  }

  #refuse(other: JournalRow | undefined): void {
    if (other !== undefined) throw this.#alreadySent(other);
  }

  /** A journal of the application may return a row for its own reasons; then the offer counts as taken. */
  #alreadySent(other: JournalRow): BookingAlreadySentError {
    return alreadySent(other, this.#row, this.#conflict(other) ?? "offer");
  }
}

/** The caller aborted before the booking was handed over. */
export function abortedBeforeSending({ reason }: AbortSignal, clientReferenceId?: string): AbortError {
  return new AbortError({
    message: "flights.book: aborted by the caller before it was sent. Nothing is booked.",
    operation: "flights.book",
    clientReferenceId,
    phase: "credentials",
    reason,
  });
}

/** Makes the error for a row that conflicts with another. */
export function alreadySent(other: JournalRow, row: JournalRow, conflict: BookingConflict): BookingAlreadySentError {
  return new BookingAlreadySentError({
    message:
      `${inCommon[conflict]} ${whatIsKnown[other.state]}, under client_referenceId ${other.clientReferenceId}. ` +
      `Nothing was sent now. ${adviceFor(other, conflict)}`,
    operation: "flights.book",
    clientReferenceId: row.clientReferenceId,
    conflict,
    row: other,
  });
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

function adviceFor({ state }: JournalRow, conflict: BookingConflict): string {
  if (state !== "booked") return "Look it up, close it with reconcile(), and book again only if it is not booked.";
  if (conflict === "reference") return "Use another reference for another booking.";
  return "If it was cancelled, or is to be booked twice, pass `allowDuplicate: true`.";
}

/** The names of a booking in a response. */
export type BookingNames = Pick<BookingReference, "pnr" | "pnrs" | "bookingId">;

/** A checkout does not wait longer than this for the journal once it knows the outcome of a booking. */
const settleLimit = 2_000;

/** Returns the row of a booking that exists. */
export function bookedRow(row: JournalRow, reference: BookingNames, at: number): JournalRow {
  return { ...row, state: "booked", at, ...namesIn(reference) };
}

/**
 * Returns the row of a booking that failed. Once it was sent, only what the service or the runtime rules out is a no.
 *
 * @param when - The time, and whether the request was handed over to `fetch`.
 */
export function failedRow(
  row: JournalRow,
  error: unknown,
  { at, isHandedOver }: { readonly at: number; readonly isHandedOver: boolean },
): JournalRow {
  if (!ServiceApiError.isInstance(error)) return { ...row, state: "unknown", reason: "unknown", at };
  if (error.outcome !== "unknown" && isOfBooking(error, isHandedOver)) {
    return { ...row, state: "rejected", reason: error.kind, at };
  }
  return { ...row, state: "unknown", reason: error.kind, ...namesIn(error), at };
}

/** A client may call other operations before or after `book`: an error of those says nothing about the booking. */
function isOfBooking({ operation, outcome }: ServiceApiError, isHandedOver: boolean): boolean {
  return operation === "flights.book" || (operation === undefined && outcome === "notSent" && !isHandedOver);
}

/**
 * Records a booking that exists. It exists all the same if that fails.
 *
 * @returns The warning, or undefined if the journal holds the booking.
 */
export async function recordBooked(journal: BookingJournal, row: JournalRow): Promise<string | undefined> {
  return withinTime(
    begin(() => settleBooked(journal, row)),
    settleLimit,
  ).catch(
    () => "is booked, but the journal did not record it in time: check its row, and settle it by hand if it is open",
  );
}

/** Records how a booking failed. A journal that fails as well must not hide that. */
export async function recordFailed(journal: BookingJournal, row: JournalRow): Promise<void> {
  await withinTime(
    begin(() => journal.settle(row, "sent")),
    settleLimit,
  ).catch(() => {});
}

/** A row that was closed meanwhile is overwritten: a booking that exists must not be lost. */
async function settleBooked(journal: BookingJournal, row: JournalRow): Promise<string | undefined> {
  if ((await journal.settle(row, "sent")) === true) return undefined;
  const current = readRow(await journal.get(row.attemptId));
  if (current?.state === "booked") {
    const isSame = current.pnr === undefined || row.pnr === undefined || current.pnr === row.pnr;
    return isSame
      ? undefined
      : `is booked, but was reconciled with another PNR, ${current.pnr}: correct its row by hand`;
  }
  if (current === undefined || current.state === "sent" || !(await journal.settle(row, current.state))) {
    throw new Error("The journal did not record the booking.");
  }
  return current.state === "rejected"
    ? "is booked, although its row was closed as not booked before the response came: find out whether it was booked again"
    : undefined;
}

/** The names in a reference, or in an error, which may be another copy's. */
function namesIn(named: object): Pick<JournalRow, keyof BookingNames> {
  const [pnr, bookingId] = [stringOf(field(named, "pnr")), stringOf(field(named, "bookingId"))];
  const pnrs = elementsOf(field(named, "pnrs")).map(stringOf);
  return {
    ...(pnr !== "" && { pnr }),
    ...(pnrs.some((one) => one !== pnr) && { pnrs }),
    ...(bookingId !== "" && { bookingId }),
  };
}
