/** What is known of a booking: `intent → sent → booked | rejected | unknown`. */
export type BookingState =
  /** About to be sent; nothing has left this machine. */
  | "intent"
  /** Handed over; no answer yet, or the process died before one came. */
  | "sent"
  /** It exists. */
  | "booked"
  /** It does not exist: refused, or never sent. */
  | "rejected"
  /** It may exist: look it up. */
  | "unknown";

/** One attempt to book one offer. It holds no passenger data. */
export interface JournalRow {
  /** What was, or would have been, sent as `client_referenceId`: the key of the row. */
  readonly clientReferenceId: string;
  readonly traceId: string;
  /** Token of the search result that was quoted. */
  readonly searchToken: string;
  /** Quote token that was sent. */
  readonly token: string;
  /** Which of the quote's results it is. */
  readonly result: number;
  readonly state: BookingState;
  /** When the state was written: milliseconds since 1970. */
  readonly at: number;
  /** When it was handed over: milliseconds since 1970. */
  readonly sentAt?: number;
  /** `kind` of the error that ended it. */
  readonly reason?: string;
  readonly pnr?: string;
  readonly bookingId?: string;
}

/**
 * Where bookings are written down before and after they are sent, so that none is sent twice and none is forgotten.
 *
 * {@link memoryJournal} serves one process as long as it lives, `fileJournal` of `serviceapi/flights/node` outlives a crash.
 * For several machines, put these four methods on your database: `claim` must be one atomic step.
 */
export interface BookingJournal {
  /**
   * Writes a row in state `intent` or `sent`, unless a row stands in its way ({@link standsInTheWay}) and `force` is false.
   * Check and writing are one atomic step, durable when the promise resolves.
   *
   * @returns The row in the way, or undefined when the row was written.
   */
  claim(row: JournalRow, force: boolean): Promise<JournalRow | undefined>;
  /** Replaces the row of its reference. Durable when the promise resolves. */
  settle(row: JournalRow): Promise<void>;
  /** The row of a reference. */
  find(clientReferenceId: string): Promise<JournalRow | undefined>;
  /** The rows that somebody must look up: `sent` and `unknown`, oldest first. */
  pending(): Promise<readonly JournalRow[]>;
}

const blocking: ReadonlySet<BookingState> = new Set(["sent", "unknown", "booked"]);

/** Whether `other` forbids sending `row`: the same reference, quote token or offer is out, open or booked. */
export function standsInTheWay(other: JournalRow, row: JournalRow): boolean {
  if (!blocking.has(other.state)) return false;
  const sameOffer =
    other.traceId === row.traceId && other.searchToken === row.searchToken && other.result === row.result;
  return sameOffer || other.token === row.token || other.clientReferenceId === row.clientReferenceId;
}

/** Whether somebody must look the booking up. */
export function isPending({ state }: JournalRow): boolean {
  return state === "sent" || state === "unknown";
}

/**
 * A journal in memory: it forgets with its process.
 *
 * @param rows - Rows to begin with.
 *
 * @example
 * ```ts
 * import { checkout, memoryJournal } from "serviceapi/flights";
 *
 * const journal = memoryJournal();
 * const trip = checkout(api, { trace_id, token }, { journal });
 * ```
 */
export function memoryJournal(rows: Iterable<JournalRow> = []): BookingJournal {
  const kept = new Map<string, JournalRow>();
  for (const row of rows) kept.set(row.clientReferenceId, row);
  return {
    async claim(row, force) {
      const other = force ? undefined : [...kept.values()].find((candidate) => standsInTheWay(candidate, row));
      if (other === undefined) kept.set(row.clientReferenceId, row);
      return other;
    },
    async settle(row) {
      kept.set(row.clientReferenceId, row);
    },
    async find(clientReferenceId) {
      return kept.get(clientReferenceId);
    },
    async pending() {
      return [...kept.values()].filter(isPending).sort((a, b) => a.at - b.at);
    },
  };
}

/** What a look-up found: a booking by its PNR or number, or that there is none. */
export type Found = { readonly pnr?: string; readonly bookingId?: string | number } | "notBooked";

/**
 * Closes a row of `journal.pending()` once somebody has found out what became of the booking.
 *
 * @param journal - The journal that holds the row.
 * @param row - The row.
 * @param found - What was found: `{ pnr, bookingId }`, or `"notBooked"`, after which the offer can be booked again.
 * @param now - Milliseconds since 1970. @default the present
 * @returns The row as it stands now.
 *
 * @example
 * ```ts
 * import { reconcile } from "serviceapi/flights";
 *
 * for (const row of await journal.pending()) {
 *   const pnr = await askTheServiceOperator(row.clientReferenceId, row.traceId);
 *   await reconcile(journal, row, pnr === null ? "notBooked" : { pnr });
 * }
 * ```
 */
export async function reconcile(
  journal: Pick<BookingJournal, "settle">,
  row: JournalRow,
  found: Found,
  now: number = Date.now(),
): Promise<JournalRow> {
  const closed: JournalRow =
    found === "notBooked"
      ? { ...row, state: "rejected", at: now }
      : {
          ...row,
          state: "booked",
          at: now,
          ...(found.pnr !== undefined && { pnr: found.pnr }),
          ...(found.bookingId !== undefined && { bookingId: String(found.bookingId) }),
        };
  await journal.settle(closed);
  return closed;
}
