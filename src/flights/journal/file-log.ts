import { createHash } from "node:crypto";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { causeOf, errorCodeOf } from "../../shared/error-code.ts";
import { isObject, parseJson } from "../../shared/json.ts";
import { JournalError } from "../errors.ts";
import { type BookingState, type JournalRow, readRow } from "./journal.ts";
import { type Effect, type RowLog, Rows } from "./memory.ts";

/** The rows of a file, and how far it was read. */
interface Reading {
  readonly rows: Rows;
  /** Identity of the file. */
  readonly file: string;
  readonly offset: number;
  /** The last bytes before the offset. */
  readonly last: Buffer;
  /** Number of the line at the offset. */
  readonly line: number;
}

/** Number of bytes before the offset that each read compares: the last lines, each with a unique `step`. */
const comparedBytes = 4_096;

/**
 * The file as a log of steps. `O_APPEND` puts the lines of all processes in one order, and each process replays them by
 * the same rules ({@link effectOf}). So all processes agree which claim was first, without a lock.
 */
export class FileLog implements RowLog {
  readonly #path: string;
  readonly #create: boolean;
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
  async append(row: JournalRow, from?: BookingState, force?: boolean): Promise<Effect> {
    const step = crypto.randomUUID();
    const marks = { ...(from !== undefined && { from }), ...row, ...(force === true && { forced: true }) };
    await appendLine(this.#path, sealed({ step, ...marks }));
    const effects = await this.#refresh();
    if (effects.has(step)) return effects.get(step);
    throw journalFailed(`${this.#path} was replaced while a row was written to it.`);
  }

  /** Replays what was written since the last read. Returns the effects of those steps. */
  async #refresh(): Promise<ReadonlyMap<string, Effect>> {
    const { file, from, bytes } = (await readOn(this.#path, this.#reading)) ?? (await this.#noFile());
    if (from === 0) this.#reading = nothingRead(file);
    const effects = new Map<string, Effect>();
    try {
      this.#reading = replay(this.#path, this.#reading, bytes, effects);
      if (from === 0) this.#refuseLoss();
    } catch (error) {
      // Read it again from the start next time: it may have been repaired.
      this.#reading = nothingRead("");
      throw error;
    }
    this.#known = this.#reading.rows;
    return effects;
  }

  async #noFile(): Promise<ReadBytes> {
    await refuseMissing(this.#path, this.#create);
    return { file: "", from: 0, bytes: Buffer.alloc(0) };
  }

  /** A file that was rotated, emptied or replaced, also by an older copy, would free offers that are being booked. */
  #refuseLoss(): void {
    const isLost = ({ attemptId, state }: JournalRow) => {
      const row = this.#reading.rows.get(attemptId);
      return row === undefined || (state === "booked" && row.state === "rejected");
    };
    const lost = this.#known.standing().filter(isLost).length;
    if (lost === 0) return;
    throw new ConfigurationError(
      `${this.#path} was replaced or emptied: ${lost} of its bookings are gone. Nothing is booked until the file is back. A process that starts without it does not miss them, and could book them again.`,
    );
  }
}

function nothingRead(file: string): Reading {
  return { rows: new Rows(), file, offset: 0, last: Buffer.alloc(0), line: 1 };
}

/** Takes the steps in some bytes, and notes their effects. */
function replay(
  path: string,
  { rows, file, offset, last, line }: Reading,
  bytes: Buffer,
  effects: Map<string, Effect>,
) {
  const replayLine = (text: string, number: number, rest = text): boolean => {
    const step = readStep(text, rest);
    if (step === "damaged") throw damaged(path, number);
    if (step !== undefined) effects.set(step.step, effectOf(step, rows));
    return step !== undefined;
  };
  let end = bytes.lastIndexOf("\n") + 1;
  const whole = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
  for (const [index, text] of whole.entries()) replayLine(text, line + index);
  // Without its line break a line may be in the middle of being written. One that can be read counts all the same.
  const tail = bytes.subarray(end).toString("utf8");
  if (replayLine(tail, line + whole.length, tail.slice(0, -1))) end = bytes.length;
  const read = Buffer.concat([last, bytes.subarray(0, end).subarray(-comparedBytes)]);
  return { rows, file, offset: offset + end, last: read.subarray(-comparedBytes), line: line + whole.length };
}

/** Takes a step: a claim behind a conflicting row has no effect, nor has a settlement whose row has left its state. */
function effectOf({ row, from }: Step, rows: Rows): Effect {
  const obstacle = from === undefined ? rows.obstacle(row, { force: row.forced }) : undefined;
  if (obstacle !== undefined) return obstacle;
  if (from !== undefined && !rows.canSettle(row, from)) return undefined;
  rows.set(row);
  return true;
}

interface Step {
  readonly step: string;
  readonly row: JournalRow;
  readonly from: BookingState | undefined;
}

/**
 * Reads a line, which may be empty. A crash in the middle of a write leaves the beginning of a step, which has no effect.
 * Anything else that is not a step as it was written is damage.
 *
 * @param rest - The part that shows whether it is such a beginning.
 */
function readStep(line: string, rest: string): Step | "damaged" | undefined {
  if (line === "") return undefined;
  const value = parseJson(line);
  if (value === undefined && isTorn(rest)) return undefined;
  const row = isIntact(line, value) ? readRow(value) : undefined;
  if (row === undefined) return "damaged";
  const { step, from } = Object(value);
  return { step, row, from };
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
function isTorn(line: string): boolean {
  return line.startsWith(beginning) ? !ending.test(line) : beginning.startsWith(line);
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

/** The bytes of a file from an offset on, and the identity of the file. */
interface ReadBytes {
  readonly file: string;
  readonly from: number;
  readonly bytes: Buffer;
}

/**
 * Reads a file from the known offset, or from its start if it was replaced or cut. Undefined if there is no file.
 *
 * One that was cut and has grown again (`copytruncate` of logrotate) is the same file, perhaps of the same size: the
 * bytes before the offset show it.
 */
async function readOn(path: string, { file, offset, last }: Reading): Promise<ReadBytes | undefined> {
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
async function refuseMissing(path: string, create: boolean): Promise<void> {
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
