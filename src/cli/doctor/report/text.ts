import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
import { type Description, formatLists } from "../../shared/description-list.ts";
import { formatTable, type Row } from "../../shared/table.ts";
import type { Check, CheckState } from "../checks/check.ts";
import { unobservable } from "../live/assumptions.ts";
import type { CallRecord } from "../live/call-record.ts";
import type { Finding } from "../live/judge.ts";
import { adviceOnCall } from "./call-advice.ts";
import { isHealthy, isUsable, needsAction, type Report, stateOf } from "./report.ts";

const symbols: Readonly<Record<CheckState, string>> = { ok: "✔", warning: "!", failed: "✖", notChecked: "–" };
const seenSymbols = { broken: "✖ broken", kept: "✔ kept", notSeen: "– not seen" } as const;

/** Formats a report for a terminal of a width. */
export function formatReport(report: Report, width: number): string {
  const { groups, calls, findings } = report;
  const labels = groups.flatMap(({ checks }) => checks.map(({ name }) => name.length));
  const longest = Math.max(...labels);
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
  const said = state === "notChecked" ? `not checked: ${detail}` : detail;
  const text = advice === undefined ? said : `${said}\n→ ${advice}`;
  return [label, wrapAnsi(text, Math.max(20, width - longest - 6), { hard: true })];
}

function describeCall(call: CallRecord): Description {
  const { operation, exchange, error, duration } = call;
  const status = exchange === undefined ? "no response" : `HTTP ${exchange.status}`;
  const kind = error === undefined ? "" : ` (${error.kind})`;
  const symbol = isUsable(call) ? symbols.ok : symbols.failed;
  const text = `${stateOf(call)}${kind}, ${status}, ${(duration / 1_000).toFixed(1)} s`;
  const advice = adviceOnCall(call);
  return [`${symbol} ${operation}`, advice === undefined ? text : `${text}\n→ ${advice}`];
}

/** From this width on there is room for a column of corrections, which few rows have. */
const wide = 100;

function formatFindings(findings: readonly Finding[], width: number): string {
  const { broken = [], kept = [], notSeen = [] } = Object.groupBy(findings, ({ seen }) => seen);
  const isWide = width >= wide;
  const titles = ["no.", "seen", "we assume", "what was seen", ...(isWide ? ["what corrects it"] : [])];
  // Broken ones come first.
  const lines = [...broken, ...kept].flatMap((finding): Row[] => {
    const { id, seen, adapts, assume, evidence, remedy, options } = finding;
    const symbol = seen === "broken" && adapts ? "! broken" : seenSymbols[seen];
    const cells = [id, symbol, assume, evidence.join("\n")];
    if (isWide) return [[...cells, seen === "broken" ? remedy : options.join(", ")]];
    return seen === "broken" ? [cells, `  → ${remedy}`] : [cells];
  });
  const unseen = [...new Set(notSeen.map(({ id }) => id))];
  const others = unobservable.map(({ reason, ids }) => `${rangesOf(ids)}: ${reason}`).join("\n");
  return [
    styleText("bold", "Assumptions (docs/assumptions.md)"),
    ...(lines.length > 0
      ? [
          formatTable(
            titles.map((title) => ({ title })),
            lines,
            width,
          ),
          "",
        ]
      : []),
    ...(unseen.length > 0 ? [wrapAnsi(`${seenSymbols.notSeen}: ${rangesOf(unseen)}`, width, { hard: true }), ""] : []),
    styleText("bold", "Not visible to these calls"),
    wrapAnsi(others, width, { hard: true }),
  ].join("\n");
}

/** Returns `F5–F10, F14` for a list of numbers. */
export function rangesOf(ids: readonly string[]): string {
  const groups: string[][] = [];
  for (const id of ids) {
    const open = groups.at(-1);
    const last = open?.at(-1);
    const follows = last !== undefined && id === `${id[0]}${Number(last.slice(1)) + 1}` && last[0] === id[0];
    if (follows) open?.push(id);
    else groups.push([id]);
  }
  return groups.map((group) => (group.length > 2 ? `${group[0]}–${group.at(-1)}` : group.join(", "))).join(", ");
}

function summaryOf(report: Report): string {
  const checks = report.groups.flatMap((group) => group.checks);
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length;
  const failures = report.calls.filter((call) => !isUsable(call)).length;
  const breaking = report.findings.filter(needsAction).length;
  const adapted = report.findings.filter(({ seen, adapts }) => seen === "broken" && adapts).length;
  const parts = [
    `${count("failed")} failed`,
    counted(count("warning"), "warning"),
    `${count("notChecked")} not checked`,
    ...(report.calls.length > 0
      ? [
          `${counted(failures, "call")} without a usable response`,
          `${counted(breaking, "assumption")} broken`,
          `${adapted} more that the library adapts to`,
        ]
      : []),
  ];
  const isGood = isHealthy(report);
  const isOpen = checks.some(({ name, state }) => name === "credentials" && state === "notChecked");
  const good = isOpen ? "✔ nothing wrong found" : "✔ healthy";
  const open = isOpen ? "; the credentials were not checked" : "";
  return `${styleText(isGood ? "green" : "red", isGood ? good : "✖ not healthy")}: ${parts.join(", ")}${open}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
