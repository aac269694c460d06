import { SingleBar } from "cli-progress";
import type { FindManyProgress } from "../../verification/many/types.ts";
import { printNote } from "../shared/action.ts";

/** Shows how far a run is, on standard error. */
export interface ProgressDisplay {
  update(progress: FindManyProgress): void;
  stop(): void;
}

/** Milliseconds after which there is another line: after a tenth of the whole, and in any case. */
const pauses = { tenth: 2_000, any: 30_000 };

/** Returns a bar on a terminal, and lines elsewhere. */
export function createDisplay(done: number, total: number): ProgressDisplay {
  const isTerminal = process.stderr.isTTY && process.env.TERM !== "dumb";
  return isTerminal ? createBar(done, total) : createLines(done, total);
}

function createBar(done: number, total: number): ProgressDisplay {
  const bar = new SingleBar({
    format: "{bar} {percentage} % | {value}/{total} | {rate}/s | {left} left | {found} found, {failed} failed",
    stream: process.stderr,
    barsize: 20,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    // The command stops the bar itself, after the requests under way.
    gracefulExit: false,
  });
  bar.start(total, done, { rate: "0.0", left: "–", found: 0, failed: 0 });
  return {
    update({ done: more, perSecond, etaMs, found, failed }) {
      bar.update(done + more, { rate: perSecond.toFixed(1), left: formatDuration(etaMs ?? 0), found, failed });
    },
    stop: () => bar.stop(),
  };
}

function createLines(done: number, total: number): ProgressDisplay {
  let shown = { at: performance.now(), part: done / total };
  return {
    update({ done: more, perSecond, etaMs, found, failed }) {
      const part = (done + more) / total;
      const now = performance.now();
      if (now - shown.at < (part - shown.part < 0.1 ? pauses.any : pauses.tenth)) return;
      shown = { at: now, part };
      const rate = `${perSecond.toFixed(1)}/s, ${formatDuration(etaMs ?? 0)} left`;
      printNote(`${done + more} of ${total} rows, ${rate}, ${found} found, ${failed} failed`);
    },
    stop() {},
  };
}

/** Formats a duration in its two largest units: `2 h 5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}
