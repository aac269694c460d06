import { ConfigurationError } from "../../errors/request.ts";
import { checkedClock } from "../../shared/clock.ts";
import { isObject } from "../../shared/json.ts";
import { func, readOptions } from "../../shared/options.ts";

/** The state of a booking attempt: `sent → booked | rejected | unknown`, `unknown → booked | rejected`, `rejected → booked`. */
export type BookingState =
  /** Handed over. Its response is still to come, or the process died before one came. */
  | "sent"
  /** It exists. */
  | "booked"
  /** It does not exist: refused, or never sent. */
  | "rejected"
  /** It may exist: look it up. */
  | "unknown";

/** The states that a row may leave. A row that is `booked` stays as it is. */
export type OpenBookingState = Exclude<BookingState, "booked">;

/** One attempt to book one offer. It holds no passenger data but a short hash ({@link JournalRow.fingerprint}). */
export interface JournalRow {
  /** The key of the row: unique, made by the checkout for each attempt. */
  readonly attemptId: string;
  /** What was sent as `client_referenceId`. A reference that was refused may be used again, by another attempt. */
  readonly clientReferenceId: string;
  readonly traceId: string;
  /** Token of the search result that was quoted. */
  readonly searchToken: string;
  /** Quote token that was sent. */
  readonly token: string;
  /** Index of the quote's result. */
  readonly result: number;
  /**
   * Two parts of a hash, such as `3b86deda05c0e310480f4b530948e551.bef3076a`: 32 hex digits over flights and departure times, and
   * eight over those and the names and dates of birth of the passengers. It tells when (probably) the same people are booked on
   * the same flights after another search. Empty if flights, times or a name cannot be read.
   */
  readonly fingerprint: string;
  readonly state: BookingState;
  /** When the state was written, in milliseconds since 1970. */
  readonly at: number;
  /** When the booking was handed over, in milliseconds since 1970. */
  readonly sentAt: number;
  /** Until when a response may come, in milliseconds since 1970: the deadlines of the call, and a margin for other clocks. */
  readonly answerBy: number;
  /** The booking was sent with `force`. */
  readonly forced?: boolean;
  /** `kind` of the error that ended the attempt. */
  readonly reason?: string;
  readonly pnr?: string;
  /** The PNRs that the response names, if there are others than `pnr`. */
  readonly pnrs?: readonly string[];
  /** The service's own number, digit by digit. */
  readonly bookingId?: string;
}

/** How a row is claimed. */
export interface ClaimOptions {
  /** Lets the row pass although others stand in its way; its `clientReferenceId` must be free all the same. @default false */
  readonly force?: boolean | undefined;
}

/**
 * Records bookings before and after they are sent, so that none is sent twice and none is forgotten: one row for each attempt.
 *
 * `memoryJournal` serves one process for as long as it lives, `fileJournal` of `serviceapi/flights/node` the processes of one
 * machine, `postgresJournal` of `serviceapi/flights/postgres` any number of machines. Test a journal of your own with
 * `journalSuite` of `serviceapi/flights/journal-suite`.
 */
export interface BookingJournal {
  /**
   * Returns a row in the way of this one ({@link conflictsWith}), without writing anything: an early look, before a fresh quote
   * is requested.
   */
  conflict(row: JournalRow, options: ClaimOptions): Promise<JournalRow | undefined | null>;
  /**
   * Writes a row in state `sent` unless another stands in its way ({@link conflictsWith}). Check and write are one atomic
   * step, durable when the promise resolves.
   *
   * @returns The row in the way, or undefined (or null) if the row was written.
   */
  claim(row: JournalRow, options: ClaimOptions): Promise<JournalRow | undefined | null>;
  /**
   * Replaces the row of the same `attemptId` if its state is still `from`, as one atomic step (compare and set), durable when
   * the promise resolves. Nothing that the journal holds keeps `rejected` from becoming `booked`: a booking that exists is recorded.
   *
   * @returns Whether the row was replaced.
   */
  settle(row: JournalRow, from: OpenBookingState): Promise<boolean>;
  /** Returns every attempt made under a reference, oldest first. */
  find(clientReferenceId: string): Promise<readonly JournalRow[]>;
  /** Returns the row of an attempt. */
  get(attemptId: string): Promise<JournalRow | undefined | null>;
  /** Returns the rows in state `sent` and `unknown`, oldest first; {@link isOverdue} tells which of them to look up. */
  pending(): Promise<readonly JournalRow[]>;
}

/** The methods of {@link BookingJournal}. */
export const journalMethods = ["conflict", "claim", "settle", "find", "get", "pending"] as const;

/** What two rows have in common that only one booking may have. */
export type BookingConflict =
  /** The same `client_referenceId`, which the service wants to be unique: `force` does not help. */
  | "reference"
  /** The same quote token. */
  | "token"
  /** The same result of the same search, perhaps under a fresh quote. */
  | "offer"
  /** The same flights, probably for the same passengers, after another search. */
  | "passengers";

const blocking: ReadonlySet<BookingState> = new Set(["sent", "unknown", "booked"]);

/**
 * Returns why `other` forbids sending `row`, or undefined if it does not: a row that is `sent`, `unknown` or `booked` stands in
 * the way of the same reference, quote token, offer, and of the same flights for the same passengers.
 */
export function conflictsWith(
  other: JournalRow,
  row: JournalRow,
  { force = false }: ClaimOptions = {},
): BookingConflict | undefined {
  requireRows("conflictsWith", other, row);
  if (!blocking.has(other.state)) return undefined;
  if (other.clientReferenceId === row.clientReferenceId) return "reference";
  if (force) return undefined;
  if (other.token === row.token) return "token";
  const sameSearch = other.traceId === row.traceId && other.searchToken === row.searchToken;
  if (sameSearch && other.result === row.result) return "offer";
  return row.fingerprint !== "" && other.fingerprint === row.fingerprint ? "passengers" : undefined;
}

/** Returns whether it is not known what became of the booking. */
export function isPending(row: JournalRow): boolean {
  requireRows("isPending", row);
  const { state } = row;
  return state === "sent" || state === "unknown";
}

/**
 * Returns whether a pending row can be looked up: no response can come any more, nor should the service still be working on it.
 * A look-up before that may miss a booking that is being made, and `reconcile` refuses `"notBooked"`.
 *
 * @param row - A row of `journal.pending()`.
 * @param options - `now` returns the present in milliseconds since 1970, for tests. It defaults to `Date.now`.
 * @throws {@link ConfigurationError} if `now` does not return a finite number.
 *
 * @example
 * ```ts
 * import { isOverdue } from "serviceapi/flights";
 *
 * const toLookUp = (await journal.pending()).filter((row) => isOverdue(row));
 * ```
 */
export function isOverdue(row: JournalRow, options: { readonly now?: (() => number) | undefined } = {}): boolean {
  const { now } = readOptions<{ readonly now?: (() => number) | undefined }>("isOverdue", options, { now: func });
  requireRows("isOverdue", row);
  if (!Number.isFinite(row.answerBy)) throw notARow("isOverdue");
  return isPending(row) && checkedClock("isOverdue", now)() >= row.answerBy;
}

/** What is not a row would pass for one that stands in nobody's way. */
function requireRows(owner: string, ...rows: readonly unknown[]): void {
  if (!rows.every((row) => isObject(row) && typeof row.state === "string")) throw notARow(owner);
}

function notARow(owner: string): ConfigurationError {
  return new ConfigurationError(`${owner}: the row must be a row of the journal.`);
}
