import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { anyOf, boolean, func, number, objectWith, readOptions, string } from "../../shared/options.ts";
import { findBookingReference } from "../booking-reference.ts";
import { BookingAlreadySettledError, BookingInFlightError, JournalError } from "../errors.ts";
import type { BookingJournal, JournalRow } from "./journal.ts";
import { readRow } from "./row.ts";
import { begin } from "./wait.ts";

/** What a look-up found: a booking by its PNR or number, or that there is none. */
export type Found =
  | { readonly pnr?: string | undefined; readonly bookingId?: string | number | undefined }
  | "notBooked";

/** Options of {@link reconcile}. */
export interface ReconcileOptions {
  /** Closes a row although its response may still come. Only if you know that the process that sent it is gone. @default false */
  readonly force?: boolean | undefined;
  /** Returns the present in milliseconds since 1970, for tests. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/**
 * Closes a row of `journal.pending()` once somebody has found out what became of the booking.
 *
 * @param journal - The journal that holds the row.
 * @param row - The row as it was read.
 * @param found - `{ pnr, bookingId }` of what was found, or `"notBooked"`, after which the offer can be booked again.
 * @param options - See {@link ReconcileOptions}.
 * @returns The row as it stands now.
 * @throws {@link BookingInFlightError} if the row is `sent` and its response may still come; see {@link isOverdue}.
 * @throws {@link BookingAlreadySettledError} if the row was settled meanwhile. It is left as it stands.
 * @throws {@link ConfigurationError} if `found` names no booking, or the journal does not hold the row.
 * @throws {@link JournalError} if the journal fails.
 *
 * @example
 * ```ts
 * import { isOverdue, reconcile } from "serviceapi/flights";
 *
 * for (const row of await journal.pending()) {
 *   if (!isOverdue(row)) continue; // it may still be answered
 *   const pnr = await askTheServiceOperator(row.clientReferenceId, row.traceId);
 *   await reconcile(journal, row, pnr === null ? "notBooked" : { pnr });
 * }
 * ```
 */
export async function reconcile(
  journal: Pick<BookingJournal, "get" | "settle">,
  row: JournalRow,
  found: Found,
  options: ReconcileOptions = {},
): Promise<JournalRow> {
  const complaint = objectWith("get", "settle")(journal, "journal");
  if (complaint !== undefined) throw new ConfigurationError(`reconcile: the journal ${complaint}.`);
  const { force = false, now = Date.now } = readOptions<ReconcileOptions>("reconcile", options, {
    force: boolean,
    now: func,
  });
  const ending = readFound(found);
  const given = readRow(row);
  if (given === undefined) throw new ConfigurationError("reconcile: the row must be a row of the journal.");

  const current = await present(journal, given);
  if (current.state !== given.state || !mayBecome(current, ending)) throw alreadySettled(current);
  if (current.state === "sent" && now() < current.answerBy && !force) throw inFlight(current);
  const { state: from } = current;
  const closed = { ...current, ...ending, at: now() };
  // `mayBecome` lets no booked row through.
  if (from !== "booked" && (await askJournal(current, () => journal.settle(closed, from)))) return closed;
  throw alreadySettled(await present(journal, given));
}

type Ending = Pick<JournalRow, "state" | "pnr" | "bookingId">;

const foundRules = { pnr: string, bookingId: anyOf("must be a string or a number", string, number(0)) };

/** A booking is one only by a name: an empty field of a form closes nothing. */
function readFound(found: Found): Ending {
  if (found === "notBooked") return { state: "rejected" };
  const { pnr, bookingId } = readOptions<Exclude<Found, string>>("reconcile", found, foundRules);
  const named = findBookingReference({ pnr, booking_id: bookingId });
  if (named === undefined) {
    throw new ConfigurationError(
      'reconcile: a booking that was found needs its PNR or booking id. If there is none, pass "notBooked".',
    );
  }
  return {
    state: "booked",
    ...(named.pnr !== "" && { pnr: named.pnr }),
    ...(named.bookingId !== "" && { bookingId: named.bookingId }),
  };
}

/** A booking may turn up behind a row that was closed as rejected; nothing follows a booked one. */
function mayBecome({ state }: JournalRow, ending: Ending): boolean {
  return state === "sent" || state === "unknown" || (state === "rejected" && ending.state === "booked");
}

async function present(journal: Pick<BookingJournal, "get">, { attemptId, ...row }: JournalRow): Promise<JournalRow> {
  const current = readRow(await askJournal({ attemptId, ...row }, () => journal.get(attemptId)));
  if (current !== undefined) return current;
  throw new ConfigurationError("reconcile: the journal does not hold this row. Pass a row of journal.pending().");
}

/** Asks a journal, and gives its error a type. */
export async function askJournal<T>({ clientReferenceId }: JournalRow, step: () => Promise<T>): Promise<T> {
  try {
    return await begin(step);
  } catch (cause) {
    if (ServiceApiError.isInstance(cause)) throw cause;
    const message =
      "The journal failed, so the row may still be open. Fix the journal (see `cause`), then reconcile again.";
    throw new JournalError({ message, operation: "flights.book", clientReferenceId, cause });
  }
}

function inFlight(row: JournalRow): BookingInFlightError {
  return new BookingInFlightError({
    message:
      `The booking was sent at ${time(row.sentAt)} and may still be answered until ${time(row.answerBy)}. ` +
      "Look it up after that, then reconcile.",
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
