import { ConfigurationError } from "../../errors/request.ts";
import { boolean, readOptions } from "../../shared/options.ts";
import { FileLog } from "./file-log.ts";
import type { BookingJournal } from "./journal.ts";
import { journalOf } from "./memory.ts";

/** Options of {@link fileJournal}. */
interface FileJournalOptions {
  /**
   * Whether the journal may begin with a file that does not exist yet. Pass `false` in a script that only reads, so
   * that a misspelt path is refused and is not taken for an empty journal.
   *
   * @default true
   */
  readonly create?: boolean | undefined;
}

/**
 * Creates a journal in a file, which survives a crash: one JSON line for each step, with a checksum, flushed to the disk
 * before the booking goes on.
 *
 * Any number of processes of **one machine** may share the file, on a local disk: its lines are in one order, and the
 * second of two claims is refused. The file holds tokens and PNRs, and no passenger data but a short hash. Only its
 * owner may read it, also if it was there before: each write sees to that. It grows by a few lines for each booking.
 *
 * @param path - Path of the file. It is created at the first booking, its folder is not.
 * @param options - See {@link FileJournalOptions}.
 * @throws {@link ConfigurationError} if `path` is not a string or for an unknown option; and at the first use if the
 *   folder does not exist, or if the file is missing (with `create: false`), is not a journal or is damaged: nothing is
 *   sent then. Its methods throw a {@link JournalError} if the file cannot be read or written.
 *
 * @example
 * ```ts
 * import { checkout } from "serviceapi/flights";
 * import { fileJournal } from "serviceapi/node";
 *
 * const journal = fileJournal("/var/lib/shop/bookings.jsonl");
 * for (const row of await journal.pending()) console.log("Look up", row.clientReferenceId);
 * const trip = checkout(api, { trace_id, token }, { journal });
 * ```
 */
export function fileJournal(path: string, options: FileJournalOptions = {}): BookingJournal {
  if (typeof path !== "string" || path.trim() === "") {
    throw new ConfigurationError("fileJournal: `path` must be a non-empty string.");
  }
  const { create = true } = readOptions<FileJournalOptions>("fileJournal", options, { create: boolean });
  return journalOf("fileJournal", new FileLog(path, create));
}
