import type { Tokens } from "marked";
import { fitWidths, layOutRow, widthOf } from "../../shared/cells.ts";
import type { Page } from "./page.ts";
import { renderInline } from "./render-inline.ts";

/** The narrowest column that can be read. */
const minColumn = 4;

/** Renders a table, with cells that are wrapped to fit; undefined if it has too many columns for the page. */
export function renderTable(
  { header, rows, align }: Tokens.Table,
  { width, style }: Page,
): readonly string[] | undefined {
  const render = (cell: Tokens.TableCell) => renderInline(cell.tokens, style);
  const head = header.map((cell) => style("bold", render(cell)));
  const body = rows.map((row) => row.map(render));
  const natural = head.map((cell, column) =>
    Math.max(1, ...[cell, ...body.map((row) => row[column] ?? "")].map((text) => widthOf(text))),
  );
  // A border and two spaces for each column, and the last border.
  const widths = fitWidths(natural, width - 3 * head.length - 1, minColumn);
  if (widths === undefined) return undefined;
  const [title = [], ...others] = [head, ...body].map((row) =>
    layOutRow(row, widths, align).map((cells) => `│ ${cells.join(" │ ")} │`),
  );
  const rule = (left: string, middle: string, right: string) =>
    left + widths.map((each) => "─".repeat(each + 2)).join(middle) + right;
  return [rule("┌", "┬", "┐"), ...title, rule("├", "┼", "┤"), ...others.flat(), rule("└", "┴", "┘")];
}
