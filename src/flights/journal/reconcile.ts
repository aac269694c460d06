import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { checkedClock, withinTime } from "../../shared/clock.ts";
import {
  anyOf,
  boolean,
  func,
  integer,
  nonEmptyString,
  objectWith,
  type Rules,
  readArguments,
  readOptions,
  string,
} from "../../shared/options.ts";
import { findBookingReference, isPnr } from "../booking/reference.ts";
import { BookingAlreadySettledError, BookingInFlightError, JournalError } from "../errors.ts";
import { compareMoney, type Money, priceRule, readMoney } from "../quote/money.ts";
import { type BookingJournal, checkRow, isOverdue, type JournalRow, lifeOfRow, readRow } from "./journal.ts";

/** Result of a look-up: the PNR or ID of the booking, or `"notBooked"`. */
export type LookupResult =
  | {
      /** The airline's confirmation number. */
      readonly pnr?: string | undefined;
      /** The service's booking number; a string if it is not a safe integer. */
      readonly bookingId?: string | number | undefined;
      /** Its price, which the service may have raised while it booked. @default the price in the quote that was booked */
      readonly price?: Money | undefined;
    }
  | "notBooked";

/** The longest wait for each step of the journal. */
export const stepLimit = 30_000;

/** Options of {@link reconcile}. */
export interface ReconcileOptions {
  /**
   * Whether to close a row as `"notBooked"` although the service may still be working on it. Only if you know for
   * certain that it is not: otherwise a second booking may follow a first one that nobody sees. With it,
   * `trip.reconcile` also records a PNR or booking ID that another booking of the trip has. @default false
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
 * @param found - `{ pnr, bookingId, price }` of the booking, or `"notBooked"`, after which the offer can be booked again.
 * @param options - See {@link ReconcileOptions}.
 * @returns The closed row.
 * @throws {@link BookingInFlightError} for `"notBooked"`, if the service may still be making the booking; see
 *   {@link isOverdue}.
 * @throws {@link BookingAlreadySettledError} if the row was settled meanwhile. It is not changed.
 * @throws {@link ConfigurationError} if `found` has no valid PNR or booking ID, the journal does not hold the row, or
 *   `now` does not return a finite number.
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
  readArguments("reconcile", { journal }, { journal: objectWith("get", "settle") });
  const { force = false, ...rest } = readOptions<ReconcileOptions>("reconcile", options, reconcileRules);
  // The look-up was made before this call, however long the journal takes.
  const at = checkedClock("reconcile", rest.now)();
  const ending = readFound(found);
  const given = checkRow("reconcile", row);

  const failure =
    "The journal failed, so the row may be closed or still open. Fix the journal, then reconcile again before you book.";
  const present = async () => {
    const current = await findRow(journal, given, failure);
    if (current !== undefined) return current;
    throw new ConfigurationError(
      "reconcile: the journal does not hold this row. Pass the journal that it was booked with, and a row of its pending().",
    );
  };
  const current = await present();
  const { state: from, pnrs, ...kept } = { ...given, ...current };
  if (from !== given.state || from === "booked" || !lifeOfRow[from].includes(ending.state))
    throw alreadySettled(current);
  if (ending.state === "rejected" && !force && !isOverdue(current, { now: () => at })) {
    const [sentAt, dueBy] = [current.sentAt, current.responseDueBy].map((time) => new Date(time).toISOString());
    const message = `The booking was sent at ${sentAt}, and the service may still make it until ${dueBy}. Look it up after that, then reconcile. Nothing was changed.`;
    throw new BookingInFlightError({ message, ...about(current) });
  }
  // A PNR that was found stands for those that the response named.
  const closed = { ...kept, ...(ending.pnr === undefined && pnrs && { pnrs }), ...ending, at };
  // The price of a row that is open is the one that was agreed to.
  const order = ending.price && kept.price && compareMoney(ending.price, kept.price);
  if (typeof order === "number") closed.isAboveLimit = order > 0;
  if (await askJournal(current, () => journal.settle(closed, from), failure)) return closed;
  throw alreadySettled(await present());
}

export const reconcileRules: Rules<ReconcileOptions> = { force: boolean, now: func };

/**
 * Looks up the overdue rows of a journal, one after the other, and closes them with what is found: call it regularly, and after a
 * crash. One that fails does not keep the others open. A PNR that was found for one closes no other: if it holds both, use
 * `reconcile`.
 *
 * @param journal - The journal.
 * @param lookUp - Finds the booking of a row. Returns what `reconcile` takes, or null to leave the row open.
 * @param options - `now` returns the current time in milliseconds since 1970, for tests. Its default is `Date.now`.
 * @returns Each row as it is now, oldest first, with the error of its look-up or of `reconcile`, if it failed.
 * @throws {@link JournalError} if the pending rows cannot be read.
 * @throws {@link ConfigurationError} if `now` does not return a finite number.
 *
 * @example
 * ```ts
 * import { reconcileOverdue } from "serviceapi/flights";
 *
 * const looked = await reconcileOverdue(journal, async ({ clientReferenceId, traceId }) => {
 *   const pnr = await askTheServiceOperator(clientReferenceId, traceId);
 *   return pnr === null ? "notBooked" : { pnr };
 * });
 * for (const { row, error } of looked) console.log(row.clientReferenceId, row.state, error ?? "");
 * ```
 */
export async function reconcileOverdue(
  journal: Pick<BookingJournal, "pending" | "get" | "settle">,
  lookUp: (row: JournalRow) => Promise<LookupResult | null>,
  options: Pick<ReconcileOptions, "now"> = {},
): Promise<readonly { readonly row: JournalRow; readonly error?: unknown }[]> {
  const parts = { journal: objectWith("pending", "get", "settle"), lookUp: func };
  readArguments("reconcileOverdue", { journal, lookUp }, parts);
  const given = readOptions<typeof options>("reconcileOverdue", options, { now: func });
  const pending = await askJournal({}, async () => readRows(await journal.pending()));
  const looked: { row: JournalRow; error?: unknown }[] = [];
  for (const row of pending.filter((one) => isOverdue(one, given))) {
    let found: LookupResult | null = null;
    try {
      found = await lookUp(row);
      const rows = looked.map((one) => one.row);
      if (found !== null) refuseShared(rows, row, found);
      looked.push({ row: found === null ? row : await reconcile(journal, row, found, given) });
    } catch (error) {
      const settled = BookingAlreadySettledError.isInstance(error) ? error.row : undefined;
      const isKnown =
        settled && found && (found === "notBooked" || sharing([settled], {}, readFound(found)).length > 0);
      looked.push({ row: settled ?? row, ...(!isKnown && { error }) });
    }
  }
  return looked;
}

const foundRules = {
  pnr: string,
  bookingId: anyOf("must be a string, or an integer that a number holds exactly", string, integer(0)),
  price: priceRule,
};

/** A booking needs a PNR or an ID: an empty field of a form does not close a row. */
export function readFound(found: LookupResult): Pick<JournalRow, "state" | "pnr" | "bookingId" | "price"> {
  if (found === "notBooked") return { state: "rejected" };
  if (typeof found !== "object" || found === null) {
    throw new ConfigurationError('reconcile: `found` must be { pnr, bookingId } or "notBooked".');
  }
  const { pnr, bookingId, price } = readOptions<Exclude<LookupResult, string>>("reconcile", found, foundRules);
  const paid = price && readMoney(price.amount, price.currency);
  const named = findBookingReference({ pnr, booking_id: bookingId });
  // A word in place of the PNR, such as CANCELLED, takes back what the ID says.
  const isWord = pnr?.trim() && !(named?.pnr && isPnr(named.pnr, "given by a person"));
  if (named === undefined || isWord) {
    throw new ConfigurationError(
      'reconcile: `found` needs a PNR or a booking ID. A placeholder, such as PENDING or 0, or a word, such as CANCELLED, is none. If the booking has none yet, leave the row open, which stops a second booking, and ask the service operator for one. Pass "notBooked" only if there is no booking.',
    );
  }
  return {
    state: "booked",
    ...(named.pnr && { pnr: named.pnr }),
    ...(named.bookingId && { bookingId: named.bookingId }),
    ...(paid && { price: paid }),
  };
}

/** Returns the rows of other bookings that have one of the names of this one: a PNR of several, or the booking ID. */
export function sharing(
  rows: Iterable<JournalRow>,
  { attemptId }: Partial<JournalRow>,
  found: Partial<JournalRow>,
): JournalRow[] {
  const taken = namesOf(found);
  const isTaken = (row: JournalRow) => row.state !== "rejected" && namesOf(row).some((name) => taken.includes(name));
  return [...rows].filter((row) => row.attemptId !== attemptId && isTaken(row));
}

/** Refuses a PNR or booking ID that one of the rows has for another booking. */
export function refuseShared(rows: Iterable<JournalRow>, row: JournalRow, found: LookupResult): void {
  const [other] = sharing(rows, row, readFound(found));
  if (other === undefined) return;
  throw new ConfigurationError(
    `reconcile: Another booking, ${other.clientReferenceId}, has this PNR or booking ID. Nothing was changed. Look both up. If one PNR holds both, call reconcile with \`force\`.`,
  );
}

/** The names by which two rows are the same booking, in one spelling. A shorter part of a PNR is that of an airline. */
export function namesOf({ pnr = "", pnrs = [], bookingId = "" }: Partial<JournalRow>): readonly string[] {
  const parts = [pnr, ...pnrs].flatMap((name) => name.toUpperCase().split(/[^A-Z\d]/));
  const ids = bookingId === "" ? [] : [`ID ${bookingId.toUpperCase()}`];
  return [...parts.filter(({ length }) => length >= 5), ...ids];
}

function alreadySettled(row: JournalRow): BookingAlreadySettledError {
  const how = row.state === "rejected" ? " If there is a booking, reconcile that." : "";
  const message = `The row was settled meanwhile: it is ${row.state}. Nothing was changed; see \`row\`.${how}`;
  return new BookingAlreadySettledError({ message, ...about(row) });
}

function about(row: JournalRow) {
  return { operation: "flights.book", clientReferenceId: row.clientReferenceId, row };
}

/**
 * Records a booking that exists. A row that was closed meanwhile is overwritten: a booking that exists must not be lost.
 *
 * @returns The warning, or undefined if the journal holds the booking.
 */
export async function recordBooked(
  journal: Pick<BookingJournal, "get" | "settle">,
  row: JournalRow,
): Promise<string | undefined> {
  for (const from of ["sent", "unknown", "rejected"] as const) {
    if ((await journal.settle(row, from)) !== true) continue;
    return from === "rejected"
      ? "is booked, although its row was closed as not booked before the response came: find out whether it was booked again"
      : undefined;
  }
  const current = readReply(await journal.get(row.attemptId));
  if (current?.state !== "booked") throw new Error("The journal did not record the booking.");
  const isSame = current.pnr === undefined || row.pnr === undefined || current.pnr === row.pnr;
  return isSame ? undefined : `is booked, but was reconciled with another PNR, ${current.pnr}: correct its row by hand`;
}

/** Calls a journal, and throws a typed error if it fails. */
async function askJournal<T>(
  row: Partial<JournalRow>,
  step: () => Promise<T>,
  failure = "The journal failed, so it is not known what is booked. Fix it, then try again.",
): Promise<T> {
  try {
    return await withinTime("The journal", step, stepLimit);
  } catch (cause) {
    if (ServiceApiError.isInstance(cause) && !JournalError.isInstance(cause)) throw cause;
    throw journalFailed(failure, row, cause);
  }
}

/** Finds a row as the journal has it now. */
export async function findRow(journal: Pick<BookingJournal, "get">, row: JournalRow, failure?: string) {
  return askJournal(row, async () => readReply(await journal.get(row.attemptId)), failure);
}

/** Finds the rows of a reference. */
export async function findRows(journal: Pick<BookingJournal, "find">, clientReferenceId: string) {
  return askJournal({ clientReferenceId }, async () => readRows(await journal.find(clientReferenceId)));
}

/**
 * Finds the booking attempts of an order: what is booked for it, what may be, and what was refused.
 *
 * @param journal - The journal that it was booked with.
 * @param orderId - The `orderId` of its checkout.
 * @returns The rows, by the numbers of their references; empty if there are none.
 * @throws {@link JournalError} if the journal fails or hangs.
 *
 * @example
 * ```ts
 * import { findBookings } from "serviceapi/flights";
 *
 * for (const { clientReferenceId, state, flights = [], pnr = "" } of await findBookings(journal, "order-17")) {
 *   console.log(clientReferenceId, state, flights.join(", "), pnr);
 * }
 * ```
 */
export async function findBookings(
  journal: Pick<BookingJournal, "find">,
  orderId: string,
): Promise<readonly JournalRow[]> {
  readArguments("findBookings", { journal, orderId }, { journal: objectWith("find"), orderId: nonEmptyString });
  const found: JournalRow[] = [];
  // Its numbers follow each other.
  for (let n = 0; ; n++) {
    const reference = orderReference(orderId, n);
    const rows = await findRows(journal, reference);
    const own = rows.filter((row) => row.clientReferenceId === reference);
    if (own.length === 0) return found;
    found.push(...own);
  }
}

/** The reference of an offer of an order. */
export const orderReference = (orderId: string, index: number): string => `${orderId}-${index + 1}`;

/** Reads the rows that a journal returned. Anything but a list of rows must not count as none. */
export function readRows(found: unknown): readonly JournalRow[] {
  return (Array.isArray(found) ? found : [found]).map((row) => readReply(row ?? {}) as JournalRow);
}

/** The error of a built-in journal has its own advice. */
export function journalFailed(what: string, { clientReferenceId }: Partial<JournalRow>, cause: unknown): JournalError {
  const message = `${what} ${ServiceApiError.isInstance(cause) ? cause.message : "See `cause`."}`;
  return new JournalError({ message, operation: "flights.book", clientReferenceId, cause });
}

/** Reads a row that a journal returned, or none. Something that is not a row must not count as a missing row. */
export function readReply(value: unknown): JournalRow | undefined {
  if (value === undefined || value === null) return undefined;
  const row = readRow(value);
  if (row !== undefined) return row;
  throw new JournalError({ message: "The journal returned something that is not a JournalRow." });
}
