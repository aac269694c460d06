import { styleText } from "node:util";
import Table from "cli-table3";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import type { Table as LabelledTable } from "./format-table.ts";

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** @default "left" */
  readonly align?: "left" | "right";
}

/** A row of a table: a cell for each column, or a note across all of them. */
export type Line = readonly string[] | string;

const gap = "  ";
/** A column is not wrapped to less than this. */
const narrowest = 8;

/** Returns the columns of the terminal: 80 in a pipe, and no more than can be read in one line. */
export function terminalWidth(): number {
  return Math.min(process.stdout.columns || 80, 100);
}

/** Formats rows in columns under their titles. The widest column is wrapped if they do not fit. */
export function formatColumns(columns: readonly Column[], lines: readonly Line[], width = terminalWidth()): string {
  const fitted = fitRows(columns, lines, width);
  const table = new Table({
    head: columns.map(({ title }) => styleText("bold", title)),
    colAligns: columns.map(({ align }) => align ?? "left"),
    chars: { ...noBorders, left: gap, middle: gap },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0, compact: true },
  });
  for (const line of fitted) {
    if (typeof line !== "string") table.push([...line]);
    else table.push([{ content: styleText("dim", line), colSpan: columns.length }]);
  }
  return table.toString().replaceAll(/ +$/gm, "");
}

/** Wraps a text to the terminal, with each line that the text has already. */
export function wrapText(text: string, { width = terminalWidth(), indent = "" } = {}): string {
  return wrapAnsi(text, width - stringWidth(indent), { hard: true, trim: false })
    .split("\n")
    .map((line) => `${indent}${line.trimEnd()}`.trimEnd())
    .join("\n");
}

/** Wraps the texts of labelled rows, so that they stay in their column. */
export function wrapTables(tables: readonly LabelledTable[], width = terminalWidth()): readonly LabelledTable[] {
  return tables.map(({ title, rows }) => {
    const label = Math.max(...rows.map(([name]) => name.length));
    return { title, rows: rows.map(([name, text]) => [name, wrapText(text, { width: width - label - 4 })] as const) };
  });
}

const noBorders = Object.fromEntries(
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left-mid mid mid-mid right right-mid"
    .split(" ")
    .map((name) => [name, ""]),
);

function fitRows(columns: readonly Column[], lines: readonly Line[], width: number): readonly Line[] {
  const rows = [columns.map(({ title }) => title), ...lines.filter((line) => typeof line !== "string")];
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => widthOf(row[i] ?? ""))));
  const total = (all: readonly number[]) => all.reduce((sum, one) => sum + gap.length + one, 0);
  const widest = widths.indexOf(Math.max(...widths));
  const left = (widths[widest] ?? 0) - Math.max(0, total(widths) - width);
  const limit = Math.max(narrowest, left);
  const used = Math.min(width, total(widths)) - gap.length;
  return lines.map((line) =>
    typeof line === "string"
      ? wrapText(line, { width: used })
      : line.map((cell, i) => (i === widest ? wrapText(cell, { width: limit }) : cell)),
  );
}

function widthOf(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}
