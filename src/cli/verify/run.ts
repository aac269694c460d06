import { once } from "node:events";
import { isServiceApiError } from "../../errors/any.ts";
import type { ServiceApi } from "../../service-api.ts";
import { findMany } from "../../verification/many/find-many.ts";
import type { FindManyProgress } from "../../verification/many/options.ts";
import { cleanLine } from "../shared/clean-text.ts";
import { type ExitCode, exitCodes, reportError } from "../shared/errors.ts";
import { maskName, maskNumber } from "../shared/mask.ts";
import { jsonLine, printError, printJsonLine, printNote } from "../shared/print.ts";
import { ignoreInterrupts, interruptible } from "../shared/process.ts";
import { type CsvInput, formatRow, mobileOf, openInput, rowsOf, withoutFormula } from "./csv.ts";
import { headerOf, noEarlierRows } from "./earlier.ts";
import type { VerifyFlags } from "./flags.ts";
import { isAway, withoutOutage } from "./outage.ts";
import { type CsvOutput, OutputError, openOutput } from "./output.ts";
import { adviceToContinue, createDisplay, printSummary } from "./progress.ts";
import {
  addRow,
  cellsOf,
  maskResult,
  noRows,
  type RowResult,
  resultOf,
  type Status,
  statuses,
  sumOf,
  type Tally,
} from "./results.ts";

/**
 * Looks up the numbers of a CSV file, and writes a row for each. The first Ctrl-C ends it after the requests that are
 * under way, the second one now.
 */
export async function verifyFile(api: ServiceApi, file: string, flags: VerifyFlags): Promise<ExitCode> {
  const input = await openInput(file, flags);
  warnOfShortened(input);
  const now = new AbortController();
  const advice: string[] = [];
  try {
    const sink = await openSink(input, flags);
    return await interruptible(
      (drain) => lookUpRows(api, { input, sink, flags, drain, now: now.signal, advice }),
      () => now.abort(),
    );
  } catch (error) {
    const code = report(error, flags);
    if (!(error instanceof OutputError && error.isTaken)) for (const text of advice) printNote(text);
    return code;
  } finally {
    ignoreInterrupts();
  }
}

function report(error: unknown, flags: VerifyFlags): ExitCode {
  if (!(error instanceof OutputError)) return reportError(error, flags, true);
  if (flags.json) printJsonLine({ error: { name: error.name, message: error.message } });
  else printError(error.message);
  return exitCodes.failed;
}

function warnOfShortened({ shortened: { count, first } }: CsvInput): void {
  if (count === 0) return;
  const which = count === 1 ? `The number in line ${first} is` : `${count} numbers, the first in line ${first}, are`;
  printNote(
    `${which} in scientific notation: a spreadsheet has dropped digits. Format the column as text there, and export the file again.`,
  );
}

interface Run {
  readonly input: CsvInput;
  readonly sink: Sink;
  readonly flags: VerifyFlags;
  readonly drain: AbortSignal;
  /** Ends the requests under way. */
  readonly now: AbortSignal;
  /** Receives what to do after the error that ends the run. */
  readonly advice: string[];
}

/** Looks up the rows that are left, writes their results, and sums them up. */
async function lookUpRows(api: ServiceApi, { input, sink, flags, drain, now, advice }: Run): Promise<ExitCode> {
  const { earlier, again } = sink;
  /** The rows that this run has still to replace. */
  const left = new Map(again);
  /** The rows that are final: at first those of earlier runs that this run does not look up. */
  const tally = { ...earlier.tally };
  for (const status of again.values()) tally[status]--;
  const kept = { ...tally };
  const total = input.count - earlier.count + again.size;
  let [written, failed] = [0, 0];
  const display = createDisplay(input.count - total, input.count);
  drain.addEventListener("abort", () =>
    display.note("Stopping after the requests that are under way. Press Ctrl-C again to stop now."),
  );
  let progress: FindManyProgress | undefined;
  const show = (counts: Readonly<Record<Status, number>>) => {
    if (progress !== undefined) display.update({ ...progress, ...counts, done: sumOf(counts) });
  };
  // Responses that wait for an earlier row count. Failed rows may not be written: they count when they are.
  const showResponses = () => {
    const counts = { ...noRows(), ...progress, failed };
    for (const status of statuses) counts[status] += kept[status];
    show(counts);
  };
  /** The rows that are under way, by their place in this run. */
  const rows = new Map<number, { readonly fields: readonly string[]; readonly index: number }>();
  async function* requests() {
    const { consentIndex, mobileIndex } = input;
    let [index, place] = [0, 0];
    for await (const fields of rowsOf(input)) {
      if (index >= earlier.count || again.has(index)) {
        rows.set(place++, { fields, index });
        // What is not Y is refused before anything is sent, and the row is invalid.
        const consent = consentIndex === undefined ? "Y" : (fields[consentIndex] ?? "").trim();
        yield { vpa_mobile: mobileOf(fields[mobileIndex] ?? ""), consent };
      }
      index++;
    }
  }
  const outage = new AbortController();
  const responds = async (vpa_mobile: string) => {
    try {
      await api.verification.findVpas({ vpa_mobile, consent: "Y" }, { signal: AbortSignal.any([drain, now]) });
      return true;
    } catch (error) {
      if (!isServiceApiError(error)) throw error;
      return !isAway(error) && error.kind !== "abort";
    }
  };
  try {
    const results = findMany(api, requests(), {
      concurrency: flags.concurrency,
      perSecond: flags.perSecond,
      pendingRetries: flags.pending,
      pendingDelay: flags.pendingDelay,
      total,
      signal: now,
      drainSignal: AbortSignal.any([drain, outage.signal]),
      onProgress: (latest) => {
        progress = latest;
        showResponses();
      },
    });
    const known = earlier.known === undefined ? undefined : mobileOf(earlier.known);
    for await (const found of withoutOutage(results, { stopped: drain, outage, known, responds })) {
      const { fields = [], index = 0 } = rows.get(found.index) ?? {};
      rows.delete(found.index);
      // It was not sent: an earlier row says more.
      if (again.has(index) && found.kind === "failed" && found.error.kind === "abort") continue;
      const result = resultOf(found, fields[input.mobileIndex] ?? "");
      await sink.write(index, fields, result);
      addRow(tally, cellsOf(result));
      written++;
      if (found.kind === "failed") failed++;
      left.delete(index);
      showResponses();
    }
  } catch (error) {
    const all = withRows(tally, left.values());
    if (flags.out !== undefined && sumOf(all) > 0) {
      advice.push(`The rows so far are kept. ${adviceToContinue(all, input.count)}`);
    } else if (flags.out !== undefined && isServiceApiError(error) && isAway(error)) {
      advice.push("Run the same command again to begin.");
    }
    throw error;
  } finally {
    // After Ctrl-C or an error, not all responses may be.
    show(tally);
    display.stop();
    await sink.close();
  }
  const isInterrupted = drain.aborted && written < total;
  const retried = again.size - left.size;
  const before = sumOf(earlier.tally) - retried;
  const all = withRows(tally, left.values());
  return printSummary({ rows: input.count, tally: all, before, retried, isInterrupted }, flags);
}

function withRows(tally: Readonly<Tally>, rows: Iterable<Status>): Tally {
  const all = { ...tally };
  for (const status of rows) all[status]++;
  return all;
}

/** Receives the rows of the results, in the order of the input. */
interface Sink extends Omit<CsvOutput, "write"> {
  write(index: number, fields: readonly string[], result: RowResult): Promise<void>;
}

/** Opens the file of `--out`, or standard output. */
async function openSink(input: CsvInput, flags: VerifyFlags): Promise<Sink> {
  const { out, json, keepFormulas, showPii } = flags;
  const { header, mobileIndex, delimiter } = input;
  const cells = (result: RowResult) => (keepFormulas ? cellsOf(result) : cellsOf(result).map(withoutFormula));
  if (out !== undefined) {
    const output = await openOutput(out, input, flags);
    return { ...output, write: (index, fields, result) => output.write(index, fields, cells(result)) };
  }
  const mask = (field: string, index: number) => (index === mobileIndex ? maskNumber(field) : maskName(field));
  const shown = process.stdout.isTTY ? cleanLine : (cell: string) => cell;
  if (!json) process.stdout.write(headerOf(input));
  return {
    earlier: noEarlierRows(),
    again: new Map(),
    async write(index, given, found) {
      const [fields, result] = showPii ? [given, found] : [given.map(mask), maskResult(found)];
      const row = Object.fromEntries(header.map((name, column) => [name, fields[column] ?? ""]));
      const text = json
        ? `${jsonLine({ row: index + 1, input: row, ...result })}\n`
        : formatRow(fields.map(shown), cells(result).map(shown), delimiter);
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
    },
    async close() {},
  };
}
