import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { buffer } from "node:stream/consumers";
import { parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import { ConfigurationError } from "../../errors/request.ts";
import { similarName } from "../../shared/unknown-names.ts";

/** A CSV file whose form was checked. */
export interface CsvInput {
  readonly file: string;
  readonly delimiter: string;
  /** Whether it begins with a byte order mark, which spreadsheets look for. */
  readonly hasBom: boolean;
  readonly header: readonly string[];
  readonly mobileIndex: number;
  readonly consentIndex: number | undefined;
  readonly count: number;
  /** The numbers that a spreadsheet has shortened: how many, and the line of the first. */
  readonly shortened: { readonly count: number; readonly first: number | undefined };
}

/**
 * Reads the whole file once, and checks its form before the first request is sent.
 *
 * @throws ConfigurationError if it cannot be read, is not CSV, or lacks the column.
 */
export async function openInput(
  file: string,
  {
    column = "mobile",
    consentColumn,
    delimiter,
  }: Partial<Record<"column" | "consentColumn" | "delimiter", string | undefined>> = {},
): Promise<CsvInput> {
  if (file === "-") {
    throw new ConfigurationError("--file: standard input cannot be read twice, which this needs. Save it to a file.");
  }
  const start = await readStart(file);
  if (/^\uFEFF?"?sep=/i.test(start)) {
    throw new ConfigurationError(
      '--file: the first line is "sep=", which is for a spreadsheet alone. Remove that line.',
    );
  }
  const form = { file, delimiter: delimiter ?? delimiterOf(start) };
  let header: readonly string[] | undefined;
  let consentIndex: number | undefined;
  let [mobileIndex, count, shortened] = [0, 0, { count: 0, first: undefined as number | undefined }];
  for await (const { fields, line } of recordsOf(form)) {
    if (header === undefined) {
      header = fields;
      mobileIndex = indexOf("--column", column, header);
      if (consentColumn !== undefined) consentIndex = indexOf("--consent-column", consentColumn, header);
      continue;
    }
    count++;
    if (isShortened(fields[mobileIndex] ?? "")) {
      shortened = { count: shortened.count + 1, first: shortened.first ?? line };
    }
  }
  if (header === undefined) throw new ConfigurationError(`--file: ${file} is empty. Its first row must be a header.`);
  return { ...form, hasBom: start.startsWith("\uFEFF"), header, mobileIndex, consentIndex, count, shortened };
}

/**
 * The rows of a file below its header, each as wide as that.
 *
 * @throws ConfigurationError also if it has another header or number of rows than before.
 */
export async function* rowsOf(input: CsvInput): AsyncGenerator<readonly string[]> {
  const { file, header, count } = input;
  const changed = new ConfigurationError(
    `--file: ${file} was changed while it was read. Leave it as it is until the end.`,
  );
  let index = -1;
  for await (const { fields } of recordsOf(input)) {
    if (index === -1 ? fields.join("\n") !== header.join("\n") : index >= count) throw changed;
    if (index >= 0) yield [...fields, ...Array(header.length - fields.length).fill("")];
    index++;
  }
  if (index < count) throw changed;
}

/** All records of a file, each with the line in which it ends, from 1. */
async function* recordsOf({ file, delimiter }: Pick<CsvInput, "file" | "delimiter">) {
  const form = { delimiter, record_delimiter: ["\r\n", "\n", "\r"], bom: true, skip_empty_lines: true };
  const parser = parse({ ...form, relax_column_count_less: true, info: true });
  pipeline(createReadStream(file), decode, parser, () => {});
  try {
    for await (const { record, info } of parser)
      yield { fields: record as readonly string[], line: Number(info.lines) };
  } catch (error) {
    throw new ConfigurationError(`${file}: ${problemOf(error)}`);
  }
}

/** Refuses other encodings: what is not UTF-8 would come out changed. In UTF-16 every other byte is zero. */
async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for await (const chunk of chunks) {
    if (chunk.includes(0)) throw Object.assign(new Error("zero bytes"), { code: notUtf8 });
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

const notUtf8 = "ERR_ENCODING_INVALID_ENCODED_DATA";

/** The messages of csv-parse quote the row. */
function problemOf(error: unknown): string {
  const { code, lines } = Object(error);
  const inside = `line ${lines} has a quote inside a field. Put quotes around the whole field, and double the one inside ("").`;
  const problems: Readonly<Record<string, string>> = {
    ENOENT: "the file does not exist.",
    [notUtf8]: "the file is not UTF-8. Save it as CSV UTF-8.",
    CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: `line ${lines} has more fields than the header.`,
    INVALID_OPENING_QUOTE: inside,
    CSV_INVALID_CLOSING_QUOTE: inside,
    CSV_QUOTE_NOT_CLOSED: "the last field does not end. A quote is missing there or further above.",
    CSV_MAX_RECORD_SIZE: `line ${lines} does not end. Is a quote missing?`,
  };
  if (Object.hasOwn(problems, code)) return `${problems[code]}`;
  return String(code).startsWith("CSV_")
    ? `line ${lines} is not valid CSV (${code}).`
    : `the file could not be read (${code ?? "unknown error"}).`;
}

export async function readStart(file: string): Promise<string> {
  try {
    return (await buffer(createReadStream(file, { end: 65_535 }))).toString();
  } catch (error) {
    throw new ConfigurationError(`--file: ${file}: ${problemOf(error)}`);
  }
}

/** Returns the delimiter that the first line has most of, outside of quotes. */
function delimiterOf(start: string): string {
  const [line = ""] = start.replaceAll(/"[^"]*"/g, "").match(/[^\r\n\uFEFF].*/) ?? [];
  const countOf = (delimiter: string) => line.split(delimiter).length;
  return [",", ";", "\t", "|"].reduce((best, one) => (countOf(one) > countOf(best) ? one : best));
}

function indexOf(flag: string, column: string, header: readonly string[]): number {
  const index = header.indexOf(column);
  if (index >= 0 && header.indexOf(column, index + 1) === -1) return index;
  if (index >= 0) throw new ConfigurationError(`${flag}: the file has several columns "${column}".`);
  if (header.some(isData)) {
    throw new ConfigurationError(
      `${flag}: the file has no column "${column}". Its first row (${header.length} columns) must be a header, and seems to be data.`,
    );
  }
  const similar = similarName(column, header);
  const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
  const list = header.slice(0, 20).map((name) => `"${name}"`);
  throw new ConfigurationError(`${flag}: the file has no column "${column}".${hint} It has: ${list.join(", ")}.`);
}

/** Whether a cell of the first row is a number or an address of somebody, which no message may quote. */
function isData(cell: string): boolean {
  return /\d{7}|@/.test(cell.replace(/[\s()+.-]/g, "")) || isShortened(cell);
}

/** Whether a spreadsheet has written a number as `6E+09`: its digits are lost. */
export function isShortened(number: string): boolean {
  return /^\s*\d(?:[.,]\d*)?E\+?\d{1,2}\s*$/i.test(number);
}

/**
 * Returns the mobile number of a cell without what spreadsheets and data tools add to a number: a `'` before it or
 * `="…"` around it, which mark it as text, and `.0` behind its ten digits.
 */
export function mobileOf(cell: string): string {
  const text = cell.trim().replace(/^="([^"]*)"$|^'/, "$1");
  return text.replace(/^(\+?\d{10,14})[.,]0{1,6}$/, "$1");
}

/**
 * Formats one row of CSV. Results are quoted if the delimiter is not a comma, so that they stay whole in a program that
 * splits at commas as well.
 */
export function formatRow(fields: readonly string[], cells: readonly string[], delimiter: string): string {
  const isResult = (index: number) => index >= fields.length;
  const string = (value: string, { index }: { readonly index: number }) => ({ value, quoted: isResult(index) });
  return stringify([[...fields, ...cells]], {
    delimiter,
    quoted_match: "\r",
    ...(delimiter !== "," && { cast: { string } }),
  });
}

/**
 * Puts a ' before what a spreadsheet would run as a formula, also behind characters that it ignores, and with signs of
 * full width. The middle of a cell is the start of one if a file is split at another delimiter than its own.
 */
export function withoutFormula(cell: string): string {
  const safe = cell.replaceAll(formula, (all: string, ignored: string, sign: string, offset: number) => {
    const isStart = offset === 0 && !ignored.endsWith("'");
    return isStart || /[,;|\t\r\n]/.test(ignored) ? `${ignored}'${sign}` : all;
  });
  return /^[\t\r\n]/.test(cell) ? `'${safe}` : safe;
}

// Without the look-behind, a long run of spaces would be read again from each of them.
const formula = /(?<![\s\p{Cf}\p{Cc},;|"'])([\s\p{Cf}\p{Cc},;|"']*)([=+\-@＝＋－＠])/gu;
