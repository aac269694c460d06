/** Tables of results in the guides, between marks, with the day and the commit. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Returns the part of a file between its marks, `<!-- name: … -->` and `<!-- end of name -->`, and what is around it. */
function partsOf(file: string, name: string): readonly [before: string, part: string, after: string] {
  const marked = new RegExp(`(?<=<!-- ${name}: .*? -->\\n\\n)[\\s\\S]*(?=\\n\\n<!-- end of ${name} -->)`);
  const text = readFileSync(file, "utf8");
  const found = marked.exec(text);
  if (found === null) throw new Error(`${file} lacks the marks of ${name}.`);
  return [text.slice(0, found.index), found[0], text.slice(found.index + found[0].length)];
}

export function readPart(file: string, name: string): string {
  return partsOf(file, name)[1];
}

export function replacePart(file: string, name: string, part: string): void {
  const [before, , after] = partsOf(file, name);
  writeFileSync(file, before + part + after);
}

/**
 * Returns day, commit and machine of a result.
 *
 * @param measured - The folders and files that it depends on.
 */
export function conditions(measured: readonly string[]): string {
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, commit ${commit(measured)}, Node ${process.versions.node}, ${availableParallelism()} cores`;
}

/**
 * Returns the commit of a result, and whether what it depends on was changed since.
 *
 * @param measured - The folders and files that it depends on.
 */
export function commit(measured: readonly string[]): string {
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no", "--", ...measured) !== "";
  return `\`${git("rev-parse", "--short", "HEAD")}\`${changed ? " with changes" : ""}`;
}

/** Columns as wide as their longest cell, as the other tables of docs/ have them. */
export function markdownTable(lines: readonly (readonly string[])[]): readonly string[] {
  const [head = [], ...body] = lines.map((line) => line.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((line) => (line[column] ?? "").length)));
  const row = (line: readonly string[]) => `| ${widths.map((width, i) => (line[i] ?? "").padEnd(width)).join(" | ")} |`;
  return [row(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body.map(row)];
}
