import fs from "node:fs";
import { hostname } from "node:os";
import { getSystemErrorMessage } from "node:util";
import { ConfigurationError } from "../../errors/request.ts";
import { OutputError } from "../shared/errors.ts";
import { type CsvInput, formatRow, readRecords, withoutFormula } from "./csv.ts";
import type { VerifyFlags } from "./flags.ts";
import { cellOf, resultColumns, statuses } from "./results.ts";

/** The file of the results, the only state of a run: its rows say what is done. Or standard output, which has no state. */
export interface CsvOutput<Row = readonly string[]> {
  /** The results of the rows that earlier runs have written. */
  readonly results: readonly (readonly string[])[];
  /** The indices of the rows that this run looks up again. */
  readonly again: ReadonlySet<number>;
  /** Writes the row of an index: one of `again`, or the next one. */
  write(index: number, row: Row): unknown;
  close(): void;
}

/**
 * Opens the file of the results, and continues it: the rows that it has are compared with the input.
 *
 * `--retry` writes all rows into a second file, `<file>.retry`, some of them new, and then has it take the place of the
 * first. After a kill, its rows stand for the first ones of the results, and the next run goes on behind them.
 *
 * @throws ConfigurationError if the file belongs to another input, or another process writes it.
 */
export function openOutput(
  file: string,
  input: CsvInput,
  { overwrite = false, retry = false }: Pick<VerifyFlags, "overwrite" | "retry"> = {},
): CsvOutput {
  const second = `${file}.retry`;
  // Before a new file is made. One that is made while another run takes the lock is the file of that run.
  if (kindOf(`${file}.lock`)) throw locked(file);
  const current = new ResultFile(file, input);
  const unlock = lock(file);
  let next: ResultFile | undefined;
  const closeFiles = () => {
    for (const each of [current, next]) each?.close();
  };
  try {
    if (fs.existsSync(second)) next = new ResultFile(second, input);
    if (next !== undefined && overwrite) {
      throw new ConfigurationError(`--out: ${second} has rows of a --retry that was interrupted. Move it away.`);
    }
    const replaced = next === undefined ? noRows : readRows(next, input, true);
    const { rows, size, open } = overwrite ? noRows : readRows(current, input, retry, replaced);
    const again = retry ? open : noRows.open;
    current.begin(size, headerOf(input));
    if (again.size > 0) next ??= new ResultFile(second, input);
    next?.begin(replaced.size, headerOf(input));
    const target = next ?? current;
    /** The number of rows that the target has. It gets the earlier ones between two new ones. */
    let count = next === undefined ? rows.length : replaced.rows.length;
    const append = (added: readonly (readonly string[])[]) =>
      target.append(added.map((fields) => formatRow(fields, input.delimiter)).join(""));
    return {
      results: rows.map((fields) => fields.slice(input.header.length)),
      again,
      write(index, fields) {
        append([...rows.slice(count, index), fields]);
        count = index + 1;
      },
      close() {
        try {
          // After a failure, the next run goes on behind its rows.
          if (next === undefined || next.hasFailed) return;
          append(rows.slice(count));
          current.requireUnchanged();
          closeFiles();
          fs.renameSync(second, file);
        } finally {
          closeFiles();
          unlock();
        }
      },
    };
  } catch (error) {
    closeFiles();
    unlock();
    throw error;
  }
}

interface EarlierRows {
  readonly rows: readonly (readonly string[])[];
  /** The bytes of these rows and the header: what follows is half a line. */
  readonly size: number;
  /** The indices of those that are not final, or corrected in the input. */
  readonly open: ReadonlySet<number>;
}

const noRows: EarlierRows = { rows: [], size: 0, open: new Set() };

/**
 * Compares each row of earlier runs with its row of the input.
 *
 * @param canCorrect - Whether the input may have another row for one that found no account.
 * @param before - The first rows, which another file has.
 */
function readRows(results: ResultFile, input: CsvInput, canCorrect: boolean, before = noRows): EarlierRows {
  const { header, mobileIndex, delimiter } = input;
  const columns = [...header, ...resultColumns(header)];
  const file = results.name;
  const bytes = results.read();
  const size = bytes.lastIndexOf("\n") + 1;
  const open = new Set<number>();
  const isNew = size === 0 && Buffer.from(headerOf(input)).subarray(0, bytes.length).equals(bytes);
  if (isNew) return { rows: before.rows, size, open };
  const [head, ...records] = readRecords(bytes.subarray(0, size), file, delimiter);
  if (head?.record.join("\n") !== columns.join("\n")) throw foreign(file, "its header is not the one of these results");
  for (const [index, { record: fields, info }] of records.entries()) {
    const row = input.rows[index];
    if (row === undefined) throw foreign(file, "it has more rows than the input");
    if (index < before.rows.length) continue;
    const cells = fields.slice(header.length);
    const [status, lookedUp, number = ""] = [cellOf("status", cells), cellOf("looked_up", cells), row[mobileIndex]];
    // A row that is found was cut off, and filled up by a spreadsheet, if it lacks what is in each whole one.
    const isWhole =
      cellOf("error", cells) !== "" || (cellOf("name", cells) && cellOf("account_status", cells) === "VALID");
    const isKnown = statuses.some((known) => known === status) && (status !== "found" || isWhole);
    if (fields.length !== columns.length || !isKnown) {
      throw foreign(file, `its line ${info.lines} is not as this command writes it`);
    }
    const other = row.findIndex((field, column) => field !== fields[column]);
    const isSame = other === -1 && (lookedUp === number || lookedUp === withoutFormula(number));
    if (!isSame && status === "found") {
      const where = other === -1 ? ", or is of another --column" : ` in "${header[other]}"`;
      throw foreign(file, `its line ${info.lines} differs from the input${where}, and a row that is found must stay`);
    }
    if (!isSame && !canCorrect) {
      throw new ConfigurationError(
        `--out: line ${info.lines} of ${file} is ${status}, and the input has another row there. ` +
          "Pass --retry to look up the rows that were corrected.",
      );
    }
    if (!isSame || status === "pending" || status === "failed") open.add(index);
  }
  const behind = records.slice(before.rows.length).map(({ record }) => record);
  return { rows: [...before.rows, ...behind], size, open };
}

export function headerOf({ header, delimiter, hasBom }: CsvInput): string {
  return `${hasBom ? "\uFEFF" : ""}${formatRow([...header, ...resultColumns(header)], delimiter)}`;
}

function foreign(file: string, reason: string): ConfigurationError {
  return new ConfigurationError(
    `--out: ${file} does not belong to this file: ${reason}. Nothing was changed. Undo what was changed in either ` +
      "file, or name another output. --overwrite drops the results.",
  );
}

/** A file with names and VPAs, for its owner alone, to which this process alone appends. */
class ResultFile {
  readonly name: string;
  readonly #file: number;
  #isOpen = true;
  #size = 0;
  /** Whether the last change failed: nothing more can be written. */
  hasFailed = false;

  /** @throws ConfigurationError if it is the input, a link or not a file. */
  constructor(name: string, { file: input }: CsvInput) {
    this.name = name;
    if (kindOf(name)?.isFile() === false) {
      throw new ConfigurationError(`--out: ${name} is a link, a folder or a device. Name a file.`);
    }
    const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = fs.constants;
    this.#file = opening(name, () => fs.openSync(name, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600));
    if (isSame(fs.fstatSync(this.#file), input))
      throw new ConfigurationError("--out must be another file than --file.");
  }

  /** Returns what earlier runs have written. */
  read(): Buffer {
    return opening(this.name, () => fs.readFileSync(this.#file));
  }

  /** Cuts off what is behind its whole rows. A new one gets a header. */
  begin(size: number, header: string): void {
    opening(this.name, () => fs.fchmodSync(this.#file, 0o600));
    fs.ftruncateSync(this.#file, size);
    this.#size = size;
    if (size === 0) this.append(header);
  }

  /** @throws OutputError if the disk is full, or another program has changed the file. */
  append(text: string): void {
    this.hasFailed = true;
    this.requireUnchanged();
    try {
      fs.appendFileSync(this.#file, text);
    } catch (error) {
      // A row that was half written would be none.
      fs.ftruncateSync(this.#file, this.#size);
      throw new OutputError(`--out: ${this.name} could not be written: ${problemOf(error)}`);
    }
    this.#size += Buffer.byteLength(text);
    this.hasFailed = false;
  }

  requireUnchanged(): void {
    const own = fs.fstatSync(this.#file);
    if (own.size === this.#size && isSame(own, this.name)) return;
    throw new OutputError(
      `--out: ${this.name} was changed or moved by another program. Nothing more was written: the last results received are not in it.`,
    );
  }

  /** Closes it. What was appended is on the disk then. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      if (!this.hasFailed) fs.fdatasyncSync(this.#file);
    } finally {
      fs.closeSync(this.#file);
    }
  }
}

/** Makes `<file>.lock`, which a kill leaves behind: another machine cannot see whether its process still runs. */
function lock(file: string): () => void {
  const path = `${file}.lock`;
  const unlock = () => fs.rmSync(path, { force: true });
  try {
    fs.writeFileSync(path, `process ${process.pid} on ${hostname()}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (Object(error).code === "EEXIST") throw locked(file);
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

function locked(file: string): ConfigurationError {
  return new ConfigurationError(
    `--out: ${file} is being written by another \`serviceapi verify\`, whose lock is ${file}.lock. Wait for its end. ` +
      `If none runs, because it was killed, remove ${file}.lock and run the same command again.`,
  );
}

function isSame(own: fs.Stats, file: string): boolean {
  const other = fs.statSync(file, { throwIfNoEntry: false });
  return own.ino === other?.ino && own.dev === other.dev;
}

function kindOf(file: string): fs.Stats | undefined {
  return opening(file, () => fs.lstatSync(file, { throwIfNoEntry: false }));
}

function opening<Result>(file: string, open: () => Result): Result {
  try {
    return open();
  } catch (error) {
    throw new ConfigurationError(`--out: ${file} could not be opened: ${problemOf(error)}`);
  }
}

function problemOf(error: unknown): string {
  const { code, errno } = Object(error);
  return `${getSystemErrorMessage(errno)} (${code}).`;
}
