import { ConfigurationError } from "../../errors/request.ts";
import { checkKey } from "./failure.ts";
import {
  type BookingJournal,
  type BookingState,
  type ClaimOptions,
  checkRow,
  conflictsWith,
  isPending,
  type JournalRow,
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
  return {
    conflict: async (row, { force }) => kept.conflict(row, { force }),
    claim: async (row, { force }) => kept.claim(checkRow("memoryJournal", row), { force }),
    settle: async (row, from) => kept.settle(checkRow("memoryJournal", row), from),
    find: async (clientReferenceId) => kept.find(checkKey("memoryJournal", { clientReferenceId })),
    get: async (attemptId) => kept.get(checkKey("memoryJournal", { attemptId })),
    pending: async () => kept.pending(),
  };
}

/** The rows of a journal in memory, found by what two of them can have in common. */
export class Rows {
  readonly #rows = new Map<string, JournalRow>();
  /** `attemptId`s by each place that a row takes. */
  readonly #places = new Map<string, Set<string>>();

  get(attemptId: string): JournalRow | undefined {
    return this.#rows.get(attemptId);
  }

  conflict(row: JournalRow, options: ClaimOptions): JournalRow | undefined {
    for (const place of placesOf(row)) {
      const other = this.#at(place).find((candidate) => conflictsWith(candidate, row, options) !== undefined);
      if (other !== undefined) return other;
    }
    return undefined;
  }

  claim(row: JournalRow, options: ClaimOptions): JournalRow | undefined {
    // An attempt is claimed once.
    const other = this.conflict(row, options) ?? this.get(row.attemptId);
    if (other === undefined) this.set(row);
    return other;
  }

  settle(row: JournalRow, from: BookingState): boolean {
    const isOurs = this.canSettle(row, from);
    if (isOurs) this.set(row);
    return isOurs;
  }

  /** Whether a row is in the state that it is settled from. A `booked` one stays booked, but its PNR may be corrected. */
  canSettle({ attemptId, state }: JournalRow, from: BookingState): boolean {
    return this.get(attemptId)?.state === from && (from !== "booked" || state === "booked");
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
