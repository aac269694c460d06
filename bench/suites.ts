/**
 * The parts of the bench. Each runs in its own process; its module is loaded there, with the libraries that it
 * compares.
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
  readonly load: () => Promise<{ readonly run: (base: string) => Promise<readonly Figure[]> }>;
}

export const suites = {
  small: {
    title: "A small POST",
    measures: ["sequential", "64 at once", "in process", "in process, 64 at once"],
    load: () => import("./suites/small.ts"),
  },
  quote: {
    title: "A fare quote of 300 KB",
    measures: ["300 KB"],
    load: () => import("./suites/quote.ts"),
  },
  "quote-interpreted": {
    title: "A fare quote of 300 KB where code cannot be generated from strings",
    measures: ["300 KB"],
    flags: ["--disallow-code-generation-from-strings"],
    load: () => import("./suites/quote.ts"),
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
    load: () => import("./suites/stream.ts"),
  },
  webhook: {
    title: "A webhook delivery",
    measures: ["verify", "handler", "handler, Request to Response"],
    load: () => import("./suites/webhook.ts"),
  },
  cold: {
    title: "A cold start",
    measures: ["import", "first response"],
    load: () => import("./suites/cold.ts"),
  },
  memory: {
    title: "Memory",
    measures: ["new client", "open stream", "200 MB streamed"],
    load: () => import("./suites/memory.ts"),
  },
  bundle: {
    title: "Size",
    measures: ["eager", "whole", "packed"],
    load: () => import("./suites/bundle.ts"),
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
    load: () => import("./suites/growth.ts"),
  },
  long: {
    title: "A long life",
    measures: ["1 GB streamed", "100,000 requests"],
    byNameOnly: true,
    load: () => import("./suites/long.ts"),
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
