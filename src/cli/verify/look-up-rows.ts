import { isServiceApiError } from "../../errors/any.ts";
import type { ServiceApi } from "../../service-api.ts";
import { findMany } from "../../verification/many/find-many.ts";
import type { FindManyProgress, FindManyResult } from "../../verification/many/options.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { addCaution } from "./cautions.ts";
import { addCounts, type Counts, noRows, sumOf } from "./counts.ts";
import type { VerifyFlags } from "./flags.ts";
import { type CsvInput, rowsOf } from "./input.ts";
import { mobileOf } from "./mobile-cell.ts";
import { isAway, withoutOutage } from "./outage.ts";
import { createDisplay } from "./progress.ts";
import { cellsOf, resultOf } from "./result-columns.ts";
import type { Sink } from "./sink.ts";
import { adviceToContinue, printSummary } from "./summary.ts";

/** A run over a file. */
export interface Run {
  readonly input: CsvInput;
  readonly sink: Sink;
  readonly flags: VerifyFlags;
  /** Sends no further request. */
  readonly drain: AbortSignal;
  /** Ends the requests under way. */
  readonly now: AbortSignal;
  /** Receives what to do after the error that ends the run. */
  readonly advise: (advice: string) => void;
}

/** Looks up the rows that are left, writes their results, and sums them up. */
export async function lookUpRows(api: ServiceApi, run: Run): Promise<ExitCode> {
  const { input, sink, flags, drain, now } = run;
  const counts = noRows();
  const kept = { ...sink.before };
  for (const status of sink.again.values()) kept[status]--;
  const total = input.count - sink.start + sink.again.size;
  const display = createDisplay(input.count - total, input.count);
  drain.addEventListener("abort", () =>
    display.note("Stopping after the requests that are under way. Press Ctrl-C again to stop now."),
  );
  let [retried, cautions] = [0, sink.cautions];
  let progress: FindManyProgress | undefined;
  const show = (done: Readonly<Counts>) => {
    if (progress === undefined) return;
    const all = addCounts(done, kept);
    display.update({ ...progress, ...all, done: sumOf(all) });
  };
  // Responses that wait for an earlier row count. Failed rows may not be written: they count when they are.
  const showResponses = () => show({ ...noRows(), ...progress, failed: counts.failed });
  /** The rows that are under way, by their place in this run. */
  const rows = new Map<number, CsvRow>();
  const outage = new AbortController();
  try {
    const results = findMany(api, numbersOf(input, sink, rows, flags), {
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
    const responds = (number: string) => hasResponse(api, number, flags, AbortSignal.any([drain, now]));
    for await (const found of withoutOutage(results, { stopped: drain, outage, known: sink.known, responds })) {
      const { fields = [], index = 0 } = rows.get(found.index) ?? {};
      rows.delete(found.index);
      // It was not sent: an earlier row says more.
      if (isUnsent(found) && sink.again.has(index)) continue;
      const result = resultOf(found, fields[input.mobileIndex] ?? "");
      await sink.write(fields, result, index);
      cautions = addCaution(cautions, [...fields, ...cellsOf(result)], input.header);
      counts[found.kind]++;
      if (sink.again.has(index)) retried++;
      showResponses();
    }
  } catch (error) {
    const all = addCounts(counts, sink.before);
    if (flags.out !== undefined && sumOf(all) > 0) {
      run.advise(`The rows so far are kept. ${adviceToContinue(all, input.count)}`);
    } else if (flags.out !== undefined && isServiceApiError(error) && isAway(error)) {
      run.advise("Run the same command again to begin.");
    }
    throw error;
  } finally {
    // After Ctrl-C or an error, not all responses may be.
    show(counts);
    display.stop();
    await sink.close();
  }
  const isInterrupted = drain.aborted && sumOf(counts) < total;
  return printSummary({ rows: input.count, counts, earlier: sink.before, retried, cautions, isInterrupted }, flags);
}

/** A row of the input, and what its look-up takes. */
interface Row {
  readonly vpa_mobile: string;
  readonly consent: "Y";
}

/** The fields of a row of the input, and its index. */
interface CsvRow {
  readonly fields: readonly string[];
  readonly index: number;
}

/** The numbers of the rows that this run looks up. The rows themselves are kept until their results come. */
async function* numbersOf(
  input: CsvInput,
  { start, again }: Sink,
  rows: Map<number, CsvRow>,
  { consent }: VerifyFlags,
): AsyncGenerator<Row> {
  let [index, place] = [0, 0];
  for await (const fields of rowsOf(input)) {
    if (index >= start || again.has(index)) {
      rows.set(place++, { fields, index });
      yield { vpa_mobile: mobileOf(fields[input.mobileIndex] ?? ""), consent };
    }
    index++;
  }
}

function isUnsent(found: FindManyResult): boolean {
  return found.kind === "failed" && found.error.kind === "abort";
}

/** Whether the service responds to a number. */
async function hasResponse(
  api: ServiceApi,
  number: string,
  { consent }: VerifyFlags,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await api.verification.findVpas({ vpa_mobile: mobileOf(number), consent }, { signal });
    return true;
  } catch (error) {
    if (!isServiceApiError(error)) throw error;
    return !isAway(error) && error.kind !== "abort";
  }
}
