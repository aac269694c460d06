import { once } from "node:events";
import { basename } from "node:path";
import type { ServiceApiError } from "../../errors/base.ts";
import type { ServiceApi } from "../../service-api.ts";
import { findMany } from "../../verification/many/find-many.ts";
import type { FindManyResult } from "../../verification/many/types.ts";
import { print, printJson, printNote } from "../shared/action.ts";
import { cleanJson, cleanLine } from "../shared/clean-text.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "../shared/exit-codes.ts";
import { interruptible } from "../shared/interrupt.ts";
import {
  maskedFields,
  maskedValues,
  noRows,
  resultColumns,
  resultValues,
  type Status,
  statusOf,
  withoutFormula,
} from "./columns.ts";
import type { VerifyFlags } from "./flags.ts";
import { type CsvInput, openInput, rowsOf } from "./input.ts";
import { formatRow, headerOf, openOutput } from "./output.ts";
import { createDisplay } from "./progress.ts";

/** Receives the rows of the results, in the order of the input. */
interface Sink {
  /** The rows that an earlier run has written, by their status. */
  readonly before: Readonly<Record<Status, number>>;
  write(fields: readonly string[], values: readonly string[], index: number): Promise<void>;
  close(): Promise<void>;
}

/** A row of the input, and what its look-up takes. */
interface Row {
  readonly vpa_mobile: string;
  readonly consent: "Y";
}

/** Rows that fail one after the other before the service counts as out of reach. */
const maxFailuresInARow = 10;

/**
 * Looks up the numbers of a CSV file, and writes a row for each. The first Ctrl-C ends it after the rows that were read ahead,
 * the second one now.
 */
export async function verifyFile(api: ServiceApi, file: string, flags: VerifyFlags): Promise<ExitCode> {
  const input = await openInput(file, flags.column, flags.delimiter);
  const sink = await openSink(input, flags);
  const now = new AbortController();
  return await interruptible(
    (signal) => {
      signal.addEventListener("abort", () =>
        printNote(
          `Stopping after the rows that were read ahead, ${readAhead(flags)} at most. Press Ctrl-C again to stop now.`,
        ),
      );
      return lookUpRows(api, { input, sink, flags, soon: signal, now: now.signal });
    },
    () => now.abort(),
  );
}

/** The rows that findMany reads ahead of its results. */
function readAhead({ concurrency }: VerifyFlags): number {
  return 4 * concurrency;
}

/** A run over a file. */
interface Run {
  readonly input: CsvInput;
  readonly sink: Sink;
  readonly flags: VerifyFlags;
  /** Reads no further row. */
  readonly soon: AbortSignal;
  /** Ends the requests under way. */
  readonly now: AbortSignal;
}

async function lookUpRows(api: ServiceApi, { input, sink, flags, soon, now }: Run): Promise<ExitCode> {
  const counts = noRows();
  const before = sum(sink.before);
  const display = createDisplay(before, input.count);
  const fields = new Map<number, readonly string[]>();
  try {
    const results = findMany(api, numbersOf(input, fields, before, soon, flags), {
      concurrency: flags.concurrency,
      perSecond: flags.perSecond,
      pendingRetries: flags.pending,
      pendingDelay: flags.pendingDelay,
      total: input.count - before,
      signal: now,
      onProgress: (progress) => display.update(progress),
    });
    for await (const result of withoutOutage(results, soon)) {
      const row = fields.get(result.index) ?? [];
      fields.delete(result.index);
      await sink.write(row, valuesOf(result, flags), before + result.index);
      counts[statusOf(result)]++;
    }
  } catch (error) {
    display.stop();
    if (flags.out !== undefined) printNote("The rows so far are kept. Run the same command again to continue.");
    throw error;
  } finally {
    display.stop();
    await sink.close();
  }
  return report(counts, sink.before, input, flags, soon.aborted);
}

/** The numbers of the rows that are left. Their other fields are kept until their results come. */
async function* numbersOf(
  input: CsvInput,
  fields: Map<number, readonly string[]>,
  done: number,
  signal: AbortSignal,
  { consent }: VerifyFlags,
): AsyncGenerator<Row> {
  let index = 0;
  for await (const row of rowsOf(input)) {
    if (signal.aborted) return;
    if (index >= done) {
      fields.set(index - done, row);
      yield { vpa_mobile: row[input.mobileIndex] ?? "", consent };
    }
    index++;
  }
}

/**
 * Holds back failed rows until another follows that did not fail, and throws if there are too many: the service is out
 * of reach, and those rows are looked up when the run continues.
 */
async function* withoutOutage(
  results: AsyncIterable<FindManyResult<Row>>,
  stopped: AbortSignal,
): AsyncGenerator<FindManyResult<Row>> {
  const held: FindManyResult<Row>[] = [];
  for await (const result of results) {
    held.push(result);
    if (result.kind === "error" && exitCodeOf(result.error) === exitCodes.unavailable) {
      if (held.length >= maxFailuresInARow) throw result.error satisfies ServiceApiError;
      continue;
    }
    yield* held.splice(0);
  }
  // After an interruption they are looked up when the run continues.
  if (!stopped.aborted) yield* held;
}

function valuesOf(result: FindManyResult<Row>, { keepFormulas }: VerifyFlags): readonly string[] {
  const values = resultValues(result, result.input.vpa_mobile);
  return keepFormulas ? values : values.map(withoutFormula);
}

async function openSink(input: CsvInput, flags: VerifyFlags): Promise<Sink> {
  const { out, json, showPii } = flags;
  if (out !== undefined) {
    const file = await openOutput(out, input, flags.overwrite ?? false);
    return { before: file.before, write: (row, values) => file.append([...row, ...values]), close: () => file.close() };
  }
  const shown = (row: readonly string[], values: readonly string[]) =>
    showPii ? { row, values } : { row: maskedFields(row, input.mobileIndex), values: maskedValues(values) };
  const names = resultColumns([]);
  if (!json) process.stdout.write(headerOf(input));
  return {
    before: noRows(),
    async write(fields, given, index) {
      const { row, values } = shown(fields, given);
      const cells = [...row, ...values];
      const text = json
        ? `${cleanJson(JSON.stringify({ row: index + 1, input: zip(input.header, row), ...zip(names, values) }))}\n`
        : formatRow(process.stdout.isTTY ? cells.map(cleanLine) : cells, input.delimiter);
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
    },
    async close() {},
  };
}

function zip(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
}

const sum = (counts: Readonly<Record<Status, number>>) => Object.values(counts).reduce((all, count) => all + count, 0);

/** Sums up all rows of the output, those of earlier runs included. */
function report(
  counts: Readonly<Record<Status, number>>,
  earlier: Readonly<Record<Status, number>>,
  input: CsvInput,
  { out, json }: VerifyFlags,
  isInterrupted: boolean,
): ExitCode {
  const all = noRows();
  for (const status of Object.keys(all) as Status[]) all[status] = counts[status] + earlier[status];
  const [done, before] = [sum(all), sum(earlier)];
  const isComplete = done === input.count;
  if (json && out !== undefined) printJson({ rows: input.count, done, before, ...all });
  const list = Object.entries(all).filter(([, count]) => count > 0);
  const text = list.map(([status, count]) => `${count} ${status}`).join(", ") || "none";
  const since = before > 0 ? ` (${before} from before)` : "";
  const line = `${done} of ${input.count} rows in ${out === undefined ? "the output" : basename(out)}${since}: ${text}`;
  if (out !== undefined && !json) print(line);
  else printNote(line);
  if (isInterrupted && !isComplete) {
    if (out !== undefined) printNote("Run the same command again to continue.");
    return exitCodes.interrupted;
  }
  return all.pending + all.error > 0 ? exitCodes.failed : exitCodes.done;
}
