import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
import type { ErrorKind } from "../../errors/base.ts";
import { version } from "../../version.ts";
import { type Description, formatLists, formatTable, type Row } from "../shared/layout.ts";
import { type Check, type CheckGroup, type CheckState, noneFailed } from "./checks/check.ts";
import { type Finding, unobservable } from "./live/judge.ts";
import { type CallRecord, refusalOf } from "./live/record.ts";

export interface Report {
  readonly groups: readonly CheckGroup[];
  readonly calls: readonly CallRecord[];
  /** Empty if no call was made. */
  readonly findings: readonly Finding[];
}

/** Returns how a call ended: accepted, refused by the service, or without a usable response. */
function stateOf({ error, envelope }: CallRecord): "accepted" | "refused" | "failed" {
  if (error === undefined) return "accepted";
  const isStated = error.kind === "stream_failed" ? error.reason === "failed" : refusalOf(error) !== undefined;
  return isStated && envelope.verdict !== "unknown" ? "refused" : "failed";
}

function isUsable(call: CallRecord): boolean {
  const state = stateOf(call);
  if (state !== "refused") return state === "accepted";
  // Refusals of a look-up that are its result: the service has nothing, or is still looking.
  return call.name === "refusal" ? call.gotThrough : ["not_found", "in_progress"].includes(call.error?.kind ?? "");
}

/** Returns whether an assumption was seen broken and something has to be done about it. */
function needsAction({ seen, adapts }: Finding): boolean {
  return seen === "broken" && !adapts;
}

/** Returns whether no check failed, every call had a usable response, and no broken assumption needs an action. */
export function isHealthy({ groups, calls, findings }: Report): boolean {
  const checks = groups.flatMap((group) => group.checks);
  return noneFailed(checks) && calls.every(isUsable) && !findings.some(needsAction);
}

export function reportJson(report: Report): object {
  const { groups, calls, findings } = report;
  return {
    ok: isHealthy(report),
    version,
    runtime: process.version,
    checks: groups.flatMap(({ title, checks }) => checks.map((check) => ({ group: title, ...check }))),
    ...(calls.length > 0 && { calls: calls.map(callJson), assumptions: findings, unobservable }),
  };
}

function callJson(call: CallRecord): object {
  const { name, operation, duration, exchange, error } = call;
  return {
    ...{ name, operation, state: stateOf(call), isUsable: isUsable(call), duration: Math.round(duration) },
    httpStatus: exchange?.status ?? null,
    kind: error?.kind ?? null,
  };
}

const stateWords = { ok: "ok", warning: "warning", failed: "**failed**", notChecked: "not checked" } as const;
const seenWords = { broken: "**broken**", kept: "kept", notSeen: "not seen" } as const;

/** Formats a report as Markdown for an issue. It names neither hosts nor values of settings. */
export function reportMarkdown({ groups, calls, findings }: Report): string {
  // The details of a check may name a host.
  const checks = groups.flatMap((group) => group.checks);
  const checked = checks.map(({ name, state, advice = "" }) => [name, stateWords[state], advice]);
  const made = calls.map((call) => [
    ...[call.operation, stateOf(call), String(call.exchange?.status ?? "none"), call.error?.kind ?? ""],
  ]);
  const rows = findings.map((finding) => [
    ...[finding.id, finding.assume, seenWords[finding.seen], finding.evidence.join("; "), correctionOf(finding)],
  ]);
  return [
    `serviceapi ${version}, ${process.version}`,
    markdownTable(["check", "result", "what to do"], checked),
    ...(made.length > 0 ? [markdownTable(["call", "result", "HTTP status", "kind of error"], made)] : []),
    ...(rows.length > 0
      ? [markdownTable(["no.", "we assume", "seen", "what was seen", "what corrects it"], rows)]
      : []),
  ].join("\n\n");
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // A cell is one line, and a pipe would end it.
  const escapeCell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n");
}

function correctionOf({ seen, remedy, options }: Finding): string {
  return seen === "broken" ? remedy : options.join(", ");
}

const symbols: Readonly<Record<CheckState, string>> = { ok: "✔", warning: "!", failed: "✖", notChecked: "–" };
const seenSymbols = { broken: "✖ broken", kept: "✔ kept", notSeen: "– not seen" } as const;

export function formatReport(report: Report, width: number): string {
  const { groups, calls, findings } = report;
  const longest = Math.max(...groups.flatMap(({ checks }) => checks.map(({ name }) => name.length)));
  const tables = groups.map(({ title, checks }) => ({
    title,
    items: checks.map((check) => describeCheck(check, longest, width)),
  }));
  const parts = [formatLists(tables)];
  if (calls.length > 0) {
    parts.push(formatLists([{ title: "Calls", items: calls.map(describeCall) }]), formatFindings(findings, width));
  }
  return [...parts, wrapAnsi(summaryOf(report), width)].join("\n\n");
}

function describeCheck({ name, state, detail, advice }: Check, longest: number, width: number): Description {
  const label = `${symbols[state]} ${name}`.padEnd(longest + 2);
  const text = withAdvice(state === "notChecked" ? `not checked: ${detail}` : detail, advice);
  return [label, wrapAnsi(text, Math.max(20, width - longest - 6), { hard: true })];
}

function describeCall(call: CallRecord): Description {
  const { operation, exchange, error, duration } = call;
  const status = exchange === undefined ? "no response" : `HTTP ${exchange.status}`;
  const kind = error === undefined ? "" : ` (${error.kind})`;
  const text = `${stateOf(call)}${kind}, ${status}, ${(duration / 1_000).toFixed(1)} s`;
  return [`${isUsable(call) ? symbols.ok : symbols.failed} ${operation}`, withAdvice(text, adviceOnCall(call))];
}

function withAdvice(text: string, advice: string | undefined): string {
  return advice === undefined ? text : `${text}\n→ ${advice}`;
}

const searchAgain = "Search again, and pass the new trace_id and token to --quote.";
const runAgain = "Wait, and run it again.";
const readAccess = "See what to do under Access.";

const advice: Readonly<Partial<Record<ErrorKind, string>>> = {
  session_expired: searchAgain,
  offer_unavailable: searchAgain,
  trace_mismatch: searchAgain,
  rate_limited: runAgain,
  unavailable: runAgain,
  duplicate: runAgain,
  authentication: readAccess,
  permission: readAccess,
  stream_failed: "Run it again; if it fails again, ask the service operator.",
};

/** Returns the next step after a call that the service refused; undefined if nothing has to be done. */
function adviceOnCall(call: CallRecord): string | undefined {
  if (stateOf(call) !== "refused" || isUsable(call)) return undefined;
  return advice[call.error?.kind ?? "invalid"] ?? "Check the value that was passed for this call.";
}

/** From this width on there is room for a column of corrections, which few rows have. */
const wide = 100;

function formatFindings(findings: readonly Finding[], width: number): string {
  const { broken = [], kept = [], notSeen = [] } = Object.groupBy(findings, ({ seen }) => seen);
  const isWide = width >= wide;
  const titles = ["no.", "seen", "we assume", "what was seen", ...(isWide ? ["what corrects it"] : [])];
  // Broken ones come first.
  const rows = [...broken, ...kept].flatMap((finding): Row[] => {
    const { id, seen, adapts, assume, evidence, remedy } = finding;
    const symbol = seen === "broken" && adapts ? "! broken" : seenSymbols[seen];
    const cells = [id, symbol, assume, evidence.join("\n")];
    if (isWide) return [[...cells, correctionOf(finding)]];
    return seen === "broken" ? [cells, `  → ${remedy}`] : [cells];
  });
  const unseen = [...new Set(notSeen.map(({ id }) => id))];
  const others = unobservable.map(({ reason, ids }) => `${rangesOf(ids)}: ${reason}`).join("\n");
  return [
    styleText("bold", "Assumptions (docs/assumptions.md)"),
    ...(rows.length > 0 ? [formatTable(titles, rows, width), ""] : []),
    ...(unseen.length > 0 ? [wrapAnsi(`${seenSymbols.notSeen}: ${rangesOf(unseen)}`, width, { hard: true }), ""] : []),
    styleText("bold", "Not visible to these calls"),
    wrapAnsi(others, width, { hard: true }),
  ].join("\n");
}

/** Returns `F5–F10, F14` for a list of numbers. */
function rangesOf(ids: readonly string[]): string {
  const groups: string[][] = [];
  for (const id of ids) {
    const open = groups.at(-1);
    const last = open?.at(-1);
    if (last !== undefined && id === `${last[0]}${Number(last.slice(1)) + 1}`) open?.push(id);
    else groups.push([id]);
  }
  return groups.map((group) => (group.length > 2 ? `${group[0]}–${group.at(-1)}` : group.join(", "))).join(", ");
}

function summaryOf(report: Report): string {
  const checks = report.groups.flatMap((group) => group.checks);
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length;
  const adapted = report.findings.filter(({ seen, adapts }) => seen === "broken" && adapts).length;
  const parts = [
    `${count("failed")} failed`,
    counted(count("warning"), "warning"),
    `${count("notChecked")} not checked`,
    ...(report.calls.length > 0
      ? [
          `${counted(report.calls.filter((call) => !isUsable(call)).length, "call")} without a usable response`,
          `${counted(report.findings.filter(needsAction).length, "assumption")} broken`,
          `${adapted} more that the library adapts to`,
        ]
      : []),
  ];
  const isOpen = checks.some(({ name, state }) => name === "credentials" && state === "notChecked");
  const good = isOpen ? "✔ nothing wrong found" : "✔ healthy";
  const verdict = isHealthy(report) ? styleText("green", good) : styleText("red", "✖ not healthy");
  return `${verdict}: ${parts.join(", ")}${isOpen ? "; the credentials were not checked" : ""}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
