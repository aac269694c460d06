import type { ServiceApi } from "../../service-api.ts";
import { findMany } from "../../verification/many/find-many.ts";
import type { FindManyProgress, FindManyResult } from "../../verification/many/types.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { printNote } from "../shared/print.ts";
import { noRows, sumOf } from "./counts.ts";
import type { VerifyFlags } from "./flags.ts";
import { type CsvInput, rowsOf } from "./input.ts";
import { withoutOutage } from "./outage.ts";
import { OutputError } from "./output-error.ts";
import { createDisplay } from "./progress.ts";
import { resultOf } from "./result-columns.ts";
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
}

/** Looks up the rows that are left, writes their results, and sums them up. */
export async function lookUpRows(api: ServiceApi, { input, sink, flags, drain, now }: Run): Promise<ExitCode> {
  const counts = noRows();
  const total = input.count - sink.start + sink.again.size;
  const display = createDisplay(input.count - total, input.count);
  let retried = 0;
  let progress: FindManyProgress | undefined;
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
      },
    });
    for await (const found of withoutOutage(results, drain, outage)) {
      const { fields = [], index = 0 } = rows.get(found.index) ?? {};
      rows.delete(found.index);
      // It was not sent: an earlier row says more.
      if (isUnsent(found) && sink.again.has(index)) continue;
      await sink.write(fields, resultOf(found, found.input.vpa_mobile), index);
      counts[found.kind]++;
      if (sink.again.has(index)) retried++;
      // Of what is written: findMany counts rows that are held back as well.
      if (progress !== undefined) display.update({ ...progress, ...counts, done: input.count - total + sumOf(counts) });
    }
  } catch (error) {
    display.stop();
    const isKept = sumOf(counts) + sumOf(sink.before) > 0 && !(error instanceof OutputError && error.isTaken);
    if (flags.out !== undefined && isKept) {
      printNote(`The rows so far are kept. ${adviceToContinue(counts, sink.before, flags)}`);
    }
    throw error;
  } finally {
    display.stop();
    await sink.close();
  }
  const isInterrupted = drain.aborted && sumOf(counts) < total;
  return printSummary({ rows: input.count, counts, earlier: sink.before, retried, isInterrupted }, flags);
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
      yield { vpa_mobile: fields[input.mobileIndex] ?? "", consent };
    }
    index++;
  }
}

function isUnsent(found: FindManyResult): boolean {
  return found.kind === "failed" && found.error.kind === "abort";
}
