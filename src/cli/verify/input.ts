import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { type Options, parse } from "csv-parse";
import { parse as parseAll } from "csv-parse/sync";
import { ConfigurationError } from "../../errors/request.ts";
import { similarName } from "../../shared/unknown-names.ts";

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
}

const delimiters = [",", ";", "\t", "|"];

/**
 * Reads the whole file once, and checks its form before the first request is sent.
 *
 * @throws ConfigurationError if it cannot be read, is not CSV, or lacks the column.
 */
export async function openInput(file: string, column = "mobile", delimiter?: string): Promise<CsvInput> {
  const start = await readStart(file);
  const hasBom = start.startsWith("\uFEFF");
  const found = { file, hasBom, delimiter: delimiter ?? detectDelimiter(start) };
  let header: readonly string[] | undefined;
  let count = -1;
  for await (const fields of recordsOf(found)) {
    header ??= fields;
    count++;
  }
  if (header === undefined) throw new ConfigurationError(`--file: ${file} is empty. Its first row must be a header.`);
  return { ...found, header, mobileIndex: indexOf(column, header), count };
}

/** The rows of a file below its header, each as wide as that. */
export async function* rowsOf(input: CsvInput): AsyncGenerator<readonly string[]> {
  let isHeader = true;
  for await (const fields of recordsOf(input)) {
    if (!isHeader) yield [...fields, ...Array(input.header.length - fields.length).fill("")];
    isHeader = false;
  }
}

/**
 * All records of a file.
 *
 * @throws ConfigurationError if it cannot be read, is not UTF-8 or not CSV.
 */
export async function* recordsOf(input: Pick<CsvInput, "file" | "delimiter">): AsyncGenerator<string[]> {
  const { file, delimiter } = input;
  const options: Options = { delimiter, bom: true, skip_empty_lines: true, relax_column_count_less: true };
  const parser = parse(options);
  pipeline(createReadStream(file), decode, parser, () => {});
  try {
    yield* parser;
  } catch (error) {
    throw new ConfigurationError(`${file}: ${problemOf(error)}`);
  }
}

/** Refuses other encodings: what is not UTF-8 would come out changed. */
async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** The messages of csv-parse quote the row. */
function problemOf(error: unknown): string {
  const { code, lines } = Object(error);
  if (code === "ENOENT") return "the file does not exist.";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "the file is not UTF-8. Save it as CSV UTF-8.";
  if (code === "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH") return `line ${lines} has more fields than the header.`;
  if (code === "CSV_MAX_RECORD_SIZE") return `line ${lines} does not end. Is a quote missing?`;
  if (String(code).startsWith("CSV_")) return `line ${lines} is not valid CSV (${code}).`;
  return `the file could not be read (${code ?? "unknown error"}).`;
}

async function readStart(file: string): Promise<string> {
  const handle = await open(file).catch((error) => {
    throw new ConfigurationError(`--file: ${file}: ${problemOf(error)}`);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch (error) {
    throw new ConfigurationError(`--file: ${file}: ${problemOf(error)}`);
  } finally {
    await handle.close();
  }
}

/** Returns the delimiter that gives the header the most fields. */
function detectDelimiter(start: string): string {
  const widths = delimiters.map((delimiter) => {
    try {
      const [header = []]: string[][] = parseAll(start, { delimiter, bom: true, to: 1, skip_empty_lines: true });
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
  const similar = similarName(column, header);
  const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
  const list = header.slice(0, 20).map((name) => `"${name}"`);
  throw new ConfigurationError(`--column: the file has no column "${column}".${hint} It has: ${list.join(", ")}.`);
}
