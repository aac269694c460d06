import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, open, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { errorCodeOf } from "../../shared/error-code.ts";
import { parseJson } from "../../shared/json.ts";
import { boolean, readOptions } from "../../shared/options.ts";
import { JournalError } from "../errors.ts";
import { type BookingJournal, conflictRules, type JournalRow, readRow } from "./journal.ts";
import { type Effect, journalOf, type RowLog, Rows, type Step } from "./memory.ts";

/** Options of {@link fileJournal}. */
interface FileJournalOptions {
  /**
   * Whether the journal may begin with a file that does not exist yet. Pass `false` in a script that only reads, which
   * would take a misspelt path for an empty journal. @default true
   */
  readonly create?: boolean | undefined;
}

/**
 * Creates a journal in a file, which survives a crash: one JSON line for each step, with a checksum, flushed to the disk
 * before the booking goes on.
 *
 * Any number of processes of **one machine** may share the file, on a local disk: its lines are in one order, and the
 * second of two claims is refused. The file holds tokens and PNRs, and no passenger data but short hashes. Only its
 * owner may read it, also if it was there before: each write sees to that. It grows by a few lines for each booking.
 * Do not rotate or shorten it: a process that starts later would not miss the rows, unless all are gone.
 *
 * @param path - Path of the file. It is created at the first booking, together with its first row: do not create an
 *   empty one. Its folder must exist.
 * @param options - See {@link FileJournalOptions}.
 * @throws {@link ConfigurationError} if `path` is not a string or for an unknown option; and at the first use if the
 *   folder does not exist, or if the file is missing (with `create: false`), is empty, is not a journal or is damaged:
 *   nothing is sent then. Its methods throw a {@link JournalError} if the file cannot be read or written.
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

interface Place {
  /** Identity of the file. */
  readonly file: string;
  readonly offset: number;
  /** The last bytes before the offset: the last lines, each with a unique `step`. */
  readonly last: Buffer;
  /** Number of the line at the offset. */
  readonly line: number;
}

const start: Place = { file: "", offset: 0, last: Buffer.alloc(0), line: 1 };

/**
 * The file as a log of steps. `O_APPEND` puts the lines of all processes in one order, and each process replays them by
 * the same rules ({@link Rows.take}). So all processes agree which claim was first, without a lock.
 */
export class FileLog implements RowLog {
  readonly #path: string;
  readonly #create: boolean;
  /** The rows up to the place. Those that can conflict with another must not vanish with the file. */
  #rows = new Rows();
  #place = start;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string, create: boolean) {
    // The process may change its folder later.
    this.#path = resolve(path);
    this.#create = create;
  }

  use<T>(read: (rows: Rows) => T | Promise<T>): Promise<T> {
    const mine = this.#turn
      .then(() => this.#refresh())
      .then(() => read(this.#rows))
      .catch((error: unknown) => {
        if (ServiceApiError.isInstance(error)) throw error;
        const code = errorCodeOf(error);
        const explanation =
          explanations[code] ?? `The file {path} could not be read or written${code && ` (${code})`}. See \`cause\`.`;
        throw failed(
          explanation.replaceAll("{path}", () => this.#path),
          error,
        );
      });
    this.#turn = mine.catch(() => {});
    return mine;
  }

  write(step: Step): Promise<Effect> {
    return this.use((rows) => {
      const effect = rows.effectOf(step);
      return effect === true ? this.append(step) : effect;
    });
  }

  /** Writes and flushes a step, and reads back its effect: another process may have written before. */
  async append({ row, from, force }: Step): Promise<Effect> {
    const step = crypto.randomUUID();
    const marks = { from, ...row, ...(force === true && { forced: true }) };
    const line = Buffer.from(`\n${JSON.stringify(sealed({ step, rules: conflictRules, ...marks }))}\n`);
    const isNew = this.#place.file === "";
    if (!isNew || !(await createFile(this.#path, line))) await writeLine(this.#path, line);
    if (isNew) await keepName(this.#path);
    const effects = await this.#refresh();
    if (effects.has(step)) return effects.get(step);
    throw failed(`${this.#path} was replaced while a row was written to it.`);
  }

  /** Replays the lines that were written since the last read. Returns the effects of their steps. */
  async #refresh(): Promise<ReadonlyMap<string, Effect>> {
    const { bytes, from } = await readOn(this.#path, this.#place, this.#create);
    const isNew = from !== this.#place;
    const rows = isNew ? new Rows() : this.#rows;
    const effects = new Map<string, Effect>();
    // If it throws, the file is read from its start next time: it may have been repaired.
    this.#place = start;
    const place = replay(this.#path, rows, bytes, from, effects);
    if (isNew) this.#refuseLoss(rows);
    if (place.file !== "" && rows.isEmpty) {
      throw new ConfigurationError(
        `${this.#path} does not begin with a whole row, as each booking journal does: it was emptied or cut, or is another file. Nothing is booked until its rows are back. Delete it only if it never held bookings: they could be made again.`,
      );
    }
    this.#rows = rows;
    this.#place = place;
    return effects;
  }

  /** A file that was rotated, emptied or replaced, also by an older copy, would free offers that are being booked. */
  #refuseLoss(found: Rows): void {
    const isLost = ({ attemptId, state }: JournalRow) => {
      const row = found.get(attemptId);
      return state !== "rejected" && (row === undefined || (state === "booked" && row.state === "rejected"));
    };
    const lost = this.#rows.all.filter(isLost).length;
    if (lost === 0) return;
    throw new ConfigurationError(
      `${this.#path} was replaced or emptied: ${lost} of its bookings are gone. Nothing is booked until the file is back. A process that starts without it does not miss them, and could book them again.`,
    );
  }
}

/** Takes the steps in some bytes, and notes their effects. Returns the place behind them. */
function replay(path: string, rows: Rows, bytes: Buffer, from: Place, effects: Map<string, Effect>): Place {
  const lines = bytes.toString("utf8").split("\n");
  let end = bytes.length;
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const found = readStep(line, lines[index + 1] === "");
    // The file began with a whole row.
    if (found === undefined && rows.isEmpty) break;
    if (found === "damaged") {
      throw new ConfigurationError(
        `Line ${from.line + index} of ${path} is not a row of a booking journal, or is damaged. Nothing is booked until that line is corrected. Keep the other lines: without a line, what it holds could be booked again.`,
      );
    }
    if (found !== undefined) {
      // A settlement is written only for a row that is there: the line of its claim is gone, and this one has all of the row.
      // A claim of other rules may have been granted by them, unless its reference was taken.
      const { attemptId, clientReferenceId } = found.row;
      const isFree = rows.find(clientReferenceId).every(({ state }) => state === "rejected");
      const stands = found.from !== undefined || (found.rules !== conflictRules && isFree);
      if (stands && rows.get(attemptId) === undefined) rows.set(found.row);
      effects.set(found.id, rows.take(found));
    }
    // Without its line break it may be in the middle of being written.
    else if (index === lines.length - 1) end = bytes.lastIndexOf("\n") + 1;
  }
  const read = Buffer.concat([from.last, bytes.subarray(0, end).subarray(-comparedBytes)]);
  return {
    file: from.file,
    offset: from.offset + end,
    last: read.subarray(-comparedBytes),
    line: from.line + lines.length - 1,
  };
}

/**
 * Reads a line. A crash in the middle of a write leaves the beginning of a step, which has no effect. Anything else that
 * is not a step as it was written is damage.
 *
 * @param isEnded - Whether a blank line follows, as it does behind the line break that ends a step: behind an unfinished
 *   one there is only the line break before the next.
 */
function readStep(line: string, isEnded: boolean) {
  const value = parseJson(line);
  if (value === undefined && isTorn(line, isEnded)) return undefined;
  const { end: _, ...step }: Partial<Record<"end" | "step" | "rules", unknown>> & Pick<Step, "from"> = Object(value);
  const row = line === JSON.stringify(sealed(step)) ? readRow(step) : undefined;
  const { step: id, rules, from } = step;
  return row === undefined ? ("damaged" as const) : { id: String(id), rules, row, from, force: row.forced };
}

/** Ends a step with a checksum: damage may leave valid JSON. */
function sealed(step: object): object {
  return { ...step, end: createHash("sha256").update(JSON.stringify(step)).digest("hex").slice(0, 16) };
}

const beginning = '{"step":"';
/** The last bytes of a step, by either of two parts of them: one byte may be damaged. */
const ending = /"end":(?!(?:"[0-9a-f]{0,16})?$)|[0-9a-f]"}$/;

/** Returns true if a line that is not JSON is the beginning of one, left by a crash; otherwise it is damaged. */
function isTorn(line: string, isEnded: boolean): boolean {
  if (!line.startsWith(beginning)) return beginning.startsWith(line);
  // A step that lacks its last byte alone is unfinished, or was ended and damaged.
  return !ending.test(isEnded ? line : line.slice(0, -1));
}

/**
 * Creates the file with its first line, which is on the disk before the file has its name: a file without a whole first
 * row was emptied or cut. Returns false if another process has created it.
 */
async function createFile(path: string, line: Buffer): Promise<boolean> {
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    await writeLine(path, line, draft);
    // Unlike a rename, it replaces no file.
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    // Those have explanations of another kind.
    if (Object(error).syscall !== "link" || /EACCES|EROFS|ENOSPC|EDQUOT|EIO/.test(errorCodeOf(error))) throw error;
    throw failed(`${path} could not be created by a hard link. Move the journal to a local disk that has them.`, error);
  } finally {
    // One that is left behind is no journal, and the row is in the file.
    await rm(draft).catch(() => {});
  }
}

/**
 * Appends a line to the file, or writes it as the draft of one, and flushes it to the disk. The line break in front ends a
 * line that a crash left unfinished.
 */
async function writeLine(path: string, line: Buffer, draft?: string): Promise<void> {
  const file = await open(draft ?? path, draft === undefined ? constants.O_WRONLY | constants.O_APPEND : "wx", 0o600);
  try {
    const { mode } = await file.stat();
    // It may have been there before. Windows knows no such modes.
    if ((mode & 0o077) !== 0 && process.platform !== "win32") {
      await file.chmod(0o600).catch((error: unknown) => {
        const advice = "Run chmod 600 on it as its owner, or let that user run this process.";
        throw failed(`Others may read ${path}, which holds PNRs and tokens. ${advice}`, error);
      });
    }
    // One write: a second one for the rest could land behind the line of another process.
    const { bytesWritten } = await file.write(line);
    if (bytesWritten < line.length) throw failed(`Only a part of a row could be written to ${path}. Is the disk full?`);
    await file.sync();
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

/** Number of bytes before the offset that each read compares. */
const comparedBytes = 4_096;

/**
 * Reads the bytes of a file from a place on, or all if it is new: replaced or cut. One that was cut and has grown again
 * (`copytruncate` of logrotate) is the same file, perhaps of the same size: the bytes before the offset show it.
 */
async function readOn(
  path: string,
  place: Place,
  create: boolean,
): Promise<{ readonly bytes: Buffer; readonly from: Place }> {
  const handle = await open(path, "r").catch((error: unknown) => {
    if (errorCodeOf(error) !== "ENOENT") throw error;
  });
  if (handle === undefined) {
    await refuseMissing(path, create);
    return { bytes: Buffer.alloc(0), from: { ...start } };
  }
  try {
    const { ino, birthtimeMs, size } = await handle.stat();
    const file = `${ino} ${birthtimeMs}`;
    const { offset, last } = place;
    if (file === place.file && size >= offset) {
      const bytes = await readBetween(handle, offset - last.length, size);
      if (bytes.subarray(0, last.length).equals(last)) return { bytes: bytes.subarray(last.length), from: place };
    }
    return { bytes: await readBetween(handle, 0, size), from: { ...start, file } };
  } finally {
    await handle.close();
  }
}

async function readBetween(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Refuses a path at which no journal can begin: a misspelt one would read as a journal without bookings. */
async function refuseMissing(path: string, create: boolean): Promise<void> {
  const folder = dirname(path);
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new ConfigurationError(
      `fileJournal: the folder ${folder} does not exist. Correct the path of the journal, or create the folder.`,
    );
  }
  if (create) return;
  throw new ConfigurationError(
    `fileJournal: the file ${path} does not exist. Correct the path of the journal; only a new journal, with \`create: true\`, has no file yet.`,
  );
}

function failed(message: string, cause?: unknown): JournalError {
  return new JournalError({ message: `fileJournal: ${message}`, cause });
}

const noPermission = "This process has no permission to read and write {path}. Grant it to the user of the process.";
const diskFull = "The disk of {path} is full. Free space, then try again.";

const explanations: Readonly<Record<string, string | undefined>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EISDIR: "{path} is a folder. Pass the path of a file.",
  ENOTDIR: "A part of {path} is a file, not a folder. Correct the path of the journal.",
  ENOENT: "{path} or its folder was removed. Put it back, then try again.",
  EROFS: "{path} is on a read-only file system. Move the journal to one that can be written.",
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  EMFILE: "This process has too many files open to open {path}. Raise its limit.",
};
