import { createReadStream } from "node:fs";
import { type FileHandle, open, realpath, truncate } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
import { ConfigurationError } from "../../errors/request.ts";
import { resultColumns } from "./columns.ts";
import { type CsvInput, recordsOf, rowsOf } from "./input.ts";

/** The file of the results. It is the only state of a run: its rows say what is done. */
export interface CsvOutput {
  /** The number of rows that an earlier run has written. */
  readonly done: number;
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
  if ((await realpath(file).catch(() => undefined)) === (await realpath(input.file))) {
    throw new ConfigurationError("--out must be another file than --file.");
  }
  const handle = await openFile(file, overwrite);
  try {
    const done = overwrite ? 0 : await countDone(file, input);
    const { size } = await handle.stat();
    if (size === 0) await handle.appendFile(headerOf(input));
    return {
      done,
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

/** Only its owner may read it: it has names and VPAs. */
async function openFile(file: string, overwrite: boolean): Promise<FileHandle> {
  try {
    const handle = await open(file, "a+", 0o600);
    if (overwrite) {
      await handle.truncate();
      await handle.chmod(0o600);
    }
    return handle;
  } catch (error) {
    throw new ConfigurationError(`--out: ${file} could not be opened (${Object(error).code}).`);
  }
}

/** Counts the rows that are done, after comparing each with its row of the input. */
async function countDone(file: string, input: CsvInput): Promise<number> {
  const { end, size, start } = await scan(file);
  const header = Buffer.from(headerOf(input));
  // A crash may have cut the header itself.
  if (end === 0 && header.subarray(0, size).equals(start)) {
    await truncate(file);
    return 0;
  }
  if (!start.subarray(0, header.length).equals(header)) throw foreign(file, "its header is not that of these results");
  if (end < size) await truncate(file, end);
  return compareRows(file, input);
}

async function compareRows(file: string, input: CsvInput): Promise<number> {
  const rows = rowsOf(input);
  let done = -1;
  try {
    for await (const fields of recordsOf({ file, delimiter: input.delimiter })) {
      if (++done === 0) continue;
      const { value: row } = await rows.next();
      if (row === undefined) throw foreign(file, "it has more rows than the input");
      const width = input.header.length + resultColumns(input.header).length;
      if (fields.length !== width || row.some((field: string, index: number) => field !== fields[index])) {
        throw foreign(file, `its row ${done} is not that of the input`);
      }
    }
    return Math.max(done, 0);
  } finally {
    await rows.return(undefined);
  }
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
