import { basename } from "node:path";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { print, printJson, printNote } from "../shared/print.ts";
import type { Cautions } from "./cautions.ts";
import { addCounts, type Counts, formatCounts, sumOf } from "./counts.ts";
import type { VerifyFlags } from "./flags.ts";

/** The rows of a run. */
export interface Tally {
  /** The rows of the input. */
  readonly rows: number;
  /** The rows that this run has written, by their status. */
  readonly counts: Readonly<Counts>;
  /** The rows of earlier runs that are still there, by their status. */
  readonly earlier: Readonly<Counts>;
  /** The rows of earlier runs that this run has replaced. */
  readonly retried: number;
  /** The found rows to look at before paying, those of earlier runs included. */
  readonly cautions: Cautions;
  /** Whether rows are left that this run would have looked up. */
  readonly isInterrupted: boolean;
}

/** Sums up all rows of the output, those of earlier runs included, and returns the exit code. */
export function printSummary(tally: Tally, { out, json, retry }: VerifyFlags): ExitCode {
  const { rows, earlier, retried, cautions, isInterrupted } = tally;
  const all = addCounts(tally.counts, earlier);
  if (json && out !== undefined)
    printJson({ rows, done: sumOf(all), before: sumOf(earlier), retried, ...all, ...cautions });
  const line = formatSummary(tally, all, out);
  if (out !== undefined && !json) print(line);
  else printNote(line);
  if (isInterrupted) {
    if (out !== undefined) printNote("Run the same command again to continue.");
    return exitCodes.interrupted;
  }
  const { unusable, doubtful } = cautions;
  if (unusable > 0)
    printNote(`${unusable} found ${unusable === 1 ? "is" : "are"} not usable for payments: see the column error.`);
  if (doubtful > 0) printNote(`${doubtful} found to check before paying: see the column error.`);
  if (all.invalid > 0) {
    const advice = out === undefined ? "Put corrected rows into a new file." : adviceForInvalid;
    printNote(`${rowsAre(all.invalid)} invalid: see the column error. ${advice}`);
  }
  const open = openOf(all);
  if (open === 0) return exitCodes.done;
  const advice = out === undefined ? "With --out, --retry looks up these alone." : adviceForOpen(open, retry);
  printNote(`${rowsAre(open)} pending or failed. ${advice}`);
  return exitCodes.failed;
}

const adviceForInvalid = "Correct them in the input, and run the same command again with --retry.";

/**
 * Says how to continue a run that ended with an error.
 *
 * @param rows - The rows of the input.
 */
export function adviceToContinue(all: Readonly<Counts>, rows: number): string {
  const open = openOf(all);
  // Rows without any response may always fail: --retry would stop at them each time, and not reach those behind.
  const isBehindFailures = all.found + all.notFound === 0 && sumOf(all) < rows;
  if (open === 0 || isBehindFailures) return "Run the same command again to continue.";
  return `Run the same command again with --retry to continue: ${open} of them ${open === 1 ? "is" : "are"} pending or failed.`;
}

function adviceForOpen(open: number, retry = false): string {
  return `Run the same command again ${retry ? "later" : "with --retry"} to look ${open === 1 ? "it" : "them"} up again.`;
}

function formatSummary({ rows, earlier, retried }: Tally, all: Readonly<Counts>, out: string | undefined): string {
  const before = sumOf(earlier);
  const parts = [...(before > 0 ? [`${before} from before`] : []), ...(retried > 0 ? [`${retried} retried`] : [])];
  const since = parts.length > 0 ? ` (${parts.join(", ")})` : "";
  return `${sumOf(all)} of ${rows} rows in ${out === undefined ? "the output" : basename(out)}${since}: ${formatCounts(all)}`;
}

function openOf({ pending, failed }: Readonly<Counts>): number {
  return pending + failed;
}

function rowsAre(count: number): string {
  return count === 1 ? "1 row is" : `${count} rows are`;
}
