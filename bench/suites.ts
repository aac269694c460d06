/**
 * The parts of the bench. Each runs in its own process; its module of suites/ is loaded there, with the libraries that
 * it compares.
 */
import type { Figure } from "./measure.ts";

export interface Suite {
  readonly title: string;
  /** The parts that are measured, in the order of the tables; each row of budgets.ts names one. */
  readonly measures: readonly string[];
  /** Flags of Node for the process of this part. */
  readonly flags?: readonly string[];
  /** Whether it runs only if it is named. */
  readonly byNameOnly?: true;
  /** Whether `--profile` runs it. */
  readonly isProfiled?: true;
  /** Its module in suites/, if that is not named like the part. */
  readonly module?: string;
}

export const suites = {
  small: {
    title: "A small POST",
    measures: ["sequential", "64 at once", "in process", "in process, 64 at once"],
    isProfiled: true,
  },
  quote: {
    title: "A fare quote of 300 KB",
    measures: ["300 KB"],
    isProfiled: true,
  },
  "quote-interpreted": {
    title: "A fare quote of 300 KB where code cannot be generated from strings",
    measures: ["300 KB"],
    flags: ["--disallow-code-generation-from-strings"],
    module: "quote",
  },
  stream: {
    title: "A stream of events",
    measures: [
      "event, in blocks",
      "event, one per write",
      "first event, then a chunk and a pause",
      "first chunk, number 0, then a pause",
      "first chunk, number 1, then a pause",
      "first chunk, number 5, then a pause",
    ],
    isProfiled: true,
  },
  webhook: {
    title: "A webhook delivery",
    measures: ["verify", "handler", "handler, Request to Response"],
    isProfiled: true,
  },
  cold: {
    title: "A cold start",
    measures: ["import", "first response"],
  },
  memory: {
    title: "Memory",
    measures: ["new client", "open stream", "200 MB streamed"],
  },
  bundle: {
    title: "Size",
    measures: ["eager", "whole", "packed"],
    isProfiled: true,
  },
  growth: {
    title: "How cost grows",
    measures: [
      "body size",
      "segments",
      "passengers",
      "events",
      "events, in chunks of one byte",
      "concurrent calls",
      "references in a store",
      "rows in a journal",
    ],
  },
  long: {
    title: "A long life",
    measures: ["1 GB streamed", "100,000 requests"],
    byNameOnly: true,
  },
} satisfies Readonly<Record<string, Suite>>;

export type SuiteName = keyof typeof suites;

/** The figures of a part, with its name. */
export interface SuiteResult {
  readonly suite: SuiteName;
  readonly figures: readonly Figure[];
}

export function isSuiteName(name: string): name is SuiteName {
  return Object.hasOwn(suites, name);
}
