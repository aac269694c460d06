import { basename } from "node:path";
import { MultiBar, type SingleBar } from "cli-progress";
import type { FindManyProgress } from "../../verification/many/options.ts";
import { type ExitCode, exitCodes } from "../shared/errors.ts";
import { wrapText } from "../shared/layout.ts";
import { formatDuration } from "../shared/notes.ts";
import { formatNote, print, printJson, printNote } from "../shared/print.ts";
import type { VerifyFlags } from "./flags.ts";
import { addTallies, formatTally, sumOf, type Tally } from "./results.ts";

/** Shows how far a run is, on standard error. */
export interface ProgressDisplay {
  /** The counts are those of all rows that are done, earlier ones included. */
  update(progress: FindManyProgress): void;
  /** Prints a note above the bar. */
  note(text: string): void;
  stop(): void;
}

/** Milliseconds after which there is another line: after a tenth of the whole, and in any case. */
const pauses = { tenth: 2_000, any: 30_000 };

/**
 * Returns a bar on a terminal, and lines elsewhere.
 *
 * @param before - The rows that an earlier run has done.
 */
export function createDisplay(before: number, total: number): ProgressDisplay {
  const isTerminal = process.stderr.isTTY && process.env.TERM !== "dumb";
  return isTerminal ? createBar(before, total) : createLines(before, total);
}

/** Columns beside the bar itself: 80 are enough for three statuses of a file of 50,000 rows. */
const besideBar = 74;

function createBar(before: number, total: number): ProgressDisplay {
  const width = process.stderr.columns || 80;
  // For one bar: notes can be printed above it.
  const bars = new MultiBar({
    format: "{bar} {percentage} % | {value}/{total} | {rate}/s | {left} left | {results}",
    stream: process.stderr,
    barsize: Math.min(20, Math.max(5, width - besideBar)),
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    // The command stops the bar itself, after the requests under way.
    gracefulExit: false,
  });
  let bar: SingleBar | undefined;
  return {
    update(progress) {
      // Not sooner: until the first result, notes say why a person has to wait.
      if (bar === undefined && progress.done === before) return;
      const { done, perSecond, timeLeft } = progress;
      const results = formatTally(progress);
      const shown = { rate: perSecond.toFixed(1), left: formatDuration(timeLeft ?? 0), results };
      bar ??= bars.create(total, before, shown);
      bar.update(done, shown);
    },
    note(text) {
      if (bar === undefined) return printNote(text);
      bars.log(`${wrapText(formatNote(text), { width })}\n`);
      bars.update();
    },
    stop() {
      if (bar !== undefined) bars.stop();
    },
  };
}

function createLines(before: number, total: number): ProgressDisplay {
  let shown = { at: performance.now(), part: before / total };
  return {
    update(progress) {
      const { done, perSecond, timeLeft } = progress;
      const part = done / total;
      const now = performance.now();
      if (now - shown.at < (part - shown.part < 0.1 ? pauses.any : pauses.tenth)) return;
      shown = { at: now, part };
      const rate = `${perSecond.toFixed(1)}/s, ${formatDuration(timeLeft ?? 0)} left`;
      printNote(`${done} of ${total} rows, ${rate}, ${formatTally(progress)}`);
    },
    note: printNote,
    stop() {},
  };
}

/** The end of a run. */
interface Summary {
  /** The rows of the input. */
  readonly rows: number;
  /** The rows that this run has written. */
  readonly written: Readonly<Tally>;
  /** The rows of earlier runs that are still there. */
  readonly before: Readonly<Tally>;
  /** The rows of earlier runs that this run has replaced. */
  readonly retried: number;
  /** Whether rows are left that this run would have looked up. */
  readonly isInterrupted: boolean;
}

/** Sums up all rows of the output, those of earlier runs included, and returns the exit code. */
export function printSummary(summary: Summary, { out, json, retry }: VerifyFlags): ExitCode {
  const { rows, before, retried, isInterrupted } = summary;
  const all = addTallies(summary.written, before);
  const earlier = sumOf(before);
  if (json && out !== undefined) printJson({ rows, done: sumOf(all), before: earlier, retried, ...all });
  const parts = [...(earlier > 0 ? [`${earlier} from before`] : []), ...(retried > 0 ? [`${retried} retried`] : [])];
  const since = parts.length > 0 ? ` (${parts.join(", ")})` : "";
  const file = out === undefined ? "the output" : basename(out);
  const line = `${sumOf(all)} of ${rows} rows in ${file}${since}: ${formatTally(all)}`;
  if (out !== undefined && !json) print(line);
  else printNote(line);
  if (isInterrupted) {
    if (out !== undefined) printNote("Run the same command again to continue.");
    return exitCodes.interrupted;
  }
  const { unusable, doubtful } = all;
  if (unusable > 0)
    printNote(`${unusable} found ${unusable === 1 ? "is" : "are"} not usable for payments: see the column error.`);
  if (doubtful > 0) printNote(`${doubtful} found to check before paying: see the column error.`);
  if (all.invalid > 0) {
    const advice =
      out === undefined
        ? "Put corrected rows into a new file."
        : "Correct them in the input, and run the same command again with --retry.";
    printNote(`${rowsAre(all.invalid)} invalid: see the column error. ${advice}`);
  }
  const open = openOf(all);
  if (open === 0) return exitCodes.done;
  const it = open === 1 ? "it" : "them";
  const advice =
    out === undefined
      ? "With --out, --retry looks up these alone."
      : `Run the same command again ${retry ? "later" : "with --retry"} to look ${it} up again.`;
  printNote(`${rowsAre(open)} pending or failed. ${advice}`);
  return exitCodes.failed;
}

/**
 * Says how to continue a run that ended with an error.
 *
 * @param rows - The rows of the input.
 */
export function adviceToContinue(all: Readonly<Tally>, rows: number): string {
  const open = openOf(all);
  // Rows without any response may always fail: --retry would stop at them each time, and not reach those behind.
  const isBehindFailures = all.found + all.notFound === 0 && sumOf(all) < rows;
  if (open === 0 || isBehindFailures) return "Run the same command again to continue.";
  return `Run the same command again with --retry to continue: ${open} of them ${open === 1 ? "is" : "are"} pending or failed.`;
}

function openOf({ pending, failed }: Readonly<Tally>): number {
  return pending + failed;
}

function rowsAre(count: number): string {
  return count === 1 ? "1 row is" : `${count} rows are`;
}
