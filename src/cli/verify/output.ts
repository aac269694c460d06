import type { Cautions } from "./cautions.ts";
import { type Counts, sumOf } from "./counts.ts";
import { type EarlierRows, noEarlierRows, readEarlierRows } from "./earlier-rows.ts";
import type { CsvInput } from "./input.ts";
import { removeReplacement, resumeReplacement } from "./interrupted-retry.ts";
import { type Lock, lockFile } from "./lock.ts";
import { openOwn } from "./open-own.ts";
import { Replacement } from "./replacement.ts";
import type { Status } from "./result-columns.ts";
import { openResultFile, type ResultFile } from "./result-file.ts";
import { formatRow, headerOf } from "./rows.ts";

/** Options of {@link openOutput}. */
export interface OutputSettings {
  /** Begins it again. @default false */
  readonly overwrite?: boolean | undefined;
  /** Replaces the rows that are pending or failed, or were invalid or notFound and are corrected in the input. @default false */
  readonly retry?: boolean | undefined;
}

/** The file of the results. It is the only state of a run: its rows say what is done. */
export interface CsvOutput {
  /** The number of rows that earlier runs have written. */
  readonly start: number;
  /** Those that this run looks up again: their indices, in order, with their status. */
  readonly again: ReadonlyMap<number, Status>;
  /** The rows of earlier runs that are still there, by their status. */
  readonly before: Readonly<Counts>;
  /** Those to look at before paying. They are not looked up again. */
  readonly cautions: Cautions;
  /** A number that the service responded to in an earlier run. */
  readonly known?: string | undefined;
  /** Writes the row of an index: one of `again`, or the next one. */
  write(index: number, fields: readonly string[], cells: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the file of the results, and continues it if an earlier run was interrupted: a row that was half written is cut
 * off.
 *
 * @throws ConfigurationError if the file belongs to another input, or another process writes it.
 */
export async function openOutput(
  file: string,
  input: CsvInput,
  { overwrite = false, retry = false }: OutputSettings = {},
): Promise<CsvOutput> {
  await (await openOwn(file, input.file)).close();
  const lock = await lockFile(file);
  try {
    const earlier = overwrite ? await emptied(file, input.file) : await continued(file, input, lock, retry);
    const again = retry ? earlier.open : new Map();
    const output =
      again.size > 0 || earlier.isResaved
        ? Replacement.open(file, { input, count: sumOf(earlier.counts) }, lock)
        : openAppended(file, input, lock, overwrite);
    return outputOf(await output, { input, lock, earlier, again });
  } catch (error) {
    await lock.unlock();
    throw error;
  }
}

async function emptied(file: string, input: string): Promise<EarlierRows> {
  await removeReplacement(file, input);
  return noEarlierRows();
}

async function continued(file: string, input: CsvInput, lock: Lock, retry: boolean): Promise<EarlierRows> {
  await resumeReplacement(file, input, lock);
  return readEarlierRows(file, input, retry);
}

async function openAppended(file: string, input: CsvInput, lock: Lock, isEmptied: boolean): Promise<ResultFile> {
  const results = await openResultFile(file, { input: input.file, lock, isEmptied });
  try {
    if (results.size === 0) await results.append(headerOf(input));
    return results;
  } catch (error) {
    await results.close();
    throw error;
  }
}

interface Opened {
  readonly input: CsvInput;
  readonly lock: Lock;
  readonly earlier: EarlierRows;
  readonly again: ReadonlyMap<number, Status>;
}

function outputOf(opened: ResultFile | Replacement, { input, lock, earlier, again }: Opened): CsvOutput {
  const before = earlier.counts;
  const start = sumOf(before);
  let results = opened;
  return {
    ...{ start, again, before, cautions: earlier.cautions, known: earlier.known },
    async write(index, fields, cells) {
      const row = formatRow(fields, cells, input.delimiter);
      const earlierStatus = again.get(index);
      if (results instanceof Replacement && earlierStatus !== undefined) {
        await results.replace(index, row);
        before[earlierStatus]--;
        return;
      }
      if (results instanceof Replacement) results = await results.finish();
      await results.append(row);
    },
    async close() {
      try {
        await results.close();
      } finally {
        await lock.unlock();
      }
    },
  };
}
