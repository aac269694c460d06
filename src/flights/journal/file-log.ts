import { createHash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { errorCodeOf } from "../../shared/error-code.ts";
import { isObject, parseJson } from "../../shared/json.ts";
import type { JournalError } from "../errors.ts";
import { journalFailed } from "./failure.ts";
import { type BookingState, type JournalRow, readRow } from "./journal.ts";
import { Rows } from "./memory.ts";

const noBytes = Buffer.alloc(0);
/** Number of bytes before the offset that each read compares: the last lines, each with a unique `step`. */
const comparedBytes = 4_096;

/**
 * The effect of a line: true if it took effect; the row that conflicts with a claim; undefined for a settlement that
 * came too late.
 */
type Effect = true | JournalRow | undefined;

/**
 * The file as a log of steps. `O_APPEND` puts the lines of all processes in one order, and each process replays them by
 * the same rules: a claim behind a conflicting row has no effect, nor has a settlement whose row has left its state. So
 * all processes agree which claim was first, without a lock.
 */
export class FileLog {
  readonly #path: string;
  readonly #create: boolean;
  #rows = new Rows();
  /** The rows at the last read. A row that can conflict with another must not vanish with the file. */
  #known = this.#rows;
  /** Identity of the file that was read last. */
  #file = "";
  #offset = 0;
  /** The last bytes before the offset. */
  #last: Buffer = noBytes;
  #line = 1;
  #turn: Promise<unknown> = Promise.resolve();
  /** The step that this process has just written, and its effect. */
  #written: { readonly step: string; effect: Effect; isRead: boolean } | undefined;

  constructor(path: string, create: boolean) {
    this.#path = path;
    this.#create = create;
  }

  /** Runs steps one after another on the current rows, with the lines of other processes. */
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

  /** Writes and flushes a step, and reads back its effect: another process may have written before. */
  async append(row: JournalRow, from: BookingState | undefined): Promise<Effect> {
    const written = { step: crypto.randomUUID(), effect: undefined, isRead: false };
    this.#written = written;
    await appendLine(this.#path, sealed({ step: written.step, ...(from !== undefined && { from }), ...row }));
    await this.#refresh();
    const { isRead, effect } = written;
    if (!isRead)
      throw journalFailed("fileJournal", `${this.#path} was replaced while a row was written to it.`, undefined);
    return effect;
  }

  async #refresh(): Promise<void> {
    const { file, from, bytes } = await this.#readOn();
    if (from === 0) this.#reset();
    this.#file = file;
    try {
      this.#replay(bytes);
      if (from === 0) this.#refuseLoss();
    } catch (error) {
      // Read it again from the start next time: it may have been repaired.
      this.#reset();
      throw error;
    }
    this.#known = this.#rows;
  }

  async #readOn(): Promise<ReadBytes> {
    const read = await readOn(this.#path, { file: this.#file, offset: this.#offset, last: this.#last });
    if (read !== undefined) return read;
    await refuseMissing(this.#path, this.#create);
    return { file: "", from: 0, bytes: noBytes };
  }

  /** A file that was rotated, emptied or replaced, also by an older copy, would free offers that are being booked. */
  #refuseLoss(): void {
    const isLost = ({ attemptId, state }: JournalRow) => {
      const row = this.#rows.get(attemptId);
      return row === undefined || (state === "booked" && row.state === "rejected");
    };
    const lost = this.#known.standing().filter(isLost).length;
    if (lost === 0) return;
    throw new ConfigurationError(
      `${this.#path} was replaced or emptied: ${lost} of its bookings are gone. Nothing is booked until the file is back. A process that starts without it does not miss them, and could book them again.`,
    );
  }

  #reset(): void {
    this.#rows = new Rows();
    this.#file = "";
    this.#offset = 0;
    this.#last = noBytes;
    this.#line = 1;
  }

  #replay(bytes: Buffer): void {
    let end = bytes.lastIndexOf("\n") + 1;
    const whole = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    for (const line of whole) {
      this.#replayLine(line);
      this.#line += 1;
    }
    // Without its line break a line may be in the middle of being written. One that can be read counts all the same.
    const tail = bytes.subarray(end).toString("utf8");
    if (this.#replayLine(tail, tail.slice(0, -1))) end = bytes.length;
    this.#offset += end;
    const known = Buffer.concat([this.#last, bytes.subarray(0, end).subarray(-comparedBytes)]);
    this.#last = known.subarray(-comparedBytes);
  }

  /**
   * Returns true if the line was a row. A crash in the middle of a write leaves the beginning of one, which has no
   * effect.
   *
   * @param rest - The part that shows whether it is such a beginning.
   */
  #replayLine(line: string, rest = line): boolean {
    if (line === "") return false;
    const value = parseJson(line);
    if (value === undefined && isTorn(rest)) return false;
    const row = isIntact(line, value) ? readRow(value) : undefined;
    if (row !== undefined) {
      const { step, from } = Object(value);
      const effect = this.#effect(row, from);
      if (this.#written !== undefined && this.#written.step === step)
        Object.assign(this.#written, { effect, isRead: true });
      return true;
    }
    throw new ConfigurationError(
      `Line ${this.#line} of ${this.#path} is not a row of a booking journal, or is damaged. Nothing is booked until that line is corrected or removed. Keep the other lines: without them, what they hold could be booked again.`,
    );
  }

  #effect(row: JournalRow, from: BookingState | undefined): Effect {
    if (from !== undefined) return this.#rows.settle(row, from) || undefined;
    return this.#rows.claim(row, { force: row.forced }) ?? true;
  }
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
function isTorn(line: string): boolean {
  return line.startsWith(beginning) ? !ending.test(line) : beginning.startsWith(line);
}

/** Appends a line and flushes it to the disk. The line break in front ends a line that a crash left unfinished. */
export async function appendLine(path: string, line: object): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await closeToOthers(file, path);
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    // One write: a second one for the rest could land behind the line of another process.
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

/** A file that was there before may have been readable for others. Windows knows no such modes. */
async function closeToOthers(file: FileHandle, path: string): Promise<void> {
  const { mode } = await file.stat();
  if ((mode & 0o077) === 0 || process.platform === "win32") return;
  await file.chmod(0o600).catch((error: unknown) => {
    const advice = "Run chmod 600 on it as its owner, or let that user run this process.";
    throw journalFailed("fileJournal", `Others may read ${path}, which holds PNRs and tokens. ${advice}`, error);
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

/** The bytes of a file from an offset on, and the identity of the file. */
export interface ReadBytes {
  readonly file: string;
  readonly from: number;
  readonly bytes: Buffer;
}

/** The part of a file that was read before. */
export interface KnownPart {
  readonly file: string;
  readonly offset: number;
  /** The last bytes before the offset. */
  readonly last: Buffer;
}

/**
 * Reads a file from the known offset, or from its start if it was replaced or cut. Undefined if there is no file.
 *
 * One that was cut and has grown again (`copytruncate` of logrotate) is the same file, perhaps of the same size: the
 * bytes before the offset show it.
 */
export async function readOn(path: string, { file, offset, last }: KnownPart): Promise<ReadBytes | undefined> {
  const handle = await openIfThere(path);
  if (handle === undefined) return undefined;
  try {
    const { ino, birthtimeMs, size } = await handle.stat();
    const found = `${ino} ${birthtimeMs}`;
    if (found === file && size >= offset) {
      const bytes = await readBetween(handle, offset - last.length, size);
      const isKnown = bytes.subarray(0, last.length).equals(last);
      if (isKnown) return { file, from: offset, bytes: bytes.subarray(last.length) };
    }
    return { file: found, from: 0, bytes: await readBetween(handle, 0, size) };
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

/** A file that cannot be read is an error. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Refuses a file that is not there, unless it may yet be created: a misspelt path would read as a journal without
 * bookings.
 *
 * @param create - Whether the file may be created. Its folder must exist all the same.
 */
export async function refuseMissing(path: string, create: boolean): Promise<void> {
  const folder = resolve(dirname(path));
  if (!(await isFolder(folder))) {
    throw new ConfigurationError(
      `fileJournal: the folder ${folder} does not exist. Correct the path of the journal, or create the folder.`,
    );
  }
  if (create) return;
  throw new ConfigurationError(
    `fileJournal: the file ${resolve(path)} does not exist. Correct the path of the journal; only a new journal, with \`create: true\`, has no file yet.`,
  );
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** Makes the error for a failure of the file system, which says what to do about it. */
export function fileFailed(path: string, error: unknown): JournalError {
  const code = errorCodeOf(error);
  const explanation =
    explanations[code] ?? `The file ${path} could not be read or written${code && ` (${code})`}. See \`cause\`.`;
  return journalFailed(
    "fileJournal",
    explanation.replaceAll("{path}", () => path),
    error,
  );
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
