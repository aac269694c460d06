import { createReadStream } from "node:fs";
import { truncate } from "node:fs/promises";
import { ConfigurationError } from "../../errors/request.ts";
import { addCaution, type Cautions, isUnusable, noCautions } from "./cautions.ts";
import { type Counts, noRows } from "./counts.ts";
import { cutOffHalfRow } from "./half-row.ts";
import { type CsvInput, rowsOf } from "./input.ts";
import { type CsvRecord, recordsOf } from "./records.ts";
import { resultColumns, type Status, writtenCell } from "./result-columns.ts";
import { headerOf } from "./rows.ts";
import { differingColumn, isSameNumber, isSameRow } from "./same-row.ts";

/** The rows that earlier runs have written. */
export interface EarlierRows {
  readonly counts: Counts;
  /** Those to look at before paying. */
  readonly cautions: Cautions;
  /** Those that are pending or failed, or corrected in the input: their indices, in order, with their status. */
  readonly open: ReadonlyMap<number, Status>;
  /** A number that the service responded to. Another one in each run: it may fail from now on. */
  readonly known?: string | undefined;
  /** Whether another program has saved the file again, with other line ends, quotes, blank rows, or a byte order mark. */
  readonly isResaved: boolean;
}

/** The rows before the first run. */
export const noEarlierRows = (): EarlierRows => ({
  counts: noRows(),
  cautions: noCautions,
  open: new Map(),
  isResaved: false,
});

/**
 * Returns the rows of earlier runs, after comparing each with its row of the input. A row that was half written is cut
 * off.
 *
 * @param canCorrect - Whether the input may have another row for one that is invalid or notFound.
 * @throws ConfigurationError if the file belongs to another input.
 */
export async function readEarlierRows(file: string, input: CsvInput, canCorrect: boolean): Promise<EarlierRows> {
  const { end, size, start } = await scan(file);
  const header = Buffer.from(headerOf(input));
  // A crash may have cut the header itself.
  if (end === 0 && header.subarray(0, size).equals(start)) {
    await truncate(file);
    return noEarlierRows();
  }
  const isResaved = !start.subarray(0, header.length).equals(header);
  if (isResaved) await requireHeader(file, input);
  // Another program writes whole rows, and may leave out the last line end.
  return compareRows(file, { input, canCorrect }, { end: isResaved ? size : end, size, isResaved });
}

async function requireHeader(file: string, { header, delimiter }: CsvInput): Promise<void> {
  const expected = [...header, ...resultColumns(header)];
  for await (const { fields } of recordsOf({ file, delimiter })) {
    if (fields.length === expected.length && expected.every((name, index) => name === fields[index])) return;
    break;
  }
  throw foreign(file, "its header is not the one of these results");
}

/** The rows of a file of results, without its header, and without the blank rows that a spreadsheet may add. */
export async function* writtenRowsOf(
  file: string,
  { delimiter }: CsvInput,
  { end, onBlank }: WrittenRowsSettings = {},
): AsyncGenerator<CsvRecord> {
  let isHeader = true;
  for await (const record of recordsOf({ file, delimiter, end })) {
    const isBlank = record.fields.every((field) => field.trim() === "");
    if (isBlank) onBlank?.();
    else if (!isHeader) yield record;
    isHeader = false;
  }
}

/** Options of {@link writtenRowsOf}. */
interface WrittenRowsSettings {
  /** The number of bytes to read. @default all */
  readonly end?: number;
  /** Called for each blank row. */
  readonly onBlank?: () => void;
}

/** The input of a run, and whether it may have another row for one that is invalid or notFound. */
interface Compared {
  readonly input: CsvInput;
  readonly canCorrect: boolean;
}

/** @param end - The end of the whole rows in the size of the file. */
async function compareRows(
  file: string,
  compared: Compared,
  { end, size, ...found }: { readonly end: number; readonly size: number; readonly isResaved: boolean },
): Promise<EarlierRows> {
  const { input } = compared;
  const rows = rowsOf(input);
  const counts = noRows();
  const open = new Map<number, Status>();
  let known: string | undefined;
  let [index, cautions, { isResaved }] = [0, noCautions, found];
  const onBlank = () => {
    isResaved = true;
  };
  try {
    for await (const { fields, line } of writtenRowsOf(file, input, { end, onBlank })) {
      const { value: row } = await rows.next();
      if (row === undefined) throw foreign(file, "it has more rows than the input");
      const status = statusOf(file, line, fields, input);
      const isSame = isSameRow(fields, row, input);
      if (!isSame) requireCorrected(file, { fields, line }, { row, status }, compared);
      counts[status]++;
      if (status === "found") cautions = addCaution(cautions, fields, input.header);
      if (!isSame || status === "pending" || status === "failed") open.set(index, status);
      const responses = counts.found + counts.notFound;
      if (isSame && (status === "found" || status === "notFound") && Math.random() * responses < 1) {
        known = row[input.mobileIndex];
      }
      index++;
    }
    if (end < size) {
      const [row, after] = [(await rows.next()).value, (await rows.next()).value];
      if (!(await cutOffHalfRow({ file, end, row, after, delimiter: input.delimiter }))) {
        throw foreign(file, `its row ${index + 1} differs from the input, or has a quote that does not end`);
      }
    }
    return { counts, cautions, open, known, isResaved };
  } finally {
    await rows.return(undefined);
  }
}

/** Returns the status of a row that has the columns of these results. */
function statusOf(file: string, line: number, fields: readonly string[], { header }: CsvInput): Status {
  if (fields.length !== header.length + resultColumns(header).length) {
    throw foreign(file, `its line ${line} differs from the input`);
  }
  const status = writtenCell("status", fields, header);
  // The rest of a row that was cut off, and that a spreadsheet has filled up: a whole one says why not to pay.
  if (isUnusable(fields, header) && writtenCell("error", fields, header) === "") return "failed";
  if (Object.hasOwn(noRows(), status)) return status as Status;
  throw foreign(file, `its line ${line} has the status "${status.slice(0, 20)}"`);
}

/** Refuses a row that differs from the input, unless it found no account and is to be looked up again. */
function requireCorrected(
  file: string,
  { fields, line }: CsvRecord,
  { row, status }: { readonly row: readonly string[]; readonly status: Status },
  { input, canCorrect }: Compared,
): void {
  const { mobileIndex } = input;
  // "Not found" is the result of a number, and another number has none yet.
  const isSame = isSameNumber(fields[mobileIndex] ?? "", row[mobileIndex] ?? "");
  const isCorrectable = status === "notFound" ? !isSame : status === "invalid";
  if (!isCorrectable) {
    const column = differingColumn(fields, row, input);
    const difference = column === undefined ? ", or is of another --column" : ` in "${column}"`;
    throw foreign(
      file,
      `its line ${line} differs from the input${difference}. A row that is ${status} must stay as it is: put the corrected row into a new file`,
    );
  }
  if (canCorrect) return;
  throw new ConfigurationError(
    `--out: line ${line} of ${file} is ${status}, and the input has another row there. ` +
      "Pass --retry to look up the rows that were corrected.",
  );
}

function foreign(file: string, reason: string): ConfigurationError {
  return new ConfigurationError(
    `--out: ${file} does not belong to this file: ${reason}. Nothing was changed. Undo what was changed in either ` +
      "file, or name another output. --overwrite drops the results.",
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
