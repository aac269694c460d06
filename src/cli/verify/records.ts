import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { type Options, parse } from "csv-parse";
import { ConfigurationError } from "../../errors/request.ts";

/** The line ends of a CSV file, which may have several of them. */
export const lineEnds = ["\r\n", "\n", "\r"];

/** A record of a file. */
export interface CsvRecord {
  readonly fields: readonly string[];
  /** The line in which it ends, from 1. */
  readonly line: number;
}

/** A file, or its first bytes. */
interface CsvPart {
  readonly file: string;
  readonly delimiter: string;
  /** The number of these bytes; at least 1. */
  readonly end?: number | undefined;
}

/**
 * All records of a file.
 *
 * @throws ConfigurationError if it cannot be read, is not UTF-8 or not CSV.
 */
export async function* recordsOf({ file, delimiter, end }: CsvPart): AsyncGenerator<CsvRecord> {
  const form: Options = { delimiter, record_delimiter: lineEnds, bom: true, skip_empty_lines: true };
  const options: Options = { ...form, relax_column_count_less: true, info: true };
  const parser = parse(options);
  pipeline(createReadStream(file, end === undefined ? {} : { end: end - 1 }), decode, parser, () => {});
  try {
    for await (const { record, info } of parser) yield { fields: record, line: info.lines };
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
  if (code === "ENOENT") return "the file does not exist.";
  if (code === notUtf8) return "the file is not UTF-8. Save it as CSV UTF-8.";
  if (code === "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH") return `line ${lines} has more fields than the header.`;
  if (code === "INVALID_OPENING_QUOTE" || code === "CSV_INVALID_CLOSING_QUOTE") {
    return `line ${lines} has a quote inside a field. Put quotes around the whole field, and double the one inside ("").`;
  }
  if (code === "CSV_QUOTE_NOT_CLOSED") return "the last field does not end. A quote is missing there or further above.";
  if (code === "CSV_MAX_RECORD_SIZE") return `line ${lines} does not end. Is a quote missing?`;
  if (String(code).startsWith("CSV_")) return `line ${lines} is not valid CSV (${code}).`;
  return `the file could not be read (${code ?? "unknown error"}).`;
}

/** Returns the start of a file. */
export async function readStart(file: string): Promise<string> {
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
