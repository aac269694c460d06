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
  return journalOf("memoryJournal", { use: (step) => step(kept), append: async (step) => kept.take(step) });
}

/** A claim of a row, with or without force, or its settlement `from` a state. */
export interface Step extends ClaimOptions {
  readonly row: JournalRow;
  readonly from?: BookingState | undefined;
}

/**
 * The effect of a step: true if the row is written; the row that is in the way of a claim; undefined for a settlement
 * that came too late.
 */
export type Effect = true | JournalRow | undefined;

/** A log of steps in one order. */
export interface RowLog {
  /** Calls a function with the rows as they are after all steps so far, and no other of this log meanwhile. */
  use<T>(step: (rows: Rows) => Promise<T>): Promise<T>;
  /** Adds a step, and returns its effect on the rows as they are by then. */
  append(step: Step): Promise<Effect>;
}

/** Makes a journal of a log. A step without an effect is not written. */
export function journalOf(owner: string, log: RowLog): BookingJournal {
  const write = (step: Step) =>
    log.use(async (rows) => {
      const effect = rows.effectOf(step);
      return effect === true ? log.append(step) : effect;
    });
  return {
    conflict: (row, options) => log.use(async (rows) => rows.conflict(row, options)),
    async claim(row, { force }) {
      const effect = await write({ row: checkRow(owner, row), force });
      return effect === true ? undefined : effect;
    },
    settle: async (row, from) => (await write({ row: checkRow(owner, row), from })) === true,
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
    return current?.state === from && mayBecome(from, row.state) ? true : undefined;
  }

  conflict(row: JournalRow, options: ClaimOptions): JournalRow | undefined {
    for (const place of placesOf(row)) {
      const other = this.#at(place).find((candidate) => conflictsWith(candidate, row, options) !== undefined);
      if (other !== undefined) return other;
    }
    return undefined;
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
