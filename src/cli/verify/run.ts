import { once } from "node:events";
import { basename } from "node:path";
import type { ServiceApi } from "../../service-api.ts";
import { findMany } from "../../verification/many/find-many.ts";
import type { FindManyProgress } from "../../verification/many/options.ts";
import { type ExitCode, exitCodeOf, exitCodes, reportError } from "../shared/errors.ts";
import { formatDuration } from "../shared/layout.ts";
import { maskName, maskNumber } from "../shared/mask.ts";
import { cleanLine, jsonLine, print, printJson, printNote } from "../shared/print.ts";
import { ignoreInterrupts, interruptible } from "../shared/process.ts";
import { type CsvInput, formatRow, openInput, withoutFormula } from "./csv.ts";
import type { VerifyFlags } from "./flags.ts";
import { type CsvOutput, headerOf, openOutput } from "./output.ts";
import { cellsOf, formatTally, maskResult, type RowResult, resultOf, statuses, tallyOf } from "./results.ts";

/**
 * Looks up the numbers of a CSV file, and writes a row for each. The first Ctrl-C ends it after the requests that are
 * under way, the second one now.
 */
export function verifyFile(api: ServiceApi, file: string, flags: VerifyFlags): Promise<ExitCode> {
  const now = new AbortController();
  const run = (drain: AbortSignal) => lookUpRows(api, openInput(file, flags), flags, { drain, now: now.signal });
  return interruptible(run, () => now.abort()).finally(ignoreInterrupts);
}

/** New rows that fail one after the other before the run ends: the service is out of reach. */
const maxFailures = 10;

async function lookUpRows(
  api: ServiceApi,
  input: CsvInput,
  flags: VerifyFlags,
  { drain, now }: Readonly<Record<"drain" | "now", AbortSignal>>,
): Promise<ExitCode> {
  const sink = openSink(input, flags);
  const { again } = sink;
  const done = [...sink.results];
  const kept = tallyOf(done.filter((_, index) => !again.has(index)));
  const places = [...input.rows.keys()].filter((index) => index >= done.length || again.has(index));
  const before = input.rows.length - places.length;
  const display = createDisplay(before, input.rows.length);
  drain.addEventListener("abort", () =>
    display.note("Stopping after the requests that are under way. Press Ctrl-C again to stop now."),
  );
  const requests = places.map((index) => {
    const { consentIndex, mobileIndex, rows } = input;
    const fields = rows[index] ?? [];
    // What is not Y is refused before anything is sent, and the row is invalid.
    const consent = consentIndex === undefined ? "Y" : (fields[consentIndex] ?? "").trim();
    return { vpa_mobile: fields[mobileIndex] ?? "", consent };
  });
  const outage = new AbortController();
  let progress: FindManyProgress | undefined;
  let [written, retried, failures] = [0, 0, 0];
  let failure: unknown;
  try {
    const results = findMany(api, requests, {
      concurrency: flags.concurrency,
      perSecond: flags.perSecond,
      signal: now,
      drainSignal: AbortSignal.any([drain, outage.signal]),
      onProgress: (latest) => {
        progress = latest;
        // Responses that wait for an earlier row count.
        const counts = Object.fromEntries(statuses.map((status) => [status, kept[status] + latest[status]]));
        display.update({ ...latest, ...counts, done: before + latest.done });
      },
    });
    for await (const found of results) {
      const index = places[found.index] ?? 0;
      const isAgain = again.has(index);
      const error = found.kind === "failed" ? found.error : undefined;
      // It was not sent: an earlier row says more.
      if (isAgain && error?.kind === "abort") continue;
      const result = resultOf(found, found.input.vpa_mobile);
      await sink.write(index, result);
      done[index] = cellsOf(result);
      written++;
      if (isAgain) retried++;
      else if (found.attempts > 0) {
        const isAway = error && (error.isRetryable || exitCodeOf(error) === exitCodes.unavailable);
        failures = isAway ? failures + 1 : 0;
        if (failures === maxFailures) outage.abort(error);
      }
    }
    outage.signal.throwIfAborted();
  } catch (error) {
    failure = error;
  }
  // After Ctrl-C or an error, not all responses may be written.
  const tally = tallyOf(done);
  if (progress !== undefined) display.update({ ...progress, ...tally, done: done.length });
  display.stop();
  try {
    sink.close();
  } catch (error) {
    failure ??= error;
  }
  if (failure === undefined) {
    const counts = { rows: input.rows.length, done: done.length, before: sink.results.length - retried, retried };
    return printSummary(tally, counts, flags, drain.aborted && written < places.length);
  }
  const code = reportError(failure, flags);
  if (flags.out !== undefined && done.length > 0) {
    const open = tally.pending + tally.failed;
    const state = open === 1 ? "is pending or failed" : "are pending or failed";
    const advice = open === 0 ? "to continue." : `with --retry to continue: ${open} of them ${state}.`;
    printNote(`The rows so far are kept. Run the same command again ${advice}`);
  }
  return code;
}

function openSink(input: CsvInput, flags: VerifyFlags): CsvOutput<RowResult> {
  const { out, json, keepFormulas, showPii } = flags;
  const { header, rows, mobileIndex, delimiter } = input;
  const cells = (result: RowResult) => (keepFormulas ? cellsOf(result) : cellsOf(result).map(withoutFormula));
  if (out !== undefined) {
    const output = openOutput(out, input, flags);
    return { ...output, write: (index, result) => output.write(index, [...(rows[index] ?? []), ...cells(result)]) };
  }
  const mask = (field: string, index: number) => (index === mobileIndex ? maskNumber(field) : maskName(field));
  const shown = process.stdout.isTTY ? cleanLine : (cell: string) => cell;
  if (!json) process.stdout.write(headerOf(input));
  return {
    ...{ results: [], again: new Set() },
    async write(index, found) {
      const given = rows[index] ?? [];
      const [fields, result] = showPii ? [given, found] : [given.map(mask), maskResult(found)];
      const row = Object.fromEntries(header.map((name, column) => [name, fields[column] ?? ""]));
      const text = json
        ? `${jsonLine({ row: index + 1, input: row, ...result })}\n`
        : formatRow([...fields, ...cells(result)].map(shown), delimiter);
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
    },
    close() {},
  };
}

/** Milliseconds after which there is another line. */
const pause = 10_000;

/** Shows how far the run is: on a line of a terminal, which is drawn again, and elsewhere on a new one now and then. */
function createDisplay(before: number, total: number) {
  const { stderr } = process;
  const width = stderr.isTTY && process.env.TERM !== "dumb" ? stderr.columns || 80 : undefined;
  let shownAt = performance.now();
  let line = "";
  const draw = (text: string) => line !== "" && stderr.write(`\r${text}\u001b[K`);
  return {
    /** The counts are those of all rows that are done, earlier ones included. */
    update(progress: FindManyProgress): void {
      const { done, perSecond, timeLeft } = progress;
      // Until the first result, notes say why a person has to wait.
      if (done === before) return;
      const left = `${formatDuration(timeLeft ?? 0)} left`;
      const text = [`${done} of ${total} rows`, `${perSecond.toFixed(1)}/s`, left, formatTally(progress)].join(", ");
      if (width !== undefined) {
        line = text.slice(0, width - 1);
        draw(line);
      } else if (performance.now() - shownAt >= pause) {
        shownAt = performance.now();
        printNote(text);
      }
    },
    note(text: string): void {
      draw("");
      printNote(text);
      draw(line);
    },
    stop: () => line !== "" && stderr.write("\n"),
  };
}

/** Prints the results of `rows` rows, of which `before` stayed from earlier runs and `retried` were replaced. */
function printSummary(
  tally: ReturnType<typeof tallyOf>,
  counts: Readonly<Record<"rows" | "done" | "before" | "retried", number>>,
  { out, json, retry, consentColumn }: VerifyFlags,
  isInterrupted: boolean,
): ExitCode {
  const { rows, done, before, retried } = counts;
  const parts = [before > 0 && `${before} from before`, retried > 0 && `${retried} retried`].filter(Boolean).join(", ");
  const since = parts && ` (${parts})`;
  const file = out === undefined ? "the output" : basename(out);
  const line = `${done} of ${rows} rows in ${file}${since}: ${formatTally(tally)}`;
  if (out === undefined) printNote(line);
  else if (json) printJson({ ...counts, ...tally });
  else print(line);
  if (isInterrupted) {
    if (out !== undefined) printNote("Run the same command again to continue.");
    return exitCodes.interrupted;
  }
  const { toCheck, invalid } = tally;
  if (toCheck > 0) printNote(`${toCheck} found to check before paying: see the column error.`);
  if (invalid > 0) {
    const advice =
      out === undefined
        ? "Put corrected rows into a new file."
        : "Correct them in the input, and run the same command again with --retry.";
    const ofConsent = consentColumn === undefined ? "" : " A row without consent stays so until its column is Y.";
    printNote(`${rowsAre(invalid)} invalid: see the column error. ${advice}${ofConsent}`);
  }
  const open = tally.pending + tally.failed;
  if (open === 0) return exitCodes.done;
  const advice =
    out === undefined
      ? "With --out, --retry looks up these alone."
      : `Run the same command again ${retry ? "later" : "with --retry"} to look ${open === 1 ? "it" : "them"} up again.`;
  printNote(`${rowsAre(open)} pending or failed. ${advice}`);
  return exitCodes.failed;
}

function rowsAre(count: number): string {
  return count === 1 ? "1 row is" : `${count} rows are`;
}
