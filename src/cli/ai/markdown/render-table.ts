import CliTable from "cli-table3";
import type { Tokens } from "marked";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
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
    Math.max(1, ...[cell, ...body.map((row) => row[column] ?? "")].map((text) => stringWidth(text))),
  );
  // A border and two spaces for each column, and the last border.
  const widths = shrink(natural, width - 3 * head.length - 1);
  if (widths === undefined) return undefined;
  const wrapCells = (row: readonly string[]) =>
    row.map((cell, column) => wrapAnsi(cell, widths[column] ?? minColumn, { hard: true }));
  const table = new CliTable({
    head: wrapCells(head),
    colAligns: align.map((side) => side ?? "left"),
    style: { head: [], border: [], compact: true },
  });
  table.push(...body.map(wrapCells));
  return table.toString().split("\n");
}

/** Narrows the widest columns until all fit; undefined if they cannot. */
function shrink(natural: readonly number[], room: number): readonly number[] | undefined {
  if (natural.reduce((sum, width) => sum + Math.min(width, minColumn), 0) > room) return undefined;
  let limit = Math.max(...natural);
  const total = () => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  while (total() > room) limit -= 1;
  return natural.map((width) => Math.min(width, limit));
}
