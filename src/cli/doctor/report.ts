import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
import { type ByKind, ofKind } from "../../errors/base.ts";
import { version } from "../../version.ts";
import { type Description, formatLists, formatTable, type Row, unwrapped } from "../shared/layout.ts";
import type { Finding } from "./live/assumptions.ts";
import type { CallRecord } from "./live/calls.ts";

/** The checks and the calls that were made. Without a call there are no findings. */
export interface Report {
  readonly groups: readonly { readonly title: string; readonly checks: readonly Check[] }[];
  readonly calls: readonly CallRecord[];
  readonly findings: readonly Finding[];
}

export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed" | "notChecked";
  /** The finding, or the reason why it was not checked. Never the value of a setting. */
  readonly detail: string;
  readonly advice?: string | undefined;
}

const stating =
  (state: Check["state"]) =>
  (name: string, detail: string, advice?: string): Check => ({ name, state, detail, advice });
export const ok = stating("ok");
export const warning = stating("warning");
export const failed = stating("failed");
export const notChecked = stating("notChecked");

export function noneFailed(checks: readonly Check[]): boolean {
  return checks.every(({ state }) => state !== "failed");
}

export function isHealthy({ groups, calls, findings }: Report): boolean {
  const checks = groups.flatMap((group) => group.checks);
  const isKept = findings.every(({ seen }) => seen !== "broken");
  return noneFailed(checks) && calls.every(({ isUsable }) => isUsable) && isKept;
}

export function reportJson(report: Report): object {
  const { groups, calls, findings } = report;
  return {
    ok: isHealthy(report),
    version,
    runtime: process.version,
    checks: groups.flatMap(({ title, checks }) => checks.map((check) => ({ group: title, ...check }))),
    ...(calls.length > 0 && { calls: calls.map(summarize), assumptions: findings }),
  };
}

function summarize({ name, operation, state, isUsable, duration, httpStatus, kind }: CallRecord) {
  return { name, operation, state, isUsable, duration: Math.round(duration), httpStatus, kind };
}

const symbols: Readonly<Record<Check["state"], string>> = { ok: "✔", warning: "!", failed: "✖", notChecked: "–" };

export function formatReport(report: Report, width: number): string {
  const { groups, calls, findings } = report;
  const longest = Math.max(...groups.flatMap(({ checks }) => checks.map(({ name }) => name.length)));
  const describeCheck = ({ name, state, detail, advice }: Check): Description => {
    const text = withAdvice(state === "notChecked" ? `not checked: ${detail}` : detail, advice);
    return [`${symbols[state]} ${name}`.padEnd(longest + 2), text];
  };
  const lists = Object.fromEntries(groups.map(({ title, checks }) => [title, checks.map(describeCheck)]));
  const live =
    calls.length === 0
      ? []
      : [formatLists({ Calls: calls.map(describeCall) }, unwrapped), formatFindings(findings, width)];
  return [formatLists(lists, width), ...live, wrapAnsi(summaryOf(report), width)].join("\n\n");
}

function describeCall({ operation, state, isUsable, httpStatus, kind, duration }: CallRecord): Description {
  const status = httpStatus === null ? "no response" : `HTTP ${httpStatus}`;
  const text = `${state}${kind === null ? "" : ` (${kind})`}, ${status}, ${(duration / 1_000).toFixed(1)} s`;
  const next = ofKind(advice, kind ?? "invalid") ?? "Check the value that was passed for this call.";
  const isAdvised = state === "refused" && !isUsable;
  return [`${isUsable ? symbols.ok : symbols.failed} ${operation}`, withAdvice(text, isAdvised ? next : undefined)];
}

function withAdvice(text: string, advice: string | undefined): string {
  return advice === undefined ? text : `${text}\n→ ${advice}`;
}

const runAgain = "Wait, and run it again.";

const advice: ByKind<string> = {
  search: "Search again, and pass the new trace_id and token to --quote.",
  retry: runAgain,
  lookUp: runAgain,
  account: "See what to do under Access.",
  insufficient_balance: "Add funds to the account.",
  stream_failed: "Run it again; if it fails again, ask the service operator.",
};

function formatFindings(findings: readonly Finding[], width: number): string {
  const { broken = [], kept = [], notSeen = [] } = Object.groupBy(findings, ({ seen }) => seen);
  const rows = [...broken, ...kept].flatMap(({ id, seen, assume, evidence, remedy }): Row[] => {
    const row = [id, seen === "broken" ? "✖ broken" : "✔ kept", assume, evidence.join("\n")];
    return seen === "broken" ? [row, `  → ${remedy}`] : [row];
  });
  const unseen = [...new Set(notSeen.map(({ id }) => id))].join(", ");
  return [
    styleText("bold", "Assumptions (docs/assumptions.md)"),
    ...(rows.length > 0 ? [formatTable(["no.", "seen", "we assume", "what was seen"], rows, width)] : []),
    ...(unseen === "" ? [] : ["", wrapAnsi(`– not seen: ${unseen}`, width, { hard: true })]),
  ].join("\n");
}

function summaryOf(report: Report): string {
  const { groups, calls, findings } = report;
  const checks = groups.flatMap((group) => group.checks);
  const count = (state: Check["state"]) => checks.filter((check) => check.state === state).length;
  const counted = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const unusable = calls.filter(({ isUsable }) => !isUsable).length;
  const broken = findings.filter(({ seen }) => seen === "broken").length;
  const parts = [
    `${count("failed")} failed`,
    counted(count("warning"), "warning"),
    `${count("notChecked")} not checked`,
  ];
  if (calls.length > 0) {
    parts.push(`${counted(unusable, "call")} without a usable response`, `${counted(broken, "assumption")} broken`);
  }
  const isOpen = checks.some(({ name, state }) => name === "credentials" && state === "notChecked");
  const good = isOpen ? "✔ nothing wrong found" : "✔ healthy";
  const verdict = isHealthy(report) ? styleText("green", good) : styleText("red", "✖ not healthy");
  return `${verdict}: ${parts.join(", ")}${isOpen ? "; the credentials were not checked" : ""}`;
}
