import { ConfigurationError } from "../../errors/request.ts";
import { checkKey } from "./failure.ts";
import type { BookingJournal, JournalRow } from "./journal.ts";
import { checkRow } from "./row.ts";
import { Rows } from "./rows.ts";

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
