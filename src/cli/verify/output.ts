import type { Stats } from "node:fs";
import { constants, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, lstat, open, rename, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { ConfigurationError } from "../../errors/request.ts";
import { type CsvInput, formatRow, readStart } from "./csv.ts";
import { type EarlierRows, headerOf, noEarlierRows, readEarlierRows, writtenRows } from "./earlier.ts";
import type { VerifyFlags } from "./flags.ts";
import type { Status } from "./results.ts";

/** The file of the results. It is the only state of a run: its rows say what is done. */
export interface CsvOutput {
  readonly earlier: EarlierRows;
  /** The rows that this run looks up again: their indices, in order, with their status. */
  readonly again: ReadonlyMap<number, Status>;
  /** Writes the row of an index: one of `again`, or the next one. */
  write(index: number, fields: readonly string[], cells: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the file of the results, and continues it if an earlier run was interrupted: a row that was half written is cut
 * off.
 *
 * @throws ConfigurationError if the file belongs to another input, or another process writes it.
 */
export async function openOutput(
  file: string,
  input: CsvInput,
  { overwrite = false, retry = false }: Pick<VerifyFlags, "overwrite" | "retry"> = {},
): Promise<CsvOutput> {
  await (await openOwn(file, input.file)).close();
  const unlock = lock(file);
  try {
    await finishRetry(file, input, overwrite);
    const earlier = overwrite ? noEarlierRows() : await readEarlierRows(file, input, retry);
    const again = retry ? earlier.open : new Map<number, Status>();
    const results = await ResultFile.open(file, input, earlier.size);
    const replacement = again.size > 0 ? await beginReplacement(results, input) : undefined;
    return {
      earlier,
      again,
      async write(index, fields, cells) {
        const row = formatRow(fields, cells, input.delimiter);
        if (replacement === undefined) await results.append(row);
        else await replacement.write(Math.min(index, earlier.count), again.has(index), row);
      },
      async close() {
        try {
          await (replacement?.finish() ?? results.close());
        } finally {
          unlock();
        }
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The file of the results could not be written: the disk is full, or gone. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  /** Whether another program has changed the file: the same command may not continue it. */
  readonly isTaken: boolean;

  constructor(message: string, isTaken = false) {
    super(message);
    this.isTaken = isTaken;
  }
}

/** A file with names and VPAs, for its owner alone, to which this process alone appends. */
class ResultFile {
  readonly name: string;
  readonly #handle: FileHandle;
  #size: number;
  /** Whether the last change failed: nothing more can be written. */
  hasFailed = false;

  private constructor(name: string, handle: FileHandle, size: number) {
    this.name = name;
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens it, and cuts off what is behind its whole rows. A new one gets a header. */
  static async open(file: string, input: CsvInput, size: number): Promise<ResultFile> {
    const handle = await openOwn(file, input.file);
    try {
      await setMode(file, handle, 0o600);
      await handle.truncate(size);
      const results = new ResultFile(file, handle, size);
      if (size === 0) await results.append(headerOf(input));
      return results;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** @throws OutputError if the disk is full, or another program has changed the file. */
  async append(text: string, encoding: BufferEncoding = "utf8"): Promise<void> {
    this.hasFailed = true;
    await this.requireUnchanged();
    await this.#attempt(this.#handle.appendFile(text, encoding));
    this.#size += Buffer.byteLength(text, encoding);
    this.hasFailed = false;
  }

  async requireUnchanged(): Promise<void> {
    const [own, named] = await Promise.all([this.#handle.stat(), stat(this.name).catch(() => undefined)]);
    if (own.size === this.#size && isSame(own, named)) return;
    throw new OutputError(
      `--out: ${this.name} was changed or moved by another program. Nothing more was written: the last results received are not in it.`,
      true,
    );
  }

  /** Closes it. What was appended is on the disk then. */
  async close(): Promise<void> {
    try {
      if (!this.hasFailed) await this.#attempt(this.#handle.datasync());
    } finally {
      await this.#handle.close();
    }
  }

  async #attempt(change: Promise<void>): Promise<void> {
    try {
      await change;
    } catch (error) {
      throw new OutputError(`--out: ${this.name} could not be written: ${problemOf(error)}`);
    }
  }
}

/**
 * Begins a second file, `<file>.retry`, that gets all rows of the results again, some of them new, and then takes their
 * place. After a kill its rows stand for the first ones of the results, and `finishRetry` copies the rest: nothing of
 * either is lost.
 *
 * @param has - The rows that it has already.
 */
async function beginReplacement(original: ResultFile, input: CsvInput, has = noEarlierRows()) {
  const results = await ResultFile.open(`${original.name}.retry`, input, has.size);
  const rows = writtenRows(original.name);
  let hasNewRows = has.count > 0;
  /** The number of rows of the original that are copied or replaced; the header is one of them. */
  let done = 0;
  const skip = async (count: number) => {
    for (; done < count; done++) await rows.next();
  };
  const copyUntil = async (count: number) => {
    let text = "";
    while (done < count) {
      const { value } = await rows.next();
      if (value === undefined) break;
      done++;
      text += value.text;
      if (text.length < 65_536) continue;
      await results.append(text, "latin1");
      text = "";
    }
    if (text !== "") await results.append(text, "latin1");
  };
  await skip(has.count + 1);
  return {
    /** Writes a row behind the earlier ones before an index, in place of the one that is there or not. */
    async write(index: number, isReplaced: boolean, row: string): Promise<void> {
      await copyUntil(index + 1);
      if (isReplaced) await skip(index + 2);
      await results.append(row);
      hasNewRows = true;
    },
    /** Copies the rows that are left, and takes the place of the results; leaves those as they are if no row is new. */
    async finish(): Promise<void> {
      try {
        // The next run finishes it.
        if (results.hasFailed) return;
        if (hasNewRows) {
          await copyUntil(Number.POSITIVE_INFINITY);
          await original.requireUnchanged();
        }
      } finally {
        await rows.return(undefined);
        for (const file of [results, original]) await file.close();
      }
      if (hasNewRows) await rename(results.name, original.name);
      else await unlink(results.name);
    },
  };
}

/** Finishes the replacement of a run that was killed. */
async function finishRetry(file: string, input: CsvInput, overwrite: boolean): Promise<void> {
  const path = `${file}.retry`;
  const kind = await lstat(path).catch(() => undefined);
  if (kind === undefined) return;
  await (await openOwn(path, input.file)).close();
  if (overwrite) {
    if (/^$|looked_up.*account_status/.test(await readStart(path))) return unlink(path);
    throw new ConfigurationError(
      `--out: ${path} would be replaced by a --retry, and is another file. Rename it, or the output.`,
    );
  }
  if ((await stat(file)).size === 0) {
    throw new ConfigurationError(
      `--out: ${path} has rows of a --retry that was interrupted, and ${file} has none. Rename it to continue with ` +
        "its rows, or replace it with --overwrite.",
    );
  }
  const [replaced, earlier] = [await readEarlierRows(path, input, true), await readEarlierRows(file, input, true)];
  // A --retry makes no result open again: the file was changed since.
  if ([...replaced.open.keys()].some((index) => index < earlier.count && !earlier.open.has(index))) {
    throw new ConfigurationError(
      `--out: ${path}, of a --retry that was interrupted, has failed rows that ${file} has not. ` +
        "Keep one of them under the name of the output, and move the other one away.",
    );
  }
  const original = await ResultFile.open(file, input, earlier.size);
  await (await beginReplacement(original, input, replaced)).finish();
}

/**
 * Locks a file for this process with `<file>.lock`, which a kill leaves behind: another machine cannot see whether its
 * process still runs.
 *
 * @returns Removes the lock.
 */
function lock(file: string): () => void {
  const path = `${file}.lock`;
  const unlock = () => rmSync(path, { force: true });
  try {
    writeFileSync(path, `process ${process.pid} on ${hostname()}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (Object(error).code === "EEXIST") {
      throw new ConfigurationError(
        `--out: ${file} is being written by another \`serviceapi verify\`, whose lock is ${path}. Wait for its end. ` +
          `If none runs, because it was killed, remove ${path} and run the same command again.`,
      );
    }
    unlock();
    throw new OutputError(`--out: ${path}, the lock, could not be written: ${problemOf(error)}`);
  }
  // A reader of the output that ends early ends the process.
  process.once("exit", unlock);
  return () => {
    process.off("exit", unlock);
    unlock();
  };
}

/**
 * Opens a file of this user alone, or makes it.
 *
 * @param input - The file of `--file`, which is refused, also by another name.
 * @throws ConfigurationError if it belongs to another user, is another file, or has another name.
 */
async function openOwn(file: string, input: string): Promise<FileHandle> {
  // The file that a link leads to is not meant.
  const kind = await lstat(file).catch(() => undefined);
  if (kind !== undefined && !kind.isFile()) {
    throw new ConfigurationError(`--out: ${file} is a link, a folder or a device. Name a file.`);
  }
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = constants;
  const handle = await open(file, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600).catch((error) => {
    throw new ConfigurationError(`--out: ${file} could not be opened: ${problemOf(error)}`);
  });
  try {
    const [own, other] = await Promise.all([handle.stat(), stat(input).catch(() => undefined)]);
    if (isSame(own, other)) throw new ConfigurationError("--out must be another file than --file.");
    if (own.nlink > 1) {
      throw new ConfigurationError(`--out: ${file} has a second name (a hard link), under which it would change too.`);
    }
    await setMode(file, handle, own.mode & 0o777);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Only the owner of a file may set its mode, also the one that it has. */
async function setMode(file: string, handle: FileHandle, mode: number): Promise<void> {
  try {
    await handle.chmod(mode);
  } catch (error) {
    throw new ConfigurationError(
      `--out: ${file} belongs to another user, or ${problemOf(error)} Name a file of your own.`,
    );
  }
}

function isSame(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev;
}

const problems: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "your share of the disk is used up",
  EROFS: "the file system is read-only",
  EACCES: "you may not write there",
  EPERM: "you may not write there",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is a file",
};

/** Returns what kept the system from writing. */
function problemOf(error: unknown): string {
  const { code } = Object(error);
  return `${problems[code] ?? "the system refused it"} (${code}).`;
}
