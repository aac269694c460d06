import { createReadStream } from "node:fs";
import { truncate } from "node:fs/promises";
import { ConfigurationError } from "../../errors/request.ts";
import { type Counts, noRows } from "./counts.ts";
import { withoutFormula } from "./formula.ts";
import { cutOffHalfRow } from "./half-row.ts";
import { type CsvInput, rowsOf } from "./input.ts";
import { type CsvRecord, recordsOf } from "./records.ts";
import { resultColumns, type Status, writtenCell } from "./result-columns.ts";

/** The rows that earlier runs have written. */
export interface EarlierRows {
  readonly counts: Counts;
  /** Those that are pending or failed: their indices, in order, with their status. */
  readonly open: ReadonlyMap<number, Status>;
}

/**
 * Returns the rows of earlier runs, after comparing each with its row of the input. A row that was half written is cut
 * off.
 *
 * @param expected - The header of the results.
 * @throws ConfigurationError if the file belongs to another input.
 */
export async function readEarlierRows(file: string, input: CsvInput, expected: string): Promise<EarlierRows> {
  const { end, size, start } = await scan(file);
  const header = Buffer.from(expected);
  // A crash may have cut the header itself.
  if (end === 0 && header.subarray(0, size).equals(start)) {
    await truncate(file);
    return { counts: noRows(), open: new Map() };
  }
  if (!start.subarray(0, header.length).equals(header))
    throw foreign(file, "its header is not the one of these results");
  return compareRows(file, input, { end, size });
}

/** The rows of a file of results, without its header. */
export async function* writtenRowsOf(file: string, { delimiter }: CsvInput, end?: number): AsyncGenerator<CsvRecord> {
  let isHeader = true;
  for await (const record of recordsOf({ file, delimiter, end })) {
    if (!isHeader) yield record;
    isHeader = false;
  }
}

/** @param end - The end of the whole rows in the size of the file. */
async function compareRows(
  file: string,
  input: CsvInput,
  { end, size }: { readonly end: number; readonly size: number },
): Promise<EarlierRows> {
  const rows = rowsOf(input);
  const counts = noRows();
  const open = new Map<number, Status>();
  let index = 0;
  try {
    for await (const { fields, line } of writtenRowsOf(file, input, end)) {
      const { value: row } = await rows.next();
      if (row === undefined) throw foreign(file, "it has more rows than the input");
      const status = requireSame(file, line, fields, { input, row });
      counts[status]++;
      if (status === "pending" || status === "failed") open.set(index, status);
      index++;
    }
    if (end < size) {
      const [row, after] = [(await rows.next()).value, (await rows.next()).value];
      if (!(await cutOffHalfRow({ file, end, row, after, delimiter: input.delimiter }))) {
        throw foreign(file, `its row ${index + 1} differs from the input, or has a quote that does not end`);
      }
    }
    return { counts, open };
  } finally {
    await rows.return(undefined);
  }
}

/** Returns the status of a row that equals the row of the input, and has the same column. */
function requireSame(
  file: string,
  line: number,
  fields: readonly string[],
  { input, row }: { readonly input: CsvInput; readonly row: readonly string[] },
): Status {
  const { header, mobileIndex } = input;
  if (fields.length !== header.length + resultColumns(header).length || row.some((field, i) => field !== fields[i])) {
    throw foreign(file, `its line ${line} differs from the input`);
  }
  const number = row[mobileIndex] ?? "";
  if (![number, withoutFormula(number)].includes(writtenCell("looked_up", fields, header))) {
    throw foreign(file, `its line ${line} is of another --column`);
  }
  const status = writtenCell("status", fields, header);
  if (Object.hasOwn(noRows(), status)) return status as Status;
  throw foreign(file, `its line ${line} has the status "${status.slice(0, 20)}"`);
}

function foreign(file: string, reason: string): ConfigurationError {
  return new ConfigurationError(
    `--out: ${file} does not belong to this file: ${reason}. Mend it, choose another, or replace it with --overwrite.`,
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
