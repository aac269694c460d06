import { styleText } from "node:util";
import wrapAnsi from "wrap-ansi";
import { formatTables, type Row } from "../../shared/format-table.ts";
import type { Check, CheckState } from "../checks/check.ts";
import { unobservable } from "../live/assumptions.ts";
import type { CallRecord } from "../live/call-record.ts";
import type { Finding } from "../live/judge.ts";
import { formatGrid } from "./grid.ts";
import { isHealthy, needsAction, type Report, stateOf } from "./report.ts";

const symbols: Readonly<Record<CheckState, string>> = { ok: "✔", warning: "!", failed: "✖", notChecked: "–" };
const seenSymbols = { broken: "✖ broken", kept: "✔ kept", notSeen: "– not seen" } as const;

/** Formats a report for a terminal of a width. */
export function formatReport(report: Report, width: number): string {
  const { groups, calls, findings } = report;
  const labels = groups.flatMap(({ checks }) => checks.map(({ name }) => name.length));
  const longest = Math.max(...labels);
  const tables = groups.map(({ title, checks }) => ({
    title,
    rows: checks.map((check) => checkRow(check, longest, width)),
  }));
  const parts = [formatTables(tables)];
  if (calls.length > 0) {
    parts.push(formatTables([{ title: "Calls", rows: calls.map(callRow) }]), formatFindings(findings, width));
  }
  return [...parts, wrapAnsi(summaryOf(report), width)].join("\n\n");
}

function checkRow({ name, state, detail, advice }: Check, longest: number, width: number): Row {
  const label = `${symbols[state]} ${name}`.padEnd(longest + 2);
  const said = state === "notChecked" ? `not checked: ${detail}` : detail;
  const text = advice === undefined ? said : `${said}\n→ ${advice}`;
  return [label, wrapAnsi(text, Math.max(20, width - longest - 6), { hard: true })];
}

function callRow(call: CallRecord): Row {
  const { operation, exchange, error, duration } = call;
  const status = exchange === undefined ? "no response" : `HTTP ${exchange.status}`;
  const kind = error === undefined ? "" : ` (${error.kind})`;
  const symbol = stateOf(call) === "failed" ? symbols.failed : symbols.ok;
  return [`${symbol} ${operation}`, `${stateOf(call)}${kind}, ${status}, ${(duration / 1_000).toFixed(1)} s`];
}

/** Broken ones come first: the others are read to see what was not seen. */
const order: readonly Finding["seen"][] = ["broken", "kept", "notSeen"];

function formatFindings(findings: readonly Finding[], width: number): string {
  const sorted = order.flatMap((seen) => findings.filter((finding) => finding.seen === seen));
  const columns = [
    { title: "no.", share: 4 },
    { title: "seen", share: 10 },
    { title: "we assume", share: 32 },
    { title: "what was seen", share: 34 },
    { title: "what corrects it", share: 28 },
  ];
  const rows = sorted.map(({ id, seen, adapts, assume, evidence, remedy, options }) => [
    id,
    seen === "broken" && adapts ? "! broken" : seenSymbols[seen],
    assume,
    evidence.join("\n"),
    seen === "broken" ? remedy : options.join(", "),
  ]);
  const others = unobservable.map(({ reason, ids }) => `${rangesOf(ids)}: ${reason}`).join("\n");
  return [
    styleText("bold", "Assumptions (docs/assumptions.md)"),
    formatGrid(columns, rows, width),
    "",
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
  const failures = report.calls.filter((call) => stateOf(call) === "failed").length;
  const breaking = report.findings.filter(needsAction).length;
  const adapted = report.findings.filter(({ seen, adapts }) => seen === "broken" && adapts).length;
  const parts = [
    `${count("failed")} failed`,
    `${count("warning")} warnings`,
    `${count("notChecked")} not checked`,
    ...(report.calls.length > 0
      ? [
          `${failures} calls without a usable response`,
          `${breaking} assumptions broken`,
          `${adapted} more that the library adapts to`,
        ]
      : []),
  ];
  const isGood = isHealthy(report);
  return `${styleText(isGood ? "green" : "red", isGood ? "✔ healthy" : "✖ not healthy")}: ${parts.join(", ")}`;
}
