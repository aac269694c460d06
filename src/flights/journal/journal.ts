import { ConfigurationError } from "../../errors/request.ts";
import { checkedClock } from "../../shared/clock.ts";
import { parseDecimal } from "../../shared/decimal.ts";
import { field, isBoolean, isInteger, isListOf, isString } from "../../shared/json.ts";
import { each } from "../../shared/objects.ts";
import { func, readOptions } from "../../shared/options.ts";

/** The state of a booking attempt. */
export type BookingState =
  /** Sent. The response is still to come, or the process died before it came. */
  | "sent"
  /** The booking exists. */
  | "booked"
  /** The booking does not exist: it was refused, or never sent. */
  | "rejected"
  /** The booking may exist: look it up. */
  | "unknown";

/**
 * The life of a row: the states that may follow each. The row of a booking that exists stays booked, whatever comes
 * after it; only its PNR may be corrected. A booking may turn up behind a row that was closed.
 */
export const lifeOfRow: Readonly<Record<BookingState, readonly BookingState[]>> = {
  sent: ["booked", "rejected", "unknown"],
  unknown: ["booked", "rejected"],
  rejected: ["booked"],
  booked: ["booked"],
};

/** The states from which a journal settles a row. A `booked` row stays booked. */
export type OpenBookingState = Exclude<BookingState, "booked">;

/**
 * A booking attempt for one offer. It holds no passenger data but short hashes ({@link JournalRow.fingerprint},
 * {@link JournalRow.order}), with which a guess can be checked.
 */
export interface JournalRow {
  /** Unique key of the row. The checkout creates it for each booking attempt. */
  readonly attemptId: string;
  /** `client_referenceId` that was sent. Another booking attempt may reuse the reference of a `rejected` one. */
  readonly clientReferenceId: string;
  /** `trace_id` of the search. */
  readonly traceId: string;
  /** Token of the search result that was quoted. */
  readonly searchToken: string;
  /** Quote token that was sent. */
  readonly token: string;
  /** Index of the result in the quote. */
  readonly result: number;
  /**
   * Two hashes, such as `3b86deda05c0e310480f4b530948e551.bef3076a`: 32 hex digits over flights and departure times,
   * and eight over those and the names and dates of birth of the passengers. Two rows with the same fingerprint are the
   * same flights, probably for the same passengers. Empty if flights, times or a name cannot be read.
   */
  readonly fingerprint: string;
  /**
   * The flights of the offer, such as `["6E 302 DEL-BOM 2027-02-12 06:15"]`: airline, number, airports, and departure there, if
   * it can be read. Empty if a flight cannot be read.
   */
  readonly flights?: readonly string[];
  /**
   * Names of the offers of the quote: that of this one, then of all. A name is a hash of the flights and, after `@`, their
   * days, such as `5f0c…@2026-12-01`; or their times, if the quote has the same flights on several days. Without `@`, the
   * quote has two that may be either. With `?`, another one, whose flights cannot be read, may be the same.
   */
  readonly offers?: readonly string[] | undefined;
  /** Eight hex digits over the `orderId` and the passengers. Absent without one, or if a name cannot be read. */
  readonly order?: string | undefined;
  /** State of the booking attempt. */
  readonly state: BookingState;
  /** Time at which the state was written, in milliseconds since 1970. */
  readonly at: number;
  /** Time at which the booking was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /**
   * Time until which a response may come, in milliseconds since 1970: the longer of the deadlines of the call and those
   * of a booking by default, and a margin for other clocks.
   */
  readonly responseDueBy: number;
  /** Whether the booking was sent with `allowDuplicate`. */
  readonly forced?: boolean;
  /** `kind` of the error that ended the booking attempt. */
  readonly reason?: string;
  /** The airline's confirmation number. */
  readonly pnr?: string;
  /** The PNRs in the response, if there are others than `pnr`. */
  readonly pnrs?: readonly string[];
  /** The service's own number, digit by digit. */
  readonly bookingId?: string;
  /** The price of the offer as quoted; of a booking, as booked if that is higher. Absent if it is not known. */
  readonly price?: { readonly amount: string; readonly currency: string };
  /** `changes.summary` of the booking, in which the offer and its booking differ. Absent if they do not, or until it is booked. */
  readonly summary?: string;
  /** `isConfirmed` of the booking: false if a flight is wait-listed, or may be. Absent if the response has no flights. */
  readonly isConfirmed?: boolean;
  /** `isAboveLimit` of the booking: true if it costs more than it might. Absent if its price cannot be read. */
  readonly isAboveLimit?: boolean;
  /** `last_ticket_date` of the booking, which `ticketDeadline` reads. Absent if the response has none. */
  readonly lastTicketDate?: string;
}

/** Options of a claim. */
export interface ClaimOptions {
  /** Whether to write the row although others conflict with it. Its reference must be free all the same. @default false */
  readonly force?: boolean | undefined;
}

/**
 * A journal of booking attempts, one row for each, written before the booking is sent and after. It prevents a second
 * booking and keeps the unresolved ones.
 *
 * `memoryJournal` serves one process for as long as it lives, `fileJournal` of `serviceapi/node` the processes
 * of one machine, `postgresJournal` of `serviceapi/stores` any number of machines. Test a journal of your own
 * with `journalSuite` of `serviceapi/testing`.
 */
export interface BookingJournal {
  /**
   * Returns a row that conflicts with this one ({@link conflictsWith}), or undefined (or null). It writes nothing: the
   * checkout calls it before it requests a fresh quote.
   */
  conflict(row: JournalRow, options: ClaimOptions): Promise<JournalRow | undefined | null>;
  /**
   * Writes a row in state `sent` unless another conflicts with it ({@link conflictsWith}), as one atomic step, durable
   * when the promise resolves. Returns the conflicting row, or undefined (or null) if the row was written.
   */
  claim(row: JournalRow, options: ClaimOptions): Promise<JournalRow | undefined | null>;
  /**
   * Replaces the row of the same `attemptId` if its state is still `from`, as one atomic step (compare and set), durable
   * when the promise resolves, and returns whether it did. Other rows do not matter: a booking that exists is recorded.
   */
  settle(row: JournalRow, from: OpenBookingState): Promise<boolean>;
  /** Returns the rows of a reference, oldest first. Delete none: a later one of its order might not be found. */
  find(clientReferenceId: string): Promise<readonly JournalRow[]>;
  /** Returns the row of a booking attempt, or undefined (or null). */
  get(attemptId: string): Promise<JournalRow | undefined | null>;
  /** Returns the rows in state `sent` and `unknown`, oldest first. Look up those that are overdue: {@link isOverdue}. */
  pending(): Promise<readonly JournalRow[]>;
}

/** A property that two rows share and only one booking may have. */
export type BookingConflict =
  /** The same `client_referenceId`, which must be unique: `allowDuplicate` does not help. */
  | "reference"
  /** The same quote token. */
  | "token"
  /** The same search result, unless the two are certain to be different offers of it; or flights with an open booking. */
  | "offer"
  /** The same flights, probably for the same passengers, after another search. */
  | "passengers";

/**
 * Returns what `other` and `row` share, if `row` must not be sent for it; otherwise undefined. A row that is `sent`,
 * `unknown` or `booked` conflicts by reference, quote token, offer, and flights with passengers. While it is `sent` or
 * `unknown`, its flights conflict in its search whoever the passengers are: a corrected name is the same person.
 *
 * @param other - A row of the journal.
 * @param row - The row to send.
 * @param options - See {@link ClaimOptions}.
 * @throws {@link ConfigurationError} if `other` or `row` is not a row.
 */
export function conflictsWith(
  other: JournalRow,
  row: JournalRow,
  { force = false }: ClaimOptions = {},
): BookingConflict | undefined {
  for (const one of [other, row]) checkRow("conflictsWith", one);
  if (other.state === "rejected") return undefined;
  if (other.clientReferenceId === row.clientReferenceId) return "reference";
  if (force) return undefined;
  if (other.token === row.token) return "token";
  const isSameTrace = other.traceId === row.traceId;
  if (isSameTrace && other.searchToken === row.searchToken && !areApart(other, row)) return "offer";
  if (row.fingerprint === "") return undefined;
  if (other.fingerprint === row.fingerprint) return "passengers";
  return isSameTrace && isOpen(other) && journeyOf(other) === journeyOf(row) ? "offer" : undefined;
}

/** Version of these rules, to be raised with each change: a file has claims that earlier ones granted. */
export const conflictRules = 1;

/**
 * Whether a row of a search is of another offer than the one to send: a quote had both. A fresh quote may change their order
 * and their times, also over midnight, so of the same flights both days are in the quote that is sent.
 */
function areApart({ offers: theirs = [] }: JournalRow, { offers: ours = [] }: JournalRow): boolean {
  const [[their = ""], [our = ""]] = [theirs, ours];
  const has = (offers: readonly string[], one: string) => offers.some((other) => flightsIn(other) === flightsIn(one));
  if (flightsIn(their) === flightsIn(our)) return their !== our && ours.includes(their);
  return has(theirs, our) || has(ours, their);
}

/** The flights of an element of `offers`, without their days. */
export const flightsIn = (offer: string): string => offer.replace(/@.*/, "");

/** The values by which rows are found that may conflict. */
export function keysOf(row: JournalRow): readonly string[] {
  const { clientReferenceId, token, traceId, searchToken, fingerprint } = row;
  const keys = [keyOf(clientReferenceId), keyOf("token", token), keyOf("search", traceId, searchToken)];
  return fingerprint === ""
    ? keys
    : [...keys, keyOf("journey", fingerprint), keyOf("flights", traceId, journeyOf(row))];
}

export const keyOf = (...parts: readonly string[]) => JSON.stringify(parts);

/** The part of a fingerprint that all who take the same flights share. */
export function journeyOf({ fingerprint }: Pick<JournalRow, "fingerprint">): string {
  return fingerprint.replace(/\..*/, "");
}

const isOpen = ({ state }: JournalRow) => state === "sent" || state === "unknown";

/** Returns true if the outcome of the booking is not known yet: the row is `sent` or `unknown`. */
export function isPending(row: JournalRow): boolean {
  return isOpen(checkRow("isPending", row));
}

/**
 * Returns true if a pending row can be looked up: its `responseDueBy` has passed, so no response can come any more. A
 * look-up before that may miss a booking that is being made, and `reconcile` refuses `"notBooked"`.
 *
 * @param row - A row of `journal.pending()`.
 * @param options - `now` returns the current time in milliseconds since 1970, for tests. Its default is `Date.now`.
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
  const { now } = readOptions<typeof options>("isOverdue", options, { now: func });
  return isOpen(checkRow("isOverdue", row)) && checkedClock("isOverdue", now)() >= row.responseDueBy;
}

/** A `Date` holds no later time. */
const isTime = (value: unknown) => typeof value === "number" && Math.abs(value) <= 8.64e15;
const orAbsent = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value);

/** Returns whether the value of each field is valid. */
export type Fields<T> = { readonly [Name in keyof T]-?: (value: unknown) => boolean };

/**
 * Reads what was kept as JSON.
 *
 * @returns A copy with the known fields, or undefined if one of them is not valid.
 */
export function readFields<T>(value: unknown, fields: Fields<T>): T | undefined {
  const known: Partial<Record<keyof T, unknown>> = {};
  for (const name in fields) {
    const content = field(value, name);
    if (!fields[name](content)) return undefined;
    if (content !== undefined) known[name] = content;
  }
  // Each field has just been checked against the table, which has every field.
  return known as T;
}

const rowFields: Fields<JournalRow> = {
  attemptId: (value) => isString(value) && value !== "",
  ...each(isString, "clientReferenceId", "traceId", "searchToken", "token", "fingerprint"),
  result: (value) => isInteger(value) && value >= 0,
  state: (value) => isString(value) && Object.hasOwn(lifeOfRow, value),
  ...each(isTime, "at", "sentAt", "responseDueBy"),
  ...each(orAbsent(isBoolean), "forced", "isConfirmed", "isAboveLimit"),
  ...each(orAbsent(isString), "order", "reason", "pnr", "bookingId", "summary", "lastTicketDate"),
  ...each(
    orAbsent((value) => isListOf(value, isString)),
    "flights",
    "offers",
    "pnrs",
  ),
  price: orAbsent((value) => parseDecimal(field(value, "amount")) !== null && isString(field(value, "currency"))),
};

/** Reads a row from wherever it was kept: a file, a database, a saved trip, a journal of the application's own. */
export function readRow(value: unknown): JournalRow | undefined {
  return readFields(value, rowFields);
}

/** Refuses what is not a row, which would look like a row without conflicts. */
export function checkRow(owner: string, value: unknown): JournalRow {
  const row = readRow(value);
  if (row === undefined) throw new ConfigurationError(`${owner}: the row is not a JournalRow.`);
  return row;
}

/** Refuses a key that is not a string, which no row could match. */
export function checkKey(owner: string, name: "attemptId" | "clientReferenceId", key: unknown): string {
  if (isString(key)) return key;
  throw new ConfigurationError(`${owner}: \`${name}\` must be a string.`);
}
