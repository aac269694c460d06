/**
 * The limit of each figure. `goal` is what it should be; `held` is what `--check` refuses to exceed: the value when the
 * budget was written, with room for a busy machine. Both are decided only if the spread of the figure allows it. A goal
 * that is not met yet is shown as such; lower `held` when it is.
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
const beforePauses = suites.stream.measures.filter((measure) => measure.startsWith("first"));
const exponents = suites.growth.measures.filter((measure) => !constants.includes(measure));

export const budgetTable: readonly Budget[] = [
  ...budgets("small", "sequential", "ratio", ["serviceapi", 1.2, 1.8], [core, 1.2, 1.8], [node, 0.5, 0.95]),
  ...budgets("small", "64 at once", "ratio", ["serviceapi", 1.15, 1.7], [core, 1.15, 1.7], [node, 0.5, 0.95]),
  ...budgets("small", "in process", "ratio", ["serviceapi", 1.15, 1.8], [core, 1.15, 1.8]),
  ...budgets("small", "in process, 64 at once", "ratio", ["serviceapi", 1.15, 1.8], [core, 1.15, 1.8]),
  ...budgets("quote", "300 KB", "ratio", ["serviceapi", 1.08, 1.5]),
  ...budgets("quote-interpreted", "300 KB", "ratio", ["serviceapi", 1.3, 1.5]),
  ...budgets("stream", "event, in blocks", "ratio", ["serviceapi", 1.12, 1.65]),
  ...budgets("stream", "event, one per write", "ratio", ["serviceapi", 1.15, 1.55]),
  ...beforePauses.flatMap((measure) => budgets("stream", measure, "ratio", ["serviceapi", 1.1, 1.75])),
  ...budgets("webhook", "verify", "ratio", ["serviceapi", 1.2, 1.9]),
  ...budgets("webhook", "handler", "ratio", ["serviceapi", 2.2, 4.2]),
  ...budgets("webhook", "handler, Request to Response", "ratio", ["serviceapi", 1.4, 2]),
  ...budgets(
    "cold",
    "import",
    "ratio",
    ["serviceapi", 1.18, 1.6],
    ["serviceapi/webhooks", 1.1, 1.3],
    [core, 1.18, 1.55],
  ),
  ...budgets("cold", "first response", "ratio", ["serviceapi", 1.12, 1.85], ["serviceapi, compile cache", 1.12, 1.7]),
  ...budgets("memory", "new client", "value", ["serviceapi", 0.7, 1.05]),
  ...budgets("memory", "open stream", "ratio", ["serviceapi", 1.08, 1.25]),
  ...budgets("memory", "200 MB streamed", "value", ["serviceapi", 2, 4]),
  ...budgets(
    "bundle",
    "eager",
    "value",
    ["{ ServiceApi }", 32, 46.7],
    ["{ Webhooks, hmac }", 10.5, 17.3],
    ["core with findVpas", 14, 26.2],
    ["one error class", 2, 2],
    ["one isInstance", 2, 2],
  ),
  ...budgets("bundle", "whole", "value", ["{ ServiceApi }", 50, 82.7]),
  ...budgets("bundle", "packed", "value", ["serviceapi", 900, 1196]),
  ...exponents.flatMap((measure) => budgets("growth", measure, "value", ["exponent", 1.1, 1.35])),
  ...constants.flatMap((measure) => budgets("growth", measure, "value", ["exponent", 0.2, 0.5])),
  ...budgets("long", "1 GB streamed", "value", ["serviceapi", 2, 8]),
  ...budgets("long", "100,000 requests", "value", ["serviceapi", 2, 8]),
];

/** Whether a figure is within a limit: unclear if the limit is within the spread of the figure. */
export type Judgement = "within" | "over" | "unclear";

/** A budget, with the figure that it limits: undefined, and over both limits, if the figure is missing. */
export interface Verdict {
  readonly budget: Budget;
  readonly actual: number | undefined;
  readonly goal: Judgement;
  readonly held: Judgement;
}

/** Compares the figures of a part with its budgets. */
export function verdictsOf(suite: SuiteName, figures: readonly Figure[]): Verdict[] {
  return budgetTable
    .filter((budget) => budget.suite === suite)
    .map((budget) => {
      const { measure, contestant, of, goal, held } = budget;
      const figure = figures.find((one) => one.measure === measure && one.contestant === contestant);
      const actual = figure?.[of];
      const judge = (limit: number) => judgement(actual, figure?.spread ?? 0, limit);
      return { budget, actual, goal: judge(goal), held: judge(held) };
    });
}

function judgement(actual: number | undefined, spread: number, limit: number): Judgement {
  if (actual === undefined || actual * (1 - spread) > limit) return "over";
  return actual * (1 + spread) <= limit ? "within" : "unclear";
}
