import { createHash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { causeOf, errorCodeOf } from "../../shared/error-code.ts";
import { isObject, parseJson } from "../../shared/json.ts";
import { boolean, readOptions } from "../../shared/options.ts";
import { JournalError } from "../errors.ts";
import { type BookingJournal, type BookingState, type JournalRow, readRow } from "./journal.ts";
import { type Effect, journalOf, type RowLog, Rows, type Step } from "./memory.ts";

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
 * Do not rotate or shorten it: a process that starts later would not miss the rows.
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

/** Number of bytes before the offset that each read compares: the last lines, each with a unique `step`. */
const comparedBytes = 4_096;

/**
 * The file as a log of steps. `O_APPEND` puts the lines of all processes in one order, and each process replays them by
 * the same rules ({@link Rows.take}). So all processes agree which claim was first, without a lock.
 */
export class FileLog implements RowLog {
  readonly #path: string;
  readonly #create: boolean;
  /** The rows of the file up to the offset, and how far it was read. */
  #reading = nothingRead("");
  /** The rows at the last read. A row that can conflict with another must not vanish with the file. */
  #known = this.#reading.rows;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string, create: boolean) {
    this.#path = path;
    this.#create = create;
  }

  use<T>(step: (rows: Rows) => Promise<T>): Promise<T> {
    const mine = this.#turn
      .then(async () => {
        await this.#refresh();
        return step(this.#reading.rows);
      })
      .catch((error: unknown) => {
        throw ServiceApiError.isInstance(error) ? error : fileFailed(this.#path, error);
      });
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /** Writes and flushes a step, and reads back its effect: another process may have written before. */
  async append({ row, from, force }: Step): Promise<Effect> {
    const step = crypto.randomUUID();
    const marks = { ...(from !== undefined && { from }), ...row, ...(force === true && { forced: true }) };
    await appendLine(this.#path, sealed({ step, ...marks }));
    const effects = await this.#refresh();
    if (effects.has(step)) return effects.get(step);
    throw journalFailed(`${this.#path} was replaced while a row was written to it.`);
  }

  /** Replays the lines that were written since the last read. Returns the effects of their steps. */
  async #refresh(): Promise<ReadonlyMap<string, Effect>> {
    const { file, isNew, bytes } =
      (await readOn(this.#path, this.#reading)) ?? (await refuseMissing(this.#path, this.#create));
    const effects = new Map<string, Effect>();
    const reading = isNew ? nothingRead(file) : this.#reading;
    // If it throws, read it again from the start next time: it may have been repaired.
    this.#reading = nothingRead("");
    replay(this.#path, reading, bytes, effects);
    if (isNew) this.#refuseLoss(reading.rows);
    this.#reading = reading;
    this.#known = reading.rows;
    return effects;
  }

  /** A file that was rotated, emptied or replaced, also by an older copy, would free offers that are being booked. */
  #refuseLoss(found: Rows): void {
    const isLost = ({ attemptId, state }: JournalRow) => {
      const row = found.get(attemptId);
      return row === undefined || (state === "booked" && row.state === "rejected");
    };
    const lost = this.#known.standing().filter(isLost).length;
    if (lost === 0) return;
    throw new ConfigurationError(
      `${this.#path} was replaced or emptied: ${lost} of its bookings are gone. Nothing is booked until the file is back. A process that starts without it does not miss them, and could book them again.`,
    );
  }
}

interface Reading {
  readonly rows: Rows;
  /** Identity of the file. */
  readonly file: string;
  offset: number;
  /** The last bytes before the offset. */
  last: Buffer;
  /** Number of the line at the offset. */
  line: number;
}

function nothingRead(file: string): Reading {
  return { rows: new Rows(), file, offset: 0, last: Buffer.alloc(0), line: 1 };
}

/** Takes the steps in some bytes, and notes their effects. */
function replay(path: string, reading: Reading, bytes: Buffer, effects: Map<string, Effect>): void {
  const lines = bytes.toString("utf8").split("\n");
  let end = bytes.length;
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const isLast = index === lines.length - 1;
    const found = readStep(line, lines[index + 1] === "");
    if (found === "damaged") throw damaged(path, reading.line + index);
    if (found !== undefined) effects.set(found.id, reading.rows.take(found));
    // Without its line break it may be in the middle of being written.
    else if (isLast) end = bytes.lastIndexOf("\n") + 1;
  }
  reading.line += lines.length - 1;
  reading.offset += end;
  const read = Buffer.concat([reading.last, bytes.subarray(0, end).subarray(-comparedBytes)]);
  reading.last = read.subarray(-comparedBytes);
}

/**
 * Reads a line. A crash in the middle of a write leaves the beginning of a step, which has no effect. Anything else that
 * is not a step as it was written is damage.
 *
 * @param isEnded - Whether a blank line follows, as it does behind the line break that ends a step: behind an unfinished
 *   one there is only the line break before the next.
 */
function readStep(line: string, isEnded: boolean): (Step & { readonly id: string }) | "damaged" | undefined {
  const value = parseJson(line);
  if (value === undefined && isTorn(line, isEnded)) return undefined;
  const row = isIntact(line, value) ? readRow(value) : undefined;
  if (row === undefined) return "damaged";
  const { step: id, from }: { readonly step: string; readonly from?: BookingState } = Object(value);
  return { id, row, from, force: row.forced };
}

function damaged(path: string, line: number): ConfigurationError {
  return new ConfigurationError(
    `Line ${line} of ${path} is not a row of a booking journal, or is damaged. Nothing is booked until that line is corrected or removed. Keep the other lines: without them, what they hold could be booked again.`,
  );
}

/** Ends a step with a checksum: damage may leave valid JSON. */
function sealed(step: object): object {
  return { ...step, end: createHash("sha256").update(JSON.stringify(step)).digest("hex").slice(0, 16) };
}

/** Returns true for a line as it was written: a step with its checksum. */
function isIntact(line: string, value: unknown): boolean {
  if (!isObject(value)) return false;
  const { end: _, ...step } = value;
  return line === JSON.stringify(sealed(step));
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

/** Appends a line and flushes it to the disk. The line break in front ends a line that a crash left unfinished. */
async function appendLine(path: string, line: object): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await closeToOthers(file, path);
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    // One write: a second one for the rest could land behind the line of another process.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length)
      throw journalFailed(`Only a part of a row could be written to ${path}. Is the disk full?`);
    await file.sync();
    const { size } = await file.stat();
    if (size === bytes.length) await keepName(path);
  } finally {
    await file.close();
  }
}

/** A file that was there before may have been readable for others. Windows knows no such modes. */
async function closeToOthers(file: FileHandle, path: string): Promise<void> {
  const { mode } = await file.stat();
  if ((mode & 0o077) === 0 || process.platform === "win32") return;
  await file.chmod(0o600).catch((error: unknown) => {
    const advice = "Run chmod 600 on it as its owner, or let that user run this process.";
    throw journalFailed(`Others may read ${path}, which holds PNRs and tokens. ${advice}`, error);
  });
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

/**
 * Reads the bytes of a file from the known offset on, or all if it `isNew`: replaced or cut. Undefined if there is no file.
 *
 * One that was cut and has grown again (`copytruncate` of logrotate) is the same file, perhaps of the same size: the
 * bytes before the offset show it.
 */
async function readOn(path: string, { file, offset, last }: Reading): Promise<ReadBytes | undefined> {
  const handle = await open(path, "r").catch((error: unknown) => {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const { ino, birthtimeMs, size } = await handle.stat();
    const found = `${ino} ${birthtimeMs}`;
    if (found === file && size >= offset) {
      const bytes = await readBetween(handle, offset - last.length, size);
      const isKnown = bytes.subarray(0, last.length).equals(last);
      if (isKnown) return { file, isNew: false, bytes: bytes.subarray(last.length) };
    }
    return { file: found, isNew: true, bytes: await readBetween(handle, 0, size) };
  } finally {
    await handle.close();
  }
}

interface ReadBytes {
  /** Identity of the file. */
  readonly file: string;
  readonly isNew: boolean;
  readonly bytes: Buffer;
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

/**
 * Returns nothing for a file that may yet be created, and refuses any other that is not there: a misspelt path would
 * read as a journal without bookings.
 *
 * @param create - Whether the file may be created. Its folder must exist all the same.
 */
async function refuseMissing(path: string, create: boolean): Promise<ReadBytes> {
  const folder = resolve(dirname(path));
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new ConfigurationError(
      `fileJournal: the folder ${folder} does not exist. Correct the path of the journal, or create the folder.`,
    );
  }
  if (create) return { file: "", isNew: true, bytes: Buffer.alloc(0) };
  throw new ConfigurationError(
    `fileJournal: the file ${resolve(path)} does not exist. Correct the path of the journal; only a new journal, with \`create: true\`, has no file yet.`,
  );
}

/** Returns the error for a failure of the file system, which says what to do about it. */
function fileFailed(path: string, error: unknown): JournalError {
  const code = errorCodeOf(error);
  const explanation =
    explanations[code] ?? `The file {path} could not be read or written${code && ` (${code})`}. See \`cause\`.`;
  const message = explanation.replaceAll("{path}", () => path);
  return journalFailed(message, error);
}

function journalFailed(message: string, cause?: unknown): JournalError {
  return new JournalError({ message: `fileJournal: ${message}`, cause: causeOf(cause) });
}

const noPermission = "This process has no permission to read and write {path}. Grant it to the user of the process.";
const diskFull = "The disk of {path} is full. Free space, then try again.";

const explanations: Readonly<Record<string, string | undefined>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EISDIR: "{path} is a folder. Pass the path of a file.",
  ENOTDIR: "A part of {path} is a file, not a folder. Correct the path of the journal.",
  ENOENT: "The folder of {path} does not exist. Correct the path of the journal, or create the folder.",
  EROFS: "{path} is on a read-only file system. Move the journal to one that can be written.",
  ENOSPC: diskFull,
  EDQUOT: diskFull,
  EMFILE: "This process has too many files open to open {path}. Raise its limit.",
};
