import { assumptions } from "./assumptions.ts";
import type { CallRecord } from "./calls.ts";

export interface Finding {
  readonly id: string;
  readonly aspect: string;
  readonly assume: string;
  readonly remedy: string;
  readonly seen: "kept" | "broken" | "notSeen";
  /** One line for each thing that was seen; if a call breaks the assumption, only what breaks it. */
  readonly evidence: readonly string[];
}

export function judge(calls: readonly CallRecord[]): readonly Finding[] {
  return Object.entries(assumptions).map(([key, { assume, remedy, observe }]) => {
    const [id = "", aspect = ""] = key.split(".");
    const all = calls.flatMap((call) => {
      const seen = observe(call);
      return seen === undefined ? [] : [{ operation: call.operation, ...seen }];
    });
    const breaking = all.filter(({ isKept }) => !isKept);
    const seen = breaking.length > 0 ? "broken" : all.length > 0 ? "kept" : "notSeen";
    return { id, aspect, assume, remedy, seen, evidence: summarize(breaking.length > 0 ? breaking : all) };
  });
}

/** One line for each evidence, with the operation that showed it, or their number if all of several agree. */
function summarize(shown: readonly { readonly operation: string; readonly evidence: string }[]): readonly string[] {
  const byEvidence = Map.groupBy(shown, ({ evidence }) => evidence);
  return [...byEvidence].map(([evidence, each]) => {
    const operations = [...new Set(each.map(({ operation }) => operation))];
    const isUnanimous = byEvidence.size === 1 && operations.length > 1;
    return isUnanimous ? `${evidence} (${operations.length} operations)` : `${operations.join(", ")}: ${evidence}`;
  });
}
