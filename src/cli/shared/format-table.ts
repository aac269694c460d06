import { styleText } from "node:util";

/** A label and its text, which may have several lines. */
export type Row = readonly [label: string, text: string];

/** Rows under a title, with their texts in one column. */
export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Formats tables for a terminal, separated by empty lines. */
export function formatTables(tables: readonly Table[]): string {
  return tables.map(({ title, rows }) => [styleText("bold", title), ...formatRows(rows)].join("\n")).join("\n\n");
}

function formatRows(rows: readonly Row[]): readonly string[] {
  const width = Math.max(...rows.map(([label]) => label.length));
  const margin = " ".repeat(width + 4);
  return rows.map(
    ([label, text]) => `  ${styleText("cyan", label.padEnd(width))}  ${text.replaceAll("\n", `\n${margin}`)}`,
  );
}
