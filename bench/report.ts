/** The tables of a run: in the terminal, and in RESULTS.md. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { type Judgement, type Verdict, verdictsOf } from "./budgets.ts";
import type { Figure } from "./measure.ts";
import { isPinned } from "./processes.ts";
import { type SuiteResult, suites } from "./suites.ts";

const header = ["measure", "contestant", "value", "ratio", "goal", "held at", "redone"];

/** The rows of one part, as strings, its header first. */
export function rowsOf({ suite, figures }: SuiteResult): string[][] {
  const verdicts = verdictsOf(suite, figures);
  return [header, ...figures.map((figure, i) => rowOf(figure, figures[i - 1], verdicts))];
}

function rowOf(figure: Figure, above: Figure | undefined, verdicts: readonly Verdict[]): string[] {
  const { measure, contestant, redone } = figure;
  const found = verdicts.find(({ budget }) => budget.measure === measure && budget.contestant === contestant);
  return [
    measure === above?.measure ? "" : measure,
    contestant,
    measured(figure),
    ratioOf(figure),
    found === undefined ? "" : `${found.budget.goal} ${goalMarks[found.goal]}`,
    found === undefined ? "" : `${found.budget.held}${heldMarks[found.held]}`,
    redone === 0 ? "" : String(redone),
  ];
}

const goalMarks: Readonly<Record<Judgement, string>> = { within: "✓", over: "✗", unclear: "?" };
const heldMarks: Readonly<Record<Judgement, string>> = { within: "", over: " broken", unclear: " ?" };

/** The value with its spread, which is that of the ratio if there is one. */
function measured({ value, unit, ratio, spread }: Figure): string {
  const margin = ratio === undefined && spread > 0 ? ` ± ${rounded(Number((value * spread).toPrecision(2)))}` : "";
  return `${rounded(value)}${margin} ${unit}`.trim();
}

const tolerance = 0.15;

/** The ratio with its spread, and `~` before it if the values of the two rows say something else. */
function ratioOf({ ratio, quotient = ratio, spread }: Figure): string {
  if (ratio === undefined || quotient === undefined) return "";
  const mark = Math.abs(quotient / ratio - 1) > tolerance ? "~" : "";
  return `${mark}${ratio.toFixed(2)}${spread === 0 ? "" : ` ± ${(ratio * spread).toFixed(2)}`}`;
}

/** Three significant digits, and all digits of larger numbers. */
function rounded(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

/** Aligns rows for a terminal: the first two columns to the left, the numbers to the right. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cell = (text: string, column: number) =>
    column < 2 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => `  ${row.map(cell).join("  ")}`.trimEnd()).join("\n");
}

export function resultsPage(title: string, results: readonly SuiteResult[]): string {
  const sections = results.map((result) => `## ${suites[result.suite].title}\n\n${markdown(rowsOf(result))}`);
  return `# ${title}\n\n${conditions()}\n\nHow to read them: [README.md](README.md).\n\n${sections.join("\n\n")}\n`;
}

function markdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, column) => (column < 2 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

const compared =
  "openai @anthropic-ai/sdk ai stripe svix standardwebhooks @octokit/webhooks ky zod eventsource-parser".split(" ");

/** Machine, versions, date and commit, without which a figure means little. */
function conditions(): string {
  const all = cpus();
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const dirty = git("status", "--porcelain", "--", "src", "bench") === "" ? "" : ", with changes";
  const pinned = isPinned ? "client and server on a core each" : "client and server not bound to cores";
  return [
    `- Machine: ${all.length} × ${all[0]?.model.trim()}, ${process.platform} ${process.arch}; ${pinned}`,
    `- Node ${process.versions.node}; serviceapi ${version("../package.json")}, commit ${git("rev-parse", "--short", "HEAD")}${dirty}`,
    `- ${compared.map((name) => `${name} ${version(`../node_modules/${name}/package.json`)}`).join(", ")}`,
    `- ${new Date().toISOString().slice(0, 10)}`,
  ].join("\n");
}

function version(file: string): string {
  return (JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as { version: string }).version;
}
