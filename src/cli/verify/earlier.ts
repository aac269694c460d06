import { createReadStream } from "node:fs";
import { parse } from "csv-parse/sync";
import { ConfigurationError } from "../../errors/request.ts";
import { normalizeMobile } from "../../verification/rules.ts";
import { type CsvInput, formatRow, mobileOf, rowsOf, withoutFormula } from "./csv.ts";
import { addRow, cellOf, isStatus, isUnusable, noRows, resultColumns, type Status, type Tally } from "./results.ts";

/** The rows that earlier runs have written. */
export interface EarlierRows {
  /** The number of whole rows. */
  readonly count: number;
  /** The bytes of these rows and the header: what follows is half a row. */
  readonly size: number;
  readonly tally: Tally;
  /** Those that are pending or failed, or corrected in the input: their indices, in order, with their status. */
  readonly open: ReadonlyMap<number, Status>;
  /** A number that the service responded to. Another one in each run: it may fail from now on. */
  readonly known?: string | undefined;
}

export const noEarlierRows = (): EarlierRows => ({ count: 0, size: 0, tally: noRows(), open: new Map() });

export function headerOf({ header, delimiter, hasBom }: CsvInput): string {
  return `${hasBom ? "\uFEFF" : ""}${formatRow(header, resultColumns(header), delimiter)}`;
}

/**
 * Returns the rows of earlier runs, after comparing each with its row of the input: it must have the bytes that this
 * command writes for it.
 *
 * @param canCorrect - Whether the input may have another row for one that is invalid or notFound.
 * @throws ConfigurationError if the file belongs to another input, or another program has written it.
 */
export async function readEarlierRows(file: string, input: CsvInput, canCorrect: boolean): Promise<EarlierRows> {
  const [written, rows] = [writtenRows(file), rowsOf(input)];
  const next = async () => (await rows.next()).value as readonly string[] | undefined;
  const [tally, open] = [noRows(), new Map<number, Status>()];
  let [count, size, line, known] = [0, 0, 1, undefined as string | undefined];
  try {
    const header = latin1(headerOf(input));
    const { value: first = { text: "", isWhole: false } } = await written.next();
    if (!first.isWhole && header.startsWith(first.text)) return noEarlierRows();
    if (first.text !== header) throw foreign(file, "its header is not the one of these results");
    size = header.length;
    line = linesIn(header);
    for await (const { text, isWhole } of written) {
      line += linesIn(text);
      const row = await next();
      if (row === undefined) throw foreign(file, "it has more rows than the input");
      if (!isWhole) {
        if (isHalfRow(text, row, await next(), input)) break;
        throw foreign(file, `its row ${count + 1} differs from the input, or has a quote that does not end`);
      }
      const fields = fieldsOf(file, text, line, input);
      const cells = fields.slice(input.header.length);
      const status = cellOf("status", cells) as Status;
      const isSame = isSameRow(fields, row, input);
      if (!isSame) requireCorrected(file, { fields, line, status }, row, input, canCorrect);
      addRow(tally, cells);
      if (!isSame || status === "pending" || status === "failed") open.set(count, status);
      const isKnown = isSame && (status === "found" || status === "notFound");
      if (isKnown && Math.random() * (tally.found + tally.notFound) < 1) known = row[input.mobileIndex];
      count++;
      size += text.length;
    }
    return { count, size, tally, open, known };
  } finally {
    await Promise.all([written.return(undefined), rows.return(undefined)]);
  }
}

/** No row is as long: behind a quote that somebody has added, all rows that follow look like one. */
const maxRow = 8 * 1024 * 1024;

/**
 * The rows of a file of results, header included, with a character for each byte: the last one may be cut in the middle
 * of a character. A line end outside of quotes ends a row, and quotes in a field are doubled.
 */
export async function* writtenRows(
  file: string,
): AsyncGenerator<{ readonly text: string; readonly isWhole: boolean }, undefined> {
  let [text, isQuoted] = ["", false];
  for await (const chunk of createReadStream(file, "latin1") as AsyncIterable<string>) {
    for (const part of chunk.split(/(?<=\n)/)) {
      text += part;
      if (part.split('"').length % 2 === 0) isQuoted = !isQuoted;
      if (!isQuoted && part.endsWith("\n")) {
        yield { text, isWhole: true };
        text = "";
      }
    }
    if (text.length > maxRow) break;
  }
  if (text !== "") yield { text, isWhole: false };
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}

/** Whether the end of a file is a row that was half written, and nothing more. */
function isHalfRow(
  text: string,
  row: readonly string[],
  after: readonly string[] | undefined,
  { delimiter }: CsvInput,
): boolean {
  const startOf = (fields: readonly string[]) => latin1(formatRow(fields, [], delimiter).slice(0, -1)) + delimiter;
  const start = startOf(row);
  if (text.length > maxRow || !(start.startsWith(text) || text.startsWith(start))) return false;
  return after === undefined || !text.includes(`\n${startOf(after)}`, start.length);
}

/** Returns the fields of a row, which has to be as this command writes it. */
function fieldsOf(file: string, text: string, line: number, { header, delimiter }: CsvInput): readonly string[] {
  let fields: readonly string[] = [];
  try {
    [fields = []] = parse(Buffer.from(text, "latin1"), { delimiter, record_delimiter: "\n" }) as string[][];
  } catch {
    // It is refused below: the messages of csv-parse quote the row.
  }
  const cells = fields.slice(header.length);
  if (fields.length > 0 && cells.length !== resultColumns(header).length) {
    throw foreign(file, `its line ${line} differs from the input`);
  }
  // This command says why an account must not be paid: somebody has filled up half a row.
  const isOwn = isStatus(cellOf("status", cells)) && !(isUnusable(cells) && cellOf("error", cells) === "");
  if (isOwn && latin1(formatRow(fields.slice(0, header.length), cells, delimiter)) === text) return fields;
  throw foreign(file, `its line ${line} is not as this command writes it: another program has saved it again`);
}

function isSameRow(fields: readonly string[], row: readonly string[], { header, mobileIndex }: CsvInput): boolean {
  const number = row[mobileIndex] ?? "";
  const lookedUp = cellOf("looked_up", fields.slice(header.length));
  return (lookedUp === number || lookedUp === withoutFormula(number)) && row.every((field, i) => field === fields[i]);
}

/** Refuses a row that differs from the input, unless it found no account and is to be looked up again. */
function requireCorrected(
  file: string,
  { fields, line, status }: { readonly fields: readonly string[]; readonly line: number; readonly status: Status },
  row: readonly string[],
  { header, mobileIndex }: CsvInput,
  canCorrect: boolean,
): void {
  const normalized = (cell = "") => normalizeMobile(mobileOf(cell));
  // "Not found" is the result of a number, and another number has none yet.
  const isCorrectable =
    status === "notFound" ? normalized(fields[mobileIndex]) !== normalized(row[mobileIndex]) : status === "invalid";
  if (!isCorrectable) {
    const column = header[row.findIndex((field, index) => field !== fields[index])];
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
