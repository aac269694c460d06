import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./consumers.ts";
import type { Result, Row } from "./variants.ts";

/** The rows as columns of text. */
export function table(rows: readonly Row[]): string {
  const lines = [["consumer", "variant", "result", "seconds"], ...rows.map(cells)];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cells({ consumer, variant, result, seconds }: Row): [string, string, string, string] {
  return [consumer.title, variant, result, seconds.toFixed(1)];
}

/** The output of the variants that failed, and why others were skipped. */
export function failures(rows: readonly Row[]): readonly string[] {
  return rows
    .filter(({ result, output }) => result === "failed" || (result === "skipped" && output !== ""))
    .map(({ consumer, variant, result, output }) => {
      const name = [consumer.name, variant].filter((part) => part !== "").join(", ");
      return `--- ${name}: ${result}\n${output.trim()}`;
    });
}

export function closingLine(rows: readonly Row[]): string {
  return `${count(rows, "passed")} passed, ${count(rows, "failed")} failed`;
}

/** The sums in the form of vitest's reports, which .ci/run adds up. */
export function reportForCi(rows: readonly Row[]): void {
  if (!process.env.CI) return;
  mkdirSync(join(root, "reports"), { recursive: true });
  const sums = {
    numPassedTests: count(rows, "passed"),
    numFailedTests: count(rows, "failed"),
    numPendingTests: count(rows, "skipped"),
  };
  writeFileSync(join(root, "reports/test-consumers.json"), JSON.stringify(sums));
}

const count = (rows: readonly Row[], wanted: Result): number => rows.filter(({ result }) => result === wanted).length;
