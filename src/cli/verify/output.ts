import { createReadStream } from "node:fs";
import { type FileHandle, lstat, open, stat, truncate } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
import { ConfigurationError } from "../../errors/request.ts";
import { noRows, resultColumns, type Status, withoutFormula, writtenValue } from "./columns.ts";
import { type CsvInput, recordsOf, rowsOf } from "./input.ts";

/** The file of the results. It is the only state of a run: its rows say what is done. */
export interface CsvOutput {
  /** The rows that an earlier run has written, by their status. */
  readonly before: Readonly<Record<Status, number>>;
  append(fields: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the file of the results, and continues it if an earlier run was interrupted: a row that was half written is cut
 * off.
 *
 * @throws ConfigurationError if the file belongs to another input.
 */
export async function openOutput(file: string, input: CsvInput, overwrite: boolean): Promise<CsvOutput> {
  const handle = await openFile(file, input.file, overwrite);
  try {
    const before = overwrite ? noRows() : await readDone(file, input);
    const { size } = await handle.stat();
    if (size === 0) await handle.appendFile(headerOf(input));
    return {
      before,
      append: (fields) => handle.appendFile(formatRow(fields, input.delimiter)),
      async close() {
        await handle.datasync();
        await handle.close();
      },
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Formats one row of CSV. */
export function formatRow(fields: readonly string[], delimiter: string): string {
  return stringify([[...fields]], { delimiter });
}

/** Returns the first line of the results. */
export function headerOf({ header, delimiter, hasBom }: CsvInput): string {
  return `${hasBom ? "\uFEFF" : ""}${formatRow([...header, ...resultColumns(header)], delimiter)}`;
}

/**
 * Opens the file of the results, whose names and VPAs only its owner may read. Nothing is done to a file that is the
 * input, also by another name, or a device.
 */
async function openFile(file: string, input: string, overwrite: boolean): Promise<FileHandle> {
  const handle = await openOwn(file);
  try {
    const [own, other] = await Promise.all([handle.stat(), stat(input)]);
    if (own.ino === other.ino && own.dev === other.dev) {
      throw new ConfigurationError("--out must be another file than --file.");
    }
    await handle.chmod(0o600);
    if (overwrite) await handle.truncate();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Follows no symbolic link: the file that it leads to is not meant. */
async function openOwn(file: string): Promise<FileHandle> {
  const kind = await lstat(file).catch(() => undefined);
  if (kind !== undefined && !kind.isFile()) {
    throw new ConfigurationError(`--out: ${file} is a link, a folder or a device. Name a file.`);
  }
  try {
    return await open(file, "a+", 0o600);
  } catch (error) {
    throw new ConfigurationError(`--out: ${file} could not be opened (${Object(error).code}).`);
  }
}

/** Returns the rows that are done, by their status, after comparing each with its row of the input. */
async function readDone(file: string, input: CsvInput): Promise<Record<Status, number>> {
  const { end, size, start } = await scan(file);
  const header = Buffer.from(headerOf(input));
  // A crash may have cut the header itself.
  if (end === 0 && header.subarray(0, size).equals(start)) {
    await truncate(file);
    return noRows();
  }
  if (!start.subarray(0, header.length).equals(header)) throw foreign(file, "its header is not that of these results");
  if (end < size) await truncate(file, end);
  return compareRows(file, input);
}

async function compareRows(file: string, input: CsvInput): Promise<Record<Status, number>> {
  const rows = rowsOf(input);
  const counts = noRows();
  let line = -1;
  try {
    for await (const fields of recordsOf({ file, delimiter: input.delimiter })) {
      if (++line === 0) continue;
      const { value: row } = await rows.next();
      if (row === undefined) throw foreign(file, "it has more rows than the input");
      counts[requireSame(file, line, fields, { input, row })]++;
    }
    return counts;
  } finally {
    await rows.return(undefined);
  }
}

/** Returns the status of a row that is that of the input, and of the same column. */
function requireSame(
  file: string,
  line: number,
  fields: readonly string[],
  { input, row }: { readonly input: CsvInput; readonly row: readonly string[] },
): Status {
  const { header, mobileIndex } = input;
  if (fields.length !== header.length + resultColumns(header).length || row.some((field, i) => field !== fields[i])) {
    throw foreign(file, `its row ${line} is not that of the input`);
  }
  if (writtenValue("looked_up", fields, header) !== withoutFormula(row[mobileIndex] ?? "")) {
    throw foreign(file, `its row ${line} is of another --column`);
  }
  const status = writtenValue("status", fields, header);
  if (Object.hasOwn(noRows(), status)) return status as Status;
  throw foreign(file, `its row ${line} has the status "${status.slice(0, 20)}"`);
}

function foreign(file: string, reason: string): ConfigurationError {
  return new ConfigurationError(
    `--out: ${file} does not belong to this file: ${reason}. Choose another, or replace it with --overwrite.`,
  );
}

const quote = 0x22;
const newline = 0x0a;

/**
 * Finds the end of the last whole row. Quotes in a field are doubled, so that an even number of them is outside of all
 * fields.
 */
async function scan(file: string): Promise<{ end: number; size: number; start: Buffer }> {
  let [size, end, isQuoted] = [0, 0, false];
  let start = Buffer.alloc(0);
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    if (start.length < maxHeader) start = Buffer.concat([start, chunk]);
    for (const byte of chunk) {
      size++;
      if (byte === quote) isQuoted = !isQuoted;
      else if (byte === newline && !isQuoted) end = size;
    }
  }
  return { end, size, start };
}

const maxHeader = 1024 * 1024;
