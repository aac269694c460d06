/**
 * The limit of each figure. `goal` is what it should be; `held` is what `--check` refuses to exceed: the value when the
 * budget was written, with room for a busy machine. A goal that is not met yet is shown as such; lower `held` when it
 * is.
 */
import type { Figure } from "./measure.ts";
import { type SuiteName, suites } from "./suites.ts";

export interface Budget {
  readonly suite: SuiteName;
  readonly measure: string;
  readonly contestant: string;
  /** The figure that is limited: the ratio to the floor, or the value in its unit. */
  readonly of: "ratio" | "value";
  readonly goal: number;
  readonly held: number;
}

type Limits = readonly [contestant: string, goal: number, held: number];

function budgets(suite: SuiteName, measure: string, of: Budget["of"], ...rows: readonly Limits[]): Budget[] {
  return rows.map(([contestant, goal, held]) => ({ suite, measure, contestant, of, goal, held }));
}

const core = "serviceapi/core";
const node = "serviceapi/node";
/** The measures that must not grow; all others may grow with their size. */
const constants: readonly string[] = ["references in a store", "rows in a journal"];
const firstChunks = suites.stream.measures.filter((measure) => measure.startsWith("first chunk"));
const exponents = suites.growth.measures.filter((measure) => !constants.includes(measure));

export const budgetTable: readonly Budget[] = [
  ...budgets("small", "sequential", "ratio", ["serviceapi", 1.2, 1.8], [core, 1.2, 1.8], [node, 0.65, 0.95]),
  ...budgets("small", "64 at once", "ratio", ["serviceapi", 1.2, 1.7], [core, 1.2, 1.7], [node, 0.6, 0.95]),
  ...budgets("quote", "300 KB", "ratio", ["serviceapi", 1.12, 1.5]),
  ...budgets("quote-interpreted", "300 KB", "ratio", ["serviceapi", 1.3, 1.5]),
  ...budgets("stream", "event, in blocks", "ratio", ["serviceapi", 1.15, 1.65]),
  ...budgets("stream", "event, one per write", "ratio", ["serviceapi", 1.15, 1.55]),
  ...budgets("stream", "first event", "ratio", ["serviceapi", 1.15, 1.75]),
  ...firstChunks.flatMap((measure) => budgets("stream", measure, "ratio", ["serviceapi", 1.1, 1.75])),
  ...budgets("webhook", "verify", "ratio", ["serviceapi", 1.25, 1.65]),
  ...budgets("webhook", "handler", "ratio", ["serviceapi", 3, 3.5]),
  ...budgets("webhook", "handler, Request to Response", "ratio", ["serviceapi", 1.8, 2]),
  ...budgets("cold", "import", "value", ["serviceapi", 20, 30], ["serviceapi/webhooks", 6, 12], [core, 20, 20]),
  ...budgets("cold", "first response", "ratio", ["serviceapi", 1.15, 1.85], ["serviceapi, compile cache", 1.15, 1.7]),
  ...budgets("memory", "new client", "value", ["serviceapi", 1, 1.05]),
  ...budgets("memory", "open stream", "ratio", ["serviceapi", 1.12, 1.25]),
  ...budgets("memory", "200 MB streamed", "value", ["serviceapi", 2, 4]),
  ...budgets(
    "bundle",
    "bundle at start",
    "value",
    ["serviceapi", 44, 48.5],
    ["serviceapi/webhooks", 9, 18.2],
    ["one error class", 2, 2],
    ["one isInstance", 2, 2],
    ["core + verification", 20, 22.9],
    ["core + verification + ai", 28, 29.9],
  ),
  ...budgets("bundle", "loaded later", "value", ["serviceapi", 30, 30]),
  ...budgets("bundle", "packed", "value", ["serviceapi", 900, 1196]),
  ...exponents.flatMap((measure) => budgets("growth", measure, "value", ["exponent", 1.1, 1.35])),
  ...constants.flatMap((measure) => budgets("growth", measure, "value", ["exponent", 0.2, 0.5])),
  ...budgets("long", "1 GB streamed", "value", ["serviceapi", 2, 8]),
  ...budgets("long", "100,000 requests", "value", ["serviceapi", 2, 8]),
];

/** A budget, with the figure that it limits: undefined if the figure is missing. */
export interface Verdict {
  readonly budget: Budget;
  readonly actual: number | undefined;
  readonly isMet: boolean;
  readonly isHeld: boolean;
}

/** Holds the figures of a part to its budgets. */
export function verdictsOf(suite: SuiteName, figures: readonly Figure[]): Verdict[] {
  return budgetTable
    .filter((budget) => budget.suite === suite)
    .map((budget) => {
      const { measure, contestant, of, goal, held } = budget;
      const actual = figures.find((figure) => figure.measure === measure && figure.contestant === contestant)?.[of];
      const isAtMost = (limit: number) => actual !== undefined && actual <= limit;
      return { budget, actual, isMet: isAtMost(goal), isHeld: isAtMost(held) };
    });
}
