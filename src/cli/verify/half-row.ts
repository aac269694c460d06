import { open } from "node:fs/promises";
import { formatRow } from "./rows.ts";

/** The end of a file of results, behind its last whole row. */
export interface HalfRow {
  readonly file: string;
  /** The place where it begins. */
  readonly end: number;
  readonly delimiter: string;
  /** The row of the input that it is of; undefined if there is none. */
  readonly row: readonly string[] | undefined;
  readonly after: readonly string[] | undefined;
}

/** No result is as long. */
const longestResult = 1024 * 1024;

/**
 * Cuts off a row that was half written. More than that is left as it is: behind a quote that somebody has added, all
 * rows that follow look like one field.
 *
 * @returns Whether it was that.
 */
export async function cutOffHalfRow({ file, end, delimiter, row, after }: HalfRow): Promise<boolean> {
  if (row === undefined) return false;
  const handle = await open(file, "r+");
  try {
    const start = startOf(row, delimiter);
    const size = start.length + longestResult;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, end);
    const written = buffer.subarray(0, bytesRead);
    const length = Math.min(bytesRead, start.length);
    if (bytesRead === size || !written.subarray(0, length).equals(start.subarray(0, length))) return false;
    if (after !== undefined && written.includes(`\n${startOf(after, delimiter)}`, start.length)) return false;
    await handle.truncate(end);
    return true;
  } finally {
    await handle.close();
  }
}

/** The fields of the input, with which each row of the results begins. */
function startOf(row: readonly string[], delimiter: string): Buffer {
  return Buffer.from(`${formatRow(row, [], delimiter).slice(0, -1)}${delimiter}`);
}
