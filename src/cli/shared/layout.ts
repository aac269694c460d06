import { styleText } from "node:util";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { isList } from "../../shared/json.ts";

/** No column is wrapped to less than this. */
const narrowest = 8;

/** Returns the columns of the terminal, 80 in a pipe, but no more than can be read in one line. */
export function terminalWidth(most = 100): number {
  return Math.min(process.stdout.columns || 80, most);
}

/** Wraps lines to the width of the terminal. Each keeps its own indentation, also under the text of a list item. */
export function wrapText(text: string, { width = terminalWidth(), indent = "" } = {}): string {
  return text
    .split("\n")
    .map((line) => {
      const [start] = /^ *(?:[•-] )?/.exec(line) ?? [""];
      const rest = wrapAnsi(line.slice(start.length), Math.max(narrowest, width - indent.length - start.length), {
        hard: true,
      });
      return `${indent}${start}${rest.replaceAll("\n", `\n${indent}${" ".repeat(start.length)}`)}`.trimEnd();
    })
    .join("\n");
}

/** Narrows the widest columns until all fit into the room, if they can. */
function fitWidths(natural: readonly number[], room: number): readonly number[] {
  const total = (limit: number) => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  if (total(narrowest) > room) return natural;
  let limit = Math.max(...natural);
  while (total(limit) > room) limit -= 1;
  return natural.map((width) => Math.min(width, limit));
}

/** Returns the columns of a terminal that the widest line takes. */
function widthOf(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}

/** The title of a column; that of numbers is aligned right, as its cells are. */
type Column = string | { readonly right: string };

/** A row of a table: a cell for each column, or a note across all of them. */
export type Row = readonly string[] | string;

const gap = "  ";

/** Formats rows in columns under their titles. The widest columns are wrapped if they do not fit, as far as that can be. */
export function formatTable(columns: readonly Column[], rows: readonly Row[], width = terminalWidth()): string {
  const head = columns.map((column) => styleText("bold", typeof column === "string" ? column : column.right));
  const wholeRows = [head, ...rows.filter((row) => typeof row !== "string")];
  const natural = columns.map((_, i) => Math.max(...wholeRows.map((row) => widthOf(row[i] ?? ""))));
  const widths = fitWidths(natural, width - gap.length * columns.length);
  const used = widths.reduce((sum, one) => sum + gap.length + one, 0);
  const lines = [head, ...rows].flatMap((row) => {
    if (typeof row === "string") {
      // Each line has its own style: one over several would also colour their margins.
      const note = wrapText(row, { width: Math.min(width, used), indent: gap }).split("\n");
      return note.map((line) => styleText("dim", line));
    }
    const cells = widths.map((width, i) => wrapAnsi(row[i] ?? "", width, { hard: true }).split("\n"));
    return Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, line) =>
      columns
        .map((column, i) => {
          const text = cells[i]?.[line] ?? "";
          const room = " ".repeat(Math.max(0, (widths[i] ?? 0) - stringWidth(text)));
          return gap + (typeof column === "string" ? text + room : room + text);
        })
        .join(""),
    );
  });
  return lines.map((line) => line.trimEnd()).join("\n");
}

/** A term and its description, which may have several lines. */
export type Description = readonly [term: string, text: string];

/** The descriptions of each list by its title. */
export type Lists = Readonly<Record<string, readonly Description[] | Readonly<Record<string, string>>>>;

/** A width at which nothing is wrapped. */
export const unwrapped = Number.POSITIVE_INFINITY;

/** Formats lists whose descriptions are wrapped within their column. */
export function formatLists(lists: Lists, width = terminalWidth()): string {
  const texts = Object.entries(lists).map(([title, list]) => {
    const items = isList(list) ? list : Object.entries(list);
    const longest = Math.max(...items.map(([term]) => term.length));
    const margin = " ".repeat(longest + 4);
    const lines = items.map(([term, text]) => {
      const wrapped = width === unwrapped ? text : wrapText(text, { width: width - margin.length });
      return `  ${styleText("cyan", term.padEnd(longest))}  ${wrapped.replaceAll("\n", `\n${margin}`)}`.trimEnd();
    });
    return [styleText("bold", title), ...lines].join("\n");
  });
  return texts.join("\n\n");
}

/** Formats a duration in its two largest units: `2 h 5 min`. One that has passed is `0 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const hours = Math.floor(seconds / 3_600);
  return hours < 24
    ? `${hours} h ${Math.floor((seconds % 3_600) / 60)} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
