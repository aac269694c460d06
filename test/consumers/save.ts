import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { root } from "./consumers.ts";
import type { Part } from "./options.ts";
import { cells, closingLine } from "./report.ts";
import type { Row } from "./variants.ts";

const file = join(root, "docs/consumers.md");

/** Writes the table of one part between its marks in docs/consumers.md, with the day and the commit. */
export function saveResults(part: Part, rows: readonly Row[]): void {
  const ofPart = rows.filter(({ consumer }) => consumer.heavy === (part === "heavy"));
  const [begin, end] = [`<!-- ${part}: written by \`npm run test:consumers\` -->`, `<!-- end of ${part} -->`];
  const text = readFileSync(file, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} lacks the marks of its ${part} part.`);
  writeFileSync(file, `${text.slice(0, from) + begin}\n\n${markdown(ofPart)}\n\n${text.slice(to)}`);
}

function markdown(rows: readonly Row[]): string {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no", "--", "src", "test", "package.json") !== "";
  const commit = `\`${git("rev-parse", "--short", "HEAD")}\`${changed ? " with changes" : ""}`;
  const day = new Date().toISOString().slice(0, 10);
  const machine = `Node ${process.versions.node}, ${availableParallelism()} cores`;
  return [
    `${day}, commit ${commit}, ${machine}: ${closingLine(rows)}.`,
    "",
    ...markdownTable([["consumer", "variant", "result", "seconds"], ...rows.map(cells)]),
  ].join("\n");
}

/** Columns as wide as their longest cell, as the other tables of docs/ have them. */
function markdownTable(lines: readonly (readonly string[])[]): readonly string[] {
  const [head = [], ...body] = lines.map((line) => line.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((line) => (line[column] ?? "").length)));
  const row = (line: readonly string[]) => `| ${widths.map((width, i) => (line[i] ?? "").padEnd(width)).join(" | ")} |`;
  return [row(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body.map(row)];
}
