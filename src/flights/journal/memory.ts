import { ConfigurationError } from "../../errors/request.ts";
import {
  type BookingJournal,
  type BookingState,
  type ClaimOptions,
  checkKey,
  checkRow,
  conflictsWith,
  isPending,
  type JournalRow,
  mayBecome,
} from "./journal.ts";

/**
 * Creates a journal in memory, for one process: its rows are lost when the process ends.
 *
 * @param rows - The initial rows.
 * @throws {@link ConfigurationError} if one of `rows` is not a row.
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
  if (typeof Object(rows)[Symbol.iterator] !== "function") {
    throw new ConfigurationError("memoryJournal: `rows` must be a list of rows.");
  }
  const kept = new Rows();
  for (const row of rows) kept.set(checkRow("memoryJournal", row));
  return journalOf("memoryJournal", {
    use: (step) => step(kept),
    append: async (row) => {
      kept.set(row);
      return true;
    },
  });
}

/** A log of steps in one order, each a claim of a row, or its settlement from a state. */
export interface RowLog {
  /** Calls a function with the rows as they are after all steps so far, and no other of this log meanwhile. */
  use<T>(step: (rows: Rows) => Promise<T>): Promise<T>;
  /** Adds a step, a claim unless it is `from` a state, and returns its effect on the rows as they are by then. */
  append(row: JournalRow, from?: BookingState, force?: boolean): Promise<Effect>;
}

/**
 * The effect of a step: true if it took effect; the row that conflicts with a claim; undefined for a settlement that
 * came too late.
 */
export type Effect = true | JournalRow | undefined;

/** Makes a journal of a log. What would have no effect is not written. */
export function journalOf(owner: string, log: RowLog): BookingJournal {
  return {
    conflict: (row, options) => log.use(async (rows) => rows.conflict(row, options)),
    claim: (row, { force }) =>
      log.use(async (rows) => {
        const claimed = checkRow(owner, row);
        const effect = rows.obstacle(claimed, { force }) ?? (await log.append(claimed, undefined, force));
        return effect === true ? undefined : effect;
      }),
    settle: (row, from) =>
      log.use(async (rows) => {
        const settled = checkRow(owner, row);
        return rows.canSettle(settled, from) && (await log.append(settled, from)) === true;
      }),
    find: (reference) => log.use(async (rows) => rows.find(checkKey(owner, "clientReferenceId", reference))),
    get: (attemptId) => log.use(async (rows) => rows.get(checkKey(owner, "attemptId", attemptId))),
    pending: () => log.use(async (rows) => rows.pending()),
  };
}

/** The rows of a journal in memory, found by what two of them can have in common. */
export class Rows {
  readonly #rows = new Map<string, JournalRow>();
  /** `attemptId`s by each place that a row takes. */
  readonly #places = new Map<string, Set<string>>();

  /** Returns what forbids a claim: a row that conflicts with it, or the row of the same attempt, which is claimed once. */
  obstacle(row: JournalRow, options: ClaimOptions): JournalRow | undefined {
    return this.conflict(row, options) ?? this.get(row.attemptId);
  }

  conflict(row: JournalRow, options: ClaimOptions): JournalRow | undefined {
    for (const place of placesOf(row)) {
      const other = this.#at(place).find((candidate) => conflictsWith(candidate, row, options) !== undefined);
      if (other !== undefined) return other;
    }
    return undefined;
  }

  canSettle({ attemptId, state }: JournalRow, from: BookingState): boolean {
    const current = this.get(attemptId)?.state;
    return current !== undefined && current === from && mayBecome(from, state);
  }

  set(row: JournalRow): void {
    const earlier = this.get(row.attemptId);
    for (const place of earlier === undefined ? [] : placesOf(earlier)) this.#places.get(place)?.delete(row.attemptId);
    this.#rows.set(row.attemptId, row);
    for (const place of placesOf(row)) {
      const taken = this.#places.get(place) ?? new Set();
      this.#places.set(place, taken.add(row.attemptId));
    }
  }

  get(attemptId: string): JournalRow | undefined {
    return this.#rows.get(attemptId);
  }

  find(clientReferenceId: string): JournalRow[] {
    return this.#at(referencePlace(clientReferenceId)).sort(oldestFirst);
  }

  pending(): JournalRow[] {
    return [...this.#rows.values()].filter(isPending).sort(oldestFirst);
  }

  /** The rows that forbid another booking. */
  standing(): JournalRow[] {
    return [...this.#rows.values()].filter(({ state }) => state !== "rejected");
  }

  #at(place: string): JournalRow[] {
    return [...(this.#places.get(place) ?? [])].flatMap((attemptId) => this.get(attemptId) ?? []);
  }
}

function oldestFirst(a: JournalRow, b: JournalRow): number {
  return a.sentAt - b.sentAt;
}

function referencePlace(clientReferenceId: string): string {
  return `reference ${clientReferenceId}`;
}

function placesOf({ clientReferenceId, token, traceId, searchToken, result, fingerprint }: JournalRow): string[] {
  return [
    referencePlace(clientReferenceId),
    `token ${token}`,
    `offer ${JSON.stringify([traceId, searchToken, result])}`,
    ...(fingerprint === "" ? [] : [`fingerprint ${fingerprint}`]),
  ];
}
