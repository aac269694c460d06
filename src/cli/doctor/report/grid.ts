import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** A column: its title, and its share of the width. */
export interface Column {
  readonly title: string;
  readonly share: number;
}

const gap = "  ";

/** Formats rows in columns, whose cells are wrapped at words. */
export function formatGrid(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string {
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  const free = width - gap.length * (columns.length - 1);
  const widths = columns.map(({ share }) => Math.max(4, Math.floor((free * share) / shares)));
  const rule = widths.map((each) => "─".repeat(each));
  return [columns.map(({ title }) => title), rule, ...rows].map((row) => formatRow(row, widths)).join("\n");
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((width, column) => wrapAnsi(row[column] ?? "", width, { hard: true }).split("\n"));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, column) => pad(cells[column]?.[line] ?? "", width))
      .join(gap)
      .trimEnd(),
  ).join("\n");
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}
