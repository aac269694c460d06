import { basename } from "node:path";
import { MultiBar, type SingleBar } from "cli-progress";
import type { FindManyProgress } from "../../verification/many/options.ts";
import { type ExitCode, exitCodes } from "../shared/errors.ts";
import { wrapText } from "../shared/layout.ts";
import { formatDuration } from "../shared/notes.ts";
import { formatNote, print, printJson, printNote } from "../shared/print.ts";
import type { VerifyFlags } from "./flags.ts";
import { formatTally, sumOf, type Tally } from "./results.ts";

interface ProgressDisplay {
  /** The counts are those of all rows that are done, earlier ones included. */
  update(progress: FindManyProgress): void;
  note(text: string): void;
  stop(): void;
}

/** Milliseconds after which there is another line: after a tenth of the whole, and in any case. */
const pauses = { tenth: 2_000, any: 30_000 };

/** Returns a bar on a terminal, and lines elsewhere; `before` is the number of rows that an earlier run has done. */
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

interface Summary {
  /** The rows of the input. */
  readonly rows: number;
  /** All rows of the output. */
  readonly tally: Readonly<Tally>;
  /** The rows of earlier runs that are still there. */
  readonly before: number;
  /** The rows of earlier runs that this run has replaced. */
  readonly retried: number;
  /** Whether rows are left that this run would have looked up. */
  readonly isInterrupted: boolean;
}

/** Sums up all rows of the output, those of earlier runs included, and returns the exit code. */
export function printSummary(summary: Summary, { out, json, retry }: VerifyFlags): ExitCode {
  const { rows, tally, before, retried, isInterrupted } = summary;
  const done = sumOf(tally);
  if (json && out !== undefined) printJson({ rows, done, before, retried, ...tally });
  const parts = [...(before > 0 ? [`${before} from before`] : []), ...(retried > 0 ? [`${retried} retried`] : [])];
  const since = parts.length > 0 ? ` (${parts.join(", ")})` : "";
  const file = out === undefined ? "the output" : basename(out);
  const line = `${done} of ${rows} rows in ${file}${since}: ${formatTally(tally)}`;
  if (out !== undefined && !json) print(line);
  else printNote(line);
  if (isInterrupted) {
    if (out !== undefined) printNote("Run the same command again to continue.");
    return exitCodes.interrupted;
  }
  const { unusable, doubtful, invalid } = tally;
  if (unusable > 0)
    printNote(`${unusable} found ${unusable === 1 ? "is" : "are"} not usable for payments: see the column error.`);
  if (doubtful > 0) printNote(`${doubtful} found to check before paying: see the column error.`);
  if (invalid > 0) {
    const advice =
      out === undefined
        ? "Put corrected rows into a new file."
        : "Correct them in the input, and run the same command again with --retry.";
    printNote(`${rowsAre(invalid)} invalid: see the column error. ${advice}`);
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

/** Says how to continue a run that ended with an error; `rows` are those of the input. */
export function adviceToContinue(tally: Readonly<Tally>, rows: number): string {
  const open = tally.pending + tally.failed;
  // Rows without any response may always fail: --retry would stop at them each time, and not reach those behind.
  const isBehindFailures = tally.found + tally.notFound === 0 && sumOf(tally) < rows;
  if (open === 0 || isBehindFailures) return "Run the same command again to continue.";
  return `Run the same command again with --retry to continue: ${open} of them ${open === 1 ? "is" : "are"} pending or failed.`;
}

function rowsAre(count: number): string {
  return count === 1 ? "1 row is" : `${count} rows are`;
}
