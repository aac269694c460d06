import { MultiBar, type SingleBar } from "cli-progress";
import type { FindManyProgress } from "../../verification/many/options.ts";
import { formatDuration } from "../shared/duration.ts";
import { formatNote, printNote } from "../shared/print.ts";
import { wrapText } from "../shared/wrap.ts";
import { formatCounts } from "./counts.ts";

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
      const results = formatCounts(progress);
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
      printNote(`${done} of ${total} rows, ${rate}, ${formatCounts(progress)}`);
    },
    note: printNote,
    stop() {},
  };
}
