import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { buffer } from "node:stream/consumers";
import { parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import { ConfigurationError } from "../../errors/request.ts";
import { similarName } from "../../shared/unknown-names.ts";
import { unreadable } from "../shared/input.ts";

export interface CsvInput {
  readonly file: string;
  readonly delimiter: string;
  /** Whether it begins with a byte order mark, which spreadsheets look for. */
  readonly hasBom: boolean;
  readonly header: readonly string[];
  readonly mobileIndex: number;
  readonly consentIndex: number | undefined;
  readonly count: number;
}

/** Reads the whole file once, and checks its form before the first request is sent. */
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
  const start = await buffer(createReadStream(file, { end: 65_535 })).then(String, (error) => {
    throw new ConfigurationError(unreadable("--file: the file", file, error));
  });
  const form = { file, delimiter: delimiter ?? delimiterOf(start) };
  let header: readonly string[] | undefined;
  let count = 0;
  for await (const { fields } of recordsOf(form)) {
    if (header === undefined) header = fields;
    else count++;
  }
  if (header === undefined) throw new ConfigurationError(`--file: ${file} is empty. Its first row must be a header.`);
  const mobileIndex = indexOf("--column", column, header);
  const consentIndex = consentColumn === undefined ? undefined : indexOf("--consent-column", consentColumn, header);
  return { ...form, hasBom: start.startsWith("\uFEFF"), header, mobileIndex, consentIndex, count };
}

/** The rows of a file below its header, each as wide as that. It must be the file that was opened. */
export async function* rowsOf(input: CsvInput): AsyncGenerator<readonly string[]> {
  const { file, header, count } = input;
  let index = -1;
  let isSame = true;
  for await (const { fields } of recordsOf(input)) {
    isSame = index === -1 ? fields.join("\n") === header.join("\n") : index < count;
    if (!isSame) break;
    if (index >= 0) yield [...fields, ...Array(header.length - fields.length).fill("")];
    index++;
  }
  if (isSame && index === count) return;
  throw new ConfigurationError(`--file: ${file} was changed while it was read. Leave it as it is until the end.`);
}

/** The records of a file as far as its byte `end`, each with the line in which it ends, from 1. */
export async function* recordsOf({ file, delimiter, end }: Pick<CsvInput, "file" | "delimiter"> & { end?: number }) {
  const form = { delimiter, record_delimiter: ["\r\n", "\n", "\r"], bom: true, skip_empty_lines: true };
  const parser = parse({ ...form, relax_column_count_less: true, info: true });
  pipeline(createReadStream(file, end === undefined ? {} : { end }), decode, parser, () => {});
  try {
    for await (const { record, info } of parser) {
      yield { fields: record as readonly string[], line: Number(info.lines) };
    }
  } catch (error) {
    throw new ConfigurationError(problemOf(error, file));
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
function problemOf(error: unknown, file: string): string {
  const { code, lines } = Object(error);
  const inside = `line ${lines} has a quote inside a field. Put quotes around the whole field, and double the one inside ("").`;
  const problems: Readonly<Record<string, string>> = {
    [notUtf8]: "the file is not UTF-8. Save it as CSV UTF-8.",
    CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: `line ${lines} has more fields than the header.`,
    INVALID_OPENING_QUOTE: inside,
    CSV_INVALID_CLOSING_QUOTE: inside,
    CSV_QUOTE_NOT_CLOSED: "the last field does not end. A quote is missing there or further above.",
  };
  if (Object.hasOwn(problems, code)) return `${file}: ${problems[code]}`;
  return String(code).startsWith("CSV_")
    ? `${file}: line ${lines} is not valid CSV (${code}).`
    : unreadable("The file", file, error);
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
  const missing = `${flag}: the file has no column "${column}".`;
  if (header.some(isData)) {
    const what = `Its first row (${header.length} columns) must be a header, and seems to be data.`;
    throw new ConfigurationError(`${missing} ${what}`);
  }
  const similar = similarName(column, header);
  const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
  const list = header.slice(0, 20).map((name) => `"${name}"`);
  throw new ConfigurationError(`${missing}${hint} It has: ${list.join(", ")}.`);
}

/** Whether a cell of the first row is a number or an address of somebody, which no message may quote. */
function isData(cell: string): boolean {
  return /\d{7}|@/.test(cell.replace(/[\s()+.-]/g, "")) || isShortened(cell);
}

/** Whether a spreadsheet has written a number as `6E+09`: its digits are lost. */
export function isShortened(number: string): boolean {
  return /^\s*\d(?:[.,]\d*)?E\+?\d{1,2}\s*$/i.test(number);
}

export function formatRow(fields: readonly string[], delimiter: string): string {
  // A zero byte would make the file one of another encoding.
  const cells = fields.map((field) => field.replaceAll("\0", "\uFFFD"));
  return stringify([cells], { delimiter, quoted_match: "\r" });
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
