import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { boolean, readOptions } from "../../shared/options.ts";
import { checkKey, journalFailed } from "./failure.ts";
import { fileFailed, refuseMissing } from "./file-failure.ts";
import type { BookingJournal, BookingState, JournalRow } from "./journal.ts";
import { checkRow, isIntent, readRow } from "./row.ts";
import { Rows } from "./rows.ts";

/** Options of {@link fileJournal}. */
export interface FileJournalOptions {
  /**
   * Whether the journal may begin with a file that does not exist yet. Pass `false` in a script that only looks, so that a
   * misspelt path is refused and does not pass for an empty journal.
   *
   * @default true
   */
  readonly create?: boolean | undefined;
}

/**
 * A journal in a file, which outlives a crash: one JSON line for each step, flushed to the disk before the booking goes on.
 *
 * Any number of processes of **one machine** may share the file, on a local disk: the file itself puts their lines in one order,
 * and who comes second is refused. The file holds tokens and PNRs, and no passenger data but a short hash. It is created readable
 * by its owner alone, and only ever grows by a few lines per booking.
 *
 * @param path - Path of the file. It is created at the first booking, its folder is not.
 * @param options - See {@link FileJournalOptions}.
 * @throws {@link ConfigurationError} if `path` is not a string or for an unknown option; and at the first use if the folder
 *   does not exist, or if the file is missing (with `create: false`), is not a journal or is damaged: nothing is sent then. Its
 *   methods throw a {@link JournalError} if the file cannot be read or written.
 *
 * @example
 * ```ts
 * import { checkout } from "serviceapi/flights";
 * import { fileJournal } from "serviceapi/flights/node";
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
  const file = new JournalFile(path, create);
  return {
    conflict: (row, { force }) => file.use(async (rows) => rows.conflict(row, { force })),
    claim: (row, { force }) =>
      file.use(async (rows) => {
        const line = checkRow("fileJournal", row);
        const other = rows.conflict(line, { force }) ?? rows.get(line.attemptId);
        if (other !== undefined) return other;
        const verdict = await file.append({ ...line, ...(force === true && { forced: true }) }, undefined);
        return verdict === true ? undefined : verdict;
      }),
    settle: (row, from) =>
      file.use(async (rows) => {
        const line = checkRow("fileJournal", row);
        if (rows.get(line.attemptId)?.state !== from) return false;
        return (await file.append(line, from)) === true;
      }),
    find: async (clientReferenceId) => {
      const reference = checkKey("fileJournal", { clientReferenceId });
      return file.use(async (rows) => rows.find(reference));
    },
    get: async (attemptId) => {
      const key = checkKey("fileJournal", { attemptId });
      return file.use(async (rows) => rows.get(key));
    },
    pending: () => file.use(async (rows) => rows.pending()),
  };
}

/** What came of a line: true if it took effect; the row in the way of a claim; undefined for a settlement that came too late. */
type Verdict = true | JournalRow | undefined;

/**
 * The file as a log of steps. `O_APPEND` puts the lines of all processes in one order, and each process replays them by the same
 * rules: a claim behind a row that stands in its way has no effect, nor has a settlement whose row has left its state. So all
 * agree who was first, without a lock.
 */
class JournalFile {
  readonly #path: string;
  readonly #create: boolean;
  #rows = new Rows();
  /** The rows as the file last held them: none that stands in somebody's way may vanish with it. */
  #known = this.#rows;
  /** Which file the path led to. */
  #file = "";
  #offset = 0;
  #line = 1;
  #turn: Promise<unknown> = Promise.resolve();
  /** The step that this process has just written, and what came of it. */
  #written: { readonly step: string; verdict: Verdict; isRead: boolean } | undefined;

  constructor(path: string, create: boolean) {
    this.#path = path;
    this.#create = create;
  }

  /** Runs one step after another on what the file holds now, the lines of other processes included. */
  use<T>(step: (rows: Rows) => Promise<T>): Promise<T> {
    const mine = this.#turn
      .then(async () => {
        await this.#refresh();
        return step(this.#rows);
      })
      .catch((error: unknown) => {
        throw ServiceApiError.isInstance(error) ? error : fileFailed(this.#path, error);
      });
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /** Writes a step, has the disk keep it, and reads back what came of it: another process may have written before. */
  async append(row: JournalRow, from: BookingState | undefined): Promise<Verdict> {
    const written = { step: crypto.randomUUID(), verdict: undefined, isRead: false };
    this.#written = written;
    await appendLine(this.#path, { step: written.step, ...(from !== undefined && { from }), ...row, end: true });
    await this.#refresh();
    const { isRead, verdict } = written;
    if (!isRead)
      throw journalFailed("fileJournal", `${this.#path} was replaced while a row was written to it.`, undefined);
    return verdict;
  }

  async #refresh(): Promise<void> {
    const { file, from, bytes } = await this.#readOn();
    if (from === 0) this.#reset();
    this.#file = file;
    try {
      this.#replay(bytes);
      if (from === 0) this.#refuseLoss();
    } catch (error) {
      // Read it again from the start next time: somebody may have repaired it.
      this.#reset();
      throw error;
    }
    this.#known = this.#rows;
  }

  async #readOn(): Promise<Reading> {
    const read = await readOn(this.#path, { file: this.#file, offset: this.#offset });
    if (read !== undefined) return read;
    await refuseMissing(this.#path, this.#create);
    return { file: "", from: 0, bytes: Buffer.alloc(0) };
  }

  /** A file that was rotated, emptied or replaced would free offers that are being booked. */
  #refuseLoss(): void {
    const lost = this.#known.standing().filter(({ attemptId }) => this.#rows.get(attemptId) === undefined).length;
    if (lost === 0) return;
    throw new ConfigurationError(
      `${this.#path} was replaced or emptied: ${lost} of its bookings are gone. Nothing is booked until the file is back. To begin a new journal, restart the process.`,
    );
  }

  #reset(): void {
    this.#rows = new Rows();
    this.#file = "";
    this.#offset = 0;
    this.#line = 1;
  }

  #replay(bytes: Buffer): void {
    const end = bytes.lastIndexOf("\n") + 1;
    const whole = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    for (const line of whole) {
      this.#replayLine(line);
      this.#line += 1;
    }
    this.#offset += end;
    // Without its line break a line may be in the middle of being written. One that can be read counts all the same.
    const tail = bytes.subarray(end).toString("utf8");
    if (this.#replayLine(tail)) this.#offset += bytes.length - end;
  }

  /** Returns whether the line was a row. A crash in the middle of a write leaves the beginning of one, which never counted. */
  #replayLine(line: string): boolean {
    if (line === "") return false;
    const value = parse(line);
    if (isIntent(value)) return true;
    const row = readRow(value);
    if (row !== undefined) {
      this.#apply(Object(value), row);
      return true;
    }
    if (value === undefined && isTorn(line)) return false;
    throw new ConfigurationError(
      `Line ${this.#line} of ${this.#path} is no row of a booking journal, or is damaged. Nothing is booked until the file is repaired or moved away.`,
    );
  }

  #apply({ step, from }: { readonly step?: unknown; readonly from?: BookingState }, row: JournalRow): void {
    const verdict = step === undefined ? this.#take(row) : this.#verdict(row, from);
    if (step !== undefined && step === this.#written?.step) Object.assign(this.#written, { verdict, isRead: true });
  }

  /** Version 0.1.0 wrote rows, not steps. */
  #take(row: JournalRow): Verdict {
    this.#rows.set(row);
    return true;
  }

  #verdict(row: JournalRow, from: BookingState | undefined): Verdict {
    if (from !== undefined) return this.#rows.settle(row, from) || undefined;
    return this.#rows.claim(row, { force: row.forced }) ?? true;
  }
}

/** How every line begins and ends. A token is opaque and may hold a brace, but a string in JSON cannot hold such an end. */
const beginning = '{"step":"';
const ending = '"end":true}';

/** Whether a line that is no JSON is the beginning of one, which a crash left; otherwise it is damaged. */
function isTorn(line: string): boolean {
  if (line.startsWith(beginning)) return !line.includes(ending);
  // Version 0.1.0 wrote rows, without that end.
  return beginning.startsWith(line) || (line.startsWith("{") && !line.trimEnd().endsWith("}"));
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Writes a line and has the disk keep it. The line break in front ends a line that a crash left unfinished. */
async function appendLine(path: string, line: object): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    // One write: a second one for a rest could land behind the line of another process.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length)
      throw journalFailed(
        "fileJournal",
        `Only a part of a row could be written to ${path}. Is the disk full?`,
        undefined,
      );
    await file.sync();
    const { size } = await file.stat();
    if (size === bytes.length) await keepName(path);
  } finally {
    await file.close();
  }
}

/** A new file outlives a power failure only if its directory does. Not every system can open one. */
async function keepName(path: string): Promise<void> {
  try {
    const directory = await open(dirname(path), "r");
    await directory.sync().finally(() => directory.close());
  } catch {
    // The line itself is on the disk.
  }
}

/** What a file holds beyond what is known of it, and which file it is. */
interface Reading {
  readonly file: string;
  readonly from: number;
  readonly bytes: Buffer;
}

/** Reads on in a file; from its start if it is another file by now, or was cut. Nothing if there is no file. */
async function readOn(
  path: string,
  known: { readonly file: string; readonly offset: number },
): Promise<Reading | undefined> {
  const handle = await openIfThere(path);
  if (handle === undefined) return undefined;
  try {
    const { ino, birthtimeMs, size } = await handle.stat();
    const file = `${ino} ${birthtimeMs}`;
    const from = file === known.file && size >= known.offset ? known.offset : 0;
    const bytes = Buffer.alloc(size - from);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, from + length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return { file, from, bytes: bytes.subarray(0, length) };
  } finally {
    await handle.close();
  }
}

/** One that cannot be read is an error. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
