import { styleText } from "node:util";
import { type Align, fitWidths, layOutRow, widthOf } from "./cells.ts";
import { narrowest, terminalWidth, wrapText } from "./wrap.ts";

/** A column of a table. */
export interface Column {
  readonly title: string;
  /** @default "left" */
  readonly align?: Align;
}

/** A row of a table: a cell for each column, or a note across all of them. */
export type Row = readonly string[] | string;

const gap = "  ";

/** Formats rows in columns under their titles. The widest columns are wrapped if they do not fit. */
export function formatTable(columns: readonly Column[], rows: readonly Row[], width = terminalWidth()): string {
  const head = columns.map(({ title }) => styleText("bold", title));
  const wholeRows = [head, ...rows.filter((row) => typeof row !== "string")];
  const natural = columns.map((_, i) => Math.max(...wholeRows.map((row) => widthOf(row[i] ?? ""))));
  const widths = fitWidths(natural, width - gap.length * columns.length, narrowest) ?? natural;
  const used = widths.reduce((sum, one) => sum + gap.length + one, 0);
  const aligns = columns.map(({ align }) => align);
  return [head, ...rows]
    .map((row) =>
      typeof row === "string"
        ? styleLines("dim", wrapText(row, { width: Math.min(width, used), indent: gap }))
        : layOutRow(row, widths, aligns)
            .map((cells) => `${gap}${cells.join(gap)}`.trimEnd())
            .join("\n"),
    )
    .join("\n");
}

/** Styles each line separately: a style over several would also colour their margins. */
function styleLines(style: "dim", text: string): string {
  return text
    .split("\n")
    .map((line) => styleText(style, line))
    .join("\n");
}
