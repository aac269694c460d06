import type { Assumption, Seen } from "./assumption.ts";
import { assumptions } from "./assumptions.ts";
import type { CallRecord } from "./call-record.ts";

/** The verdict of all calls together on an assumption. */
export interface Finding extends Omit<Assumption, "observe"> {
  readonly seen: "kept" | "broken" | "notSeen";
  /** One line for each thing that was seen; if a call breaks the assumption, only what breaks it. */
  readonly evidence: readonly string[];
}

/** Judges every assumption by the calls that were made. */
export function judge(calls: readonly CallRecord[]): readonly Finding[] {
  return assumptions.map(({ observe, ...assumption }) => {
    const all = calls.flatMap((call) => {
      const seen = observe(call);
      return seen === undefined ? [] : [{ operation: call.operation, seen }];
    });
    const breaking = all.filter(({ seen }) => !seen.isKept);
    const shown = breaking.length > 0 ? breaking : all;
    const seen = breaking.length > 0 ? "broken" : all.length > 0 ? "kept" : "notSeen";
    return { ...assumption, seen, evidence: summarize(shown) };
  });
}

/** One line for each evidence, with the operation that showed it, or their number if all of several agree. */
function summarize(shown: readonly { readonly operation: string; readonly seen: Seen }[]): readonly string[] {
  const byEvidence = Map.groupBy(shown, ({ seen }) => seen.evidence);
  return [...byEvidence].map(([evidence, each]) => {
    const operations = [...new Set(each.map(({ operation }) => operation))];
    const isUnanimous = byEvidence.size === 1 && operations.length > 1;
    return isUnanimous ? `${evidence} (${operations.length} operations)` : `${operations.join(", ")}: ${evidence}`;
  });
}
