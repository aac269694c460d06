import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { checkedClock } from "../../shared/clock.ts";
import { causeOf } from "../../shared/error-code.ts";
import { anyOf, boolean, func, integer, objectWith, type Rules, readOptions, string } from "../../shared/options.ts";
import { findBookingReference, isPnr } from "../booking/reference.ts";
import { BookingAlreadySettledError, BookingInFlightError, JournalError } from "../errors.ts";
import { adviceIn, begin, withinTime } from "./failure.ts";
import { type BookingJournal, isOverdue, isPending, type JournalRow, readRow } from "./journal.ts";

/** Result of a look-up: the PNR or ID of the booking, or `"notBooked"`. */
export type LookupResult =
  | {
      /** The airline's confirmation number. */
      readonly pnr?: string | undefined;
      /** The service's booking number; a string if it is not a safe integer. */
      readonly bookingId?: string | number | undefined;
    }
  | "notBooked";

/** The longest wait for each step of the journal. */
const stepLimit = 30_000;

/** Options of {@link reconcile}. */
export interface ReconcileOptions {
  /**
   * Whether to close a row as `"notBooked"` although the service may still be working on it. Only if you know for
   * certain that it is not: otherwise a second booking may follow a first one that nobody sees. @default false
   */
  readonly force?: boolean | undefined;
  /** Returns the current time in milliseconds since 1970, for tests. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/**
 * Closes a row of `journal.pending()` with the result of a look-up. A booking that was found is recorded at any time;
 * `"notBooked"` is refused until the row is overdue. Each step of the journal may take 30 seconds.
 *
 * @param journal - The journal that holds the row.
 * @param row - The row as you read it.
 * @param found - `{ pnr, bookingId }` of the booking, or `"notBooked"`, after which the offer can be booked again.
 * @param options - See {@link ReconcileOptions}.
 * @returns The closed row.
 * @throws {@link BookingInFlightError} for `"notBooked"`, if the service may still be making the booking; see
 *   {@link isOverdue}.
 * @throws {@link BookingAlreadySettledError} if the row was settled meanwhile. It is not changed.
 * @throws {@link ConfigurationError} if `found` has no valid PNR or booking ID, the journal does not hold the row, or
 * `now` does not return a
 *   finite number.
 * @throws {@link JournalError} if the journal fails or hangs. The row may be closed or still open: reconcile again.
 *
 * @example
 * ```ts
 * import { isOverdue, reconcile } from "serviceapi/flights";
 *
 * for (const row of await journal.pending()) {
 *   if (!isOverdue(row)) continue; // a response may still come
 *   const pnr = await askTheServiceOperator(row.clientReferenceId, row.traceId);
 *   await reconcile(journal, row, pnr === null ? "notBooked" : { pnr });
 * }
 * ```
 */
export async function reconcile(
  journal: Pick<BookingJournal, "get" | "settle">,
  row: JournalRow,
  found: LookupResult,
  options: ReconcileOptions = {},
): Promise<JournalRow> {
  const complaint = objectWith("get", "settle")(journal, "journal");
  if (complaint !== undefined) throw new ConfigurationError(`reconcile: the journal ${complaint}.`);
  const { force = false, ...rest } = readReconcileOptions("reconcile", options);
  // The look-up was made before this call, however long the journal takes.
  const at = checkedClock("reconcile", rest.now)();
  const ending = readFound(found);
  const given = readRow(row);
  if (given === undefined) throw new ConfigurationError("reconcile: the row must be a row of the journal.");

  const current = await present(journal, given);
  if (current.state !== given.state || !mayBecome(current, ending)) throw alreadySettled(current);
  if (ending.state === "rejected" && !force && !isOverdue(current, { now: () => at })) throw inFlight(current);
  const { state: from, pnrs, ...kept } = current;
  // A PNR that was found stands for those that the response named.
  const closed = { ...kept, ...(ending.pnr === undefined && pnrs && { pnrs }), ...ending, at };
  // `mayBecome` lets no booked row through.
  if (from !== "booked" && (await askJournal(current, () => journal.settle(closed, from)))) return closed;
  throw alreadySettled(await present(journal, given));
}

/** Checks the options and returns a copy of them. */
export function readReconcileOptions(owner: string, options: ReconcileOptions): ReconcileOptions {
  return readOptions(owner, options, optionRules);
}

const optionRules: Rules<ReconcileOptions> = { force: boolean, now: func };

type Ending = Pick<JournalRow, "state" | "pnr" | "bookingId">;

const foundRules = {
  pnr: string,
  bookingId: anyOf("must be a string, or an integer that a number holds exactly", string, integer(0)),
};

/** A booking needs a PNR or an ID: an empty field of a form does not close a row. */
function readFound(found: LookupResult): Ending {
  if (found === "notBooked") return { state: "rejected" };
  if (typeof found !== "object" || found === null) {
    throw new ConfigurationError('reconcile: `found` must be { pnr, bookingId } or "notBooked".');
  }
  const { pnr, bookingId } = readOptions<Exclude<LookupResult, string>>("reconcile", found, foundRules);
  const named = findBookingReference({ pnr, booking_id: bookingId });
  const isWord = named !== undefined && named.pnr !== "" && !isPnr(named.pnr, "given by a person");
  if (named === undefined || isWord) {
    throw new ConfigurationError(
      'reconcile: `found` needs a PNR or a booking ID. If the booking has none yet, leave the row open, which stops a second booking, and ask the service operator for one. Pass "notBooked" only if there is no booking.',
    );
  }
  return {
    state: "booked",
    ...(named.pnr !== "" && { pnr: named.pnr }),
    ...(named.bookingId !== "" && { bookingId: named.bookingId }),
  };
}

/** A booking may turn up behind a row that was closed as rejected; nothing follows a booked one. */
function mayBecome(row: JournalRow, ending: Ending): boolean {
  return isPending(row) || (row.state === "rejected" && ending.state === "booked");
}

async function present(journal: Pick<BookingJournal, "get">, { attemptId, ...row }: JournalRow): Promise<JournalRow> {
  const current = await askForRow({ attemptId, ...row }, () => journal.get(attemptId));
  if (current !== undefined) return current;
  throw new ConfigurationError("reconcile: the journal does not hold this row. Pass a row of journal.pending().");
}

/** Asks a journal for a row. A result that is not a row must not count as a missing row. */
export async function askForRow(row: JournalRow, step: () => Promise<unknown>): Promise<JournalRow | undefined> {
  const value = await askJournal(row, step);
  const found = readRow(value);
  if (found !== undefined || value === undefined || value === null) return found;
  throw notARow(row);
}

/** Asks a journal for the rows of a reference. */
export async function askForRows(
  journal: Pick<BookingJournal, "find">,
  reference: Pick<JournalRow, "clientReferenceId">,
): Promise<readonly JournalRow[]> {
  const values: unknown = await askJournal(reference, () => journal.find(reference.clientReferenceId));
  if (!Array.isArray(values)) throw notARow(reference);
  return values.map((value) => {
    const row = readRow(value);
    if (row === undefined) throw notARow(reference);
    return row;
  });
}

function notARow({ clientReferenceId }: Pick<JournalRow, "clientReferenceId">): JournalError {
  return new JournalError({
    message:
      "The journal returned something that is not a JournalRow, so nothing was changed. Fix the journal, then reconcile again before you book.",
    operation: "flights.book",
    clientReferenceId,
  });
}

/** Calls a journal, which may hang, and throws a typed error if it fails. */
export async function askJournal<T>(
  { clientReferenceId }: Pick<JournalRow, "clientReferenceId">,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await withinTime(begin(step), stepLimit);
  } catch (cause) {
    if (ServiceApiError.isInstance(cause) && !JournalError.isInstance(cause)) throw cause;
    const message = `The journal failed, so the row may be closed or still open. Fix the journal, then reconcile again before you book. ${adviceIn(cause)}`;
    throw new JournalError({ message, operation: "flights.book", clientReferenceId, cause: causeOf(cause) });
  }
}

function inFlight(row: JournalRow): BookingInFlightError {
  return new BookingInFlightError({
    message:
      `The booking was sent at ${time(row.sentAt)}, and the service may still make it until ${time(row.responseDueBy)}. ` +
      "Look it up after that, then reconcile. Nothing was changed.",
    operation: "flights.book",
    clientReferenceId: row.clientReferenceId,
    row,
  });
}

function alreadySettled(row: JournalRow): BookingAlreadySettledError {
  return new BookingAlreadySettledError({
    message: `The row was settled meanwhile: it is ${row.state}. Nothing was changed; see \`row\`.`,
    operation: "flights.book",
    clientReferenceId: row.clientReferenceId,
    row,
  });
}

function time(at: number): string {
  return new Date(at).toISOString();
}
