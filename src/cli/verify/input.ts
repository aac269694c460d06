import { parse as parseAll } from "csv-parse/sync";
import { ConfigurationError } from "../../errors/request.ts";
import { similarName } from "../../shared/unknown-names.ts";
import { isShortened } from "./explain.ts";
import { lineEnds, readStart, recordsOf } from "./records.ts";

/** A CSV file whose form was checked. */
export interface CsvInput {
  readonly file: string;
  readonly delimiter: string;
  /** Whether it begins with a byte order mark, which spreadsheets look for. */
  readonly hasBom: boolean;
  readonly header: readonly string[];
  /** The index of the column with the mobile numbers. */
  readonly mobileIndex: number;
  /** The number of rows below the header. */
  readonly count: number;
  /** The numbers that a spreadsheet has shortened: how many, and the line of the first. */
  readonly shortened: { readonly count: number; readonly first: number | undefined };
}

const delimiters = [",", ";", "\t", "|"];

/**
 * Reads the whole file once, and checks its form before the first request is sent.
 *
 * @throws ConfigurationError if it cannot be read, is not CSV, or lacks the column.
 */
export async function openInput(file: string, column = "mobile", delimiter?: string): Promise<CsvInput> {
  if (file === "-") {
    throw new ConfigurationError("--file: standard input cannot be read twice, which this needs. Save it to a file.");
  }
  const start = await readStart(file);
  if (/^\uFEFF?"?sep=/i.test(start)) {
    throw new ConfigurationError(
      '--file: the first line is "sep=", which is for a spreadsheet alone. Remove that line.',
    );
  }
  const hasBom = start.startsWith("\uFEFF");
  const found = { file, hasBom, delimiter: delimiter ?? detectDelimiter(start) };
  let header: readonly string[] | undefined;
  let [mobileIndex, count, shortened] = [0, 0, { count: 0, first: undefined as number | undefined }];
  for await (const { fields, line } of recordsOf(found)) {
    if (header === undefined) {
      header = fields;
      mobileIndex = indexOf(column, header);
      continue;
    }
    count++;
    if (isShortened(fields[mobileIndex] ?? ""))
      shortened = { count: shortened.count + 1, first: shortened.first ?? line };
  }
  if (header === undefined) throw new ConfigurationError(`--file: ${file} is empty. Its first row must be a header.`);
  return { ...found, header, mobileIndex, count, shortened };
}

/**
 * The rows of a file below its header, each as wide as that.
 *
 * @throws ConfigurationError also if it has another header or number of rows than before.
 */
export async function* rowsOf(input: CsvInput): AsyncGenerator<readonly string[]> {
  const { file, header, count } = input;
  let index = -1;
  for await (const { fields } of recordsOf(input)) {
    const isSame = index === -1 ? fields.join("\n") === header.join("\n") : index < count;
    if (!isSame) throw changedError(file);
    if (index >= 0) yield [...fields, ...Array(header.length - fields.length).fill("")];
    index++;
  }
  if (index < count) throw changedError(file);
}

function changedError(file: string): ConfigurationError {
  return new ConfigurationError(`--file: ${file} was changed while it was read. Leave it as it is until the end.`);
}

/** Returns the delimiter that gives the header the most fields. */
function detectDelimiter(start: string): string {
  const widths = delimiters.map((delimiter) => {
    try {
      const [header = []]: string[][] = parseAll(start, {
        delimiter,
        record_delimiter: lineEnds,
        bom: true,
        to: 1,
        skip_empty_lines: true,
      });
      return header.length;
    } catch {
      return 0;
    }
  });
  return delimiters[widths.indexOf(Math.max(...widths))] ?? ",";
}

function indexOf(column: string, header: readonly string[]): number {
  const index = header.indexOf(column);
  if (index >= 0 && header.indexOf(column, index + 1) === -1) return index;
  if (index >= 0) throw new ConfigurationError(`--column: the file has several columns "${column}".`);
  if (header.some(isData)) {
    throw new ConfigurationError(
      `--column: the file has no column "${column}". Its first row (${header.length} columns) must be a header, and seems to be data.`,
    );
  }
  const similar = similarName(column, header);
  const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
  const list = header.slice(0, 20).map((name) => `"${name}"`);
  throw new ConfigurationError(`--column: the file has no column "${column}".${hint} It has: ${list.join(", ")}.`);
}

/** Whether a cell of the first row is a number or an address of somebody, which no message may quote. */
function isData(cell: string): boolean {
  return /\d{7}|@/.test(cell.replace(/[\s()+.-]/g, "")) || isShortened(cell);
}
