import { SingleBar } from "cli-progress";
import type { FindManyProgress } from "../../verification/many/types.ts";
import { formatDuration } from "../shared/duration.ts";
import { printNote } from "../shared/print.ts";
import { formatCounts } from "./counts.ts";

/** Shows how far a run is, on standard error. */
export interface ProgressDisplay {
  /** The counts are those of all rows that are done, earlier ones included. */
  update(progress: FindManyProgress): void;
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

function createBar(before: number, total: number): ProgressDisplay {
  const bar = new SingleBar({
    format: "{bar} {percentage} % | {value}/{total} | {rate}/s | {left} left | {results}",
    stream: process.stderr,
    barsize: 20,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    // The command stops the bar itself, after the requests under way.
    gracefulExit: false,
  });
  let isStarted = false;
  return {
    update(progress) {
      // Not sooner: until the first result, notes say why a person has to wait.
      if (!isStarted && progress.done === before) return;
      if (!isStarted) bar.start(total, before, { rate: "0.0", left: "–", results: "" });
      isStarted = true;
      const { done, perSecond, timeLeft } = progress;
      const results = formatCounts(progress);
      bar.update(done, { rate: perSecond.toFixed(1), left: formatDuration(timeLeft ?? 0), results });
    },
    stop: () => bar.stop(),
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
    stop() {},
  };
}
