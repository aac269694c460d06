import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { ConfigurationError } from "../../errors/request.ts";
import { similarName } from "../../shared/unknown-names.ts";
import { decodeText, readBytes } from "../shared/input.ts";

export type CsvInput = ReturnType<typeof openInput>;

/** Reads the whole file, and checks its form before the first request is sent. */
export function openInput(file: string, flags: Partial<Record<"column" | "consentColumn", string | undefined>> = {}) {
  const { column = "mobile", consentColumn } = flags;
  if (file === "-") {
    throw new ConfigurationError(
      "--file: the results are saved beside the file, and standard input has no place. Save it to a file.",
    );
  }
  const bytes = readBytes("--file: the file", file);
  const start = bytes.toString("utf8", 0, 65_536);
  const delimiter = delimiterOf(start);
  const [head, ...records] = readRecords(bytes, file, delimiter);
  if (head === undefined) throw new ConfigurationError(`--file: ${file} is empty. Its first row must be a header.`);
  const header = head.record;
  /** The rows below the header, each as wide as that. */
  const rows = records.map(({ record }) => [...record, ...Array<string>(header.length - record.length).fill("")]);
  const mobileIndex = indexOf("--column", column, header);
  const consentIndex = consentColumn === undefined ? undefined : indexOf("--consent-column", consentColumn, header);
  /** Whether it begins with a byte order mark, which spreadsheets look for. */
  const hasBom = start.startsWith("\uFEFF");
  return { file, delimiter, hasBom, header, rows, mobileIndex, consentIndex };
}

interface CsvRecord {
  readonly record: readonly string[];
  /** The line in which it ends, from 1. */
  readonly info: { readonly lines: number };
}

export function readRecords(bytes: Uint8Array, file: string, delimiter: string): readonly CsvRecord[] {
  const text = decodeText(bytes, `${file}: the file`, "CSV UTF-8");
  try {
    const form = { delimiter, record_delimiter: ["\r\n", "\n", "\r"], skip_empty_lines: true };
    const records: unknown = parse(text, { ...form, relax_column_count_less: true, info: true });
    return records as readonly CsvRecord[];
  } catch (error) {
    throw new ConfigurationError(`${file}: ${problemOf(error)}`);
  }
}

/** The messages of csv-parse quote the row. */
function problemOf(error: unknown): string {
  const { code, lines } = Object(error);
  const inside = `line ${lines} has a quote inside a field. Put quotes around the whole field, and double the one inside ("").`;
  const problems: Readonly<Record<string, string>> = {
    CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: `line ${lines} has more fields than the header.`,
    INVALID_OPENING_QUOTE: inside,
    CSV_INVALID_CLOSING_QUOTE: inside,
    CSV_QUOTE_NOT_CLOSED: "the last field does not end. A quote is missing there or further above.",
  };
  return problems[code] ?? `line ${lines} is not valid CSV (${code}).`;
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
  // A number or an address of somebody, which no message may quote.
  const isData = (cell: string) => /\d{7}|@/.test(cell.replace(/[\s()+.-]/g, "")) || isShortened(cell);
  if (header.some(isData)) {
    const what = `Its first row (${header.length} columns) must be a header, and seems to be data.`;
    throw new ConfigurationError(`${missing} ${what}`);
  }
  const similar = similarName(column, header);
  const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
  const list = header.slice(0, 20).map((name) => `"${name}"`);
  throw new ConfigurationError(`${missing}${hint} It has: ${list.join(", ")}.`);
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
