import type { Tokens } from "marked";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import type { Page } from "./page.ts";
import { renderInline } from "./render-inline.ts";

/** The narrowest column that can be read. */
const minColumn = 4;

// cli-table3 counts the nonspacing marks of Indic scripts as columns, so that its borders do not meet.

/** Renders a table, with cells that are wrapped to fit; undefined if it has too many columns for the page. */
export function renderTable(
  { header, rows, align }: Tokens.Table,
  { width, style }: Page,
): readonly string[] | undefined {
  const render = (cell: Tokens.TableCell) => renderInline(cell.tokens, style);
  const head = header.map((cell) => style("bold", render(cell)));
  const body = rows.map((row) => row.map(render));
  const natural = head.map((cell, column) =>
    Math.max(1, ...[cell, ...body.map((row) => row[column] ?? "")].map((text) => stringWidth(text))),
  );
  // A border and two spaces for each column, and the last border.
  const widths = shrink(natural, width - 3 * head.length - 1);
  if (widths === undefined) return undefined;
  const cells = [head, ...body].map((row) =>
    row.map((cell, column) => wrapAnsi(cell, widths[column] ?? 1, { hard: true })),
  );
  const [title = [], ...others] = cells.map((row) => renderRow(row, widths, align));
  const rule = (left: string, middle: string, right: string) =>
    left + widths.map((each) => "─".repeat(each + 2)).join(middle) + right;
  return [rule("┌", "┬", "┐"), ...title, rule("├", "┼", "┤"), ...others.flat(), rule("└", "┴", "┘")];
}

/** Renders the cells of a row, which may have several lines. */
function renderRow(
  cells: readonly string[],
  widths: readonly number[],
  align: Tokens.Table["align"],
): readonly string[] {
  const lines = cells.map((cell) => cell.split("\n"));
  const height = Math.max(...lines.map(({ length }) => length));
  return Array.from({ length: height }, (_, index) => {
    const parts = widths.map((width, column) => pad(lines[column]?.[index] ?? "", width, align[column]));
    return `│ ${parts.join(" │ ")} │`;
  });
}

function pad(text: string, width: number, align: "left" | "center" | "right" | null = null): string {
  const room = Math.max(0, width - stringWidth(text));
  const left = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
  return " ".repeat(left) + text + " ".repeat(room - left);
}

/** Narrows the widest columns until all fit; undefined if they cannot. */
function shrink(natural: readonly number[], room: number): readonly number[] | undefined {
  if (natural.reduce((sum, width) => sum + Math.min(width, minColumn), 0) > room) return undefined;
  let limit = Math.max(...natural);
  const total = () => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  while (total() > room) limit -= 1;
  return natural.map((width) => Math.min(width, limit));
}
