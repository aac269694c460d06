import type { Seen } from "./assumption.ts";
import type { CallRecord } from "./record.ts";
import { aiRows, flightRows, verificationRows } from "./rows/areas.ts";
import { responseRows, transportRows } from "./rows/responses.ts";

/** Every assumption that harmless calls can show to be kept or broken. */
export const assumptions = Object.entries({
  ...transportRows,
  ...responseRows,
  ...verificationRows,
  ...aiRows,
  ...flightRows,
}).map(([key, { assume, options = [], adapts, remedy, observe }]) => {
  const [id = "", aspect = ""] = key.split(".");
  const next = remedy ?? `none is needed: ${adapts}`;
  return { id, aspect, assume, options, ...(adapts && { adapts: true }), remedy: next, observe };
});

/** The rows of docs/assumptions.md that these calls cannot show, by the reason. */
export const unobservable: readonly { readonly reason: string; readonly ids: readonly string[] }[] = [
  {
    reason: "the service sends webhooks to your endpoint: npx serviceapi webhook tests it",
    ids: Array.from({ length: 21 }, (_, index) => `W${index + 1}`),
  },
  { reason: "checked before anything is sent, by npx serviceapi doctor", ids: ["T2", "T4"] },
  { reason: "this command does not run in a browser", ids: ["T5"] },
  { reason: "each call is made once here, without retries", ids: ["D2", "D5", "D8"] },
  {
    reason: "only a booking shows it, and this command never books",
    ids: "D7 F1 F5 F6 F7 F8 F9 F10 F14 F15 F16 F17 F18 F19 F20 F21 F25 F26 F28 F29 F30 F31".split(" "),
  },
  {
    reason: "only a call without a consent, with other images or with a broken text shows it",
    ids: ["V1", "I7", "I9"],
  },
  { reason: "only a conversation after a response that failed shows it", ids: ["I8"] },
  { reason: "only a search of known age shows it", ids: ["F2", "F27"] },
  { reason: "the time zone of a city is on no response", ids: ["F23", "F24"] },
  { reason: "it is about what the library does, whatever the service sends", ids: ["A7", "A9", "A10", "F13", "F32"] },
];

export interface Finding extends Omit<(typeof assumptions)[number], "observe"> {
  readonly seen: "kept" | "broken" | "notSeen";
  /** One line for each thing that was seen; if a call breaks the assumption, only what breaks it. */
  readonly evidence: readonly string[];
}

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
