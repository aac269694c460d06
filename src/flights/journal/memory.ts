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
  keyOf,
  keysOf,
  lifeOfRow,
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
  return journalOf("memoryJournal", { use: async (read) => read(kept), write: async (step) => kept.take(step) });
}

/** A claim of a row, with or without force, or its settlement `from` a state. */
export interface Step extends ClaimOptions {
  readonly row: JournalRow;
  readonly from?: BookingState | undefined;
}

/** True if a step is written; else the row that is in the way of a claim, or undefined: a settlement came too late. */
export type Effect = true | JournalRow | undefined;

/** A log of steps in one order. */
export interface RowLog {
  /** Calls a function with the rows as they are after all steps so far, and no other of this log meanwhile. */
  use<T>(read: (rows: Rows) => T | Promise<T>): Promise<T>;
  /** Adds a step if it has an effect, which it returns. */
  write(step: Step): Promise<Effect>;
}

/** Makes a journal of a log. */
export function journalOf(owner: string, log: RowLog): BookingJournal {
  return {
    conflict: (row, options) => log.use((rows) => rows.conflict(row, options)),
    async claim(row, { force }) {
      const effect = await log.write({ row: checkRow(owner, row), force });
      return effect === true ? undefined : effect;
    },
    settle: async (row, from) => (await log.write({ row: checkRow(owner, row), from })) === true,
    find: (reference) => log.use((rows) => rows.find(checkKey(owner, "clientReferenceId", reference))),
    get: (attemptId) => log.use((rows) => rows.get(checkKey(owner, "attemptId", attemptId))),
    pending: () => log.use((rows) => rows.all.filter(isPending).sort(oldestFirst)),
  };
}

/** The rows of a journal in memory, found by what two of them can have in common. */
export class Rows {
  readonly #rows = new Map<string, JournalRow>();
  /** The rows that have a key, or had it, by `attemptId`. */
  readonly #byKey = new Map<string, Set<string>>();

  get all(): JournalRow[] {
    return [...this.#rows.values()];
  }

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  /** Takes a step, if it has an effect. */
  take(step: Step): Effect {
    const effect = this.effectOf(step);
    if (effect === true) this.set(step.row);
    return effect;
  }

  /** A booking attempt is claimed once. */
  effectOf({ row, from, force }: Step): Effect {
    const current = this.get(row.attemptId);
    if (from === undefined) return this.conflict(row, { force }) ?? current ?? true;
    return current?.state === from && lifeOfRow[from].includes(row.state) ? true : undefined;
  }

  conflict(row: JournalRow, options: ClaimOptions): JournalRow | undefined {
    for (const key of keysOf(row))
      for (const other of this.#withKey(key)) if (conflictsWith(other, row, options) !== undefined) return other;
    return undefined;
  }

  set(row: JournalRow): void {
    this.#rows.set(row.attemptId, row);
    for (const key of keysOf(row)) this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(row.attemptId));
  }

  get(attemptId: string): JournalRow | undefined {
    return this.#rows.get(attemptId);
  }

  find(reference: string): JournalRow[] {
    const found = this.#withKey(keyOf(reference)).filter((row) => row.clientReferenceId === reference);
    return found.sort(oldestFirst);
  }

  #withKey(key: string): JournalRow[] {
    return [...(this.#byKey.get(key) ?? [])].flatMap((attemptId) => this.get(attemptId) ?? []);
  }
}

function oldestFirst(a: JournalRow, b: JournalRow): number {
  return a.sentAt - b.sentAt;
}
