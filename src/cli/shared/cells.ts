import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** Alignment of a cell in its column. */
export type Align = "left" | "center" | "right";

/**
 * Returns the widths of columns that fit into the room: the widest ones are narrowed until they do, but to no less than
 * `narrowest`. Undefined if they cannot fit.
 */
export function fitWidths(natural: readonly number[], room: number, narrowest: number): readonly number[] | undefined {
  const total = (limit: number) => natural.reduce((sum, width) => sum + Math.min(width, limit), 0);
  if (total(narrowest) > room) return undefined;
  let limit = Math.max(...natural);
  while (total(limit) > room) limit -= 1;
  return natural.map((width) => Math.min(width, limit));
}

/** Returns the lines of a row: its cells are wrapped at words, and padded to the widths of their columns. */
export function layOutRow(
  row: readonly string[],
  widths: readonly number[],
  aligns: readonly (Align | null | undefined)[],
): readonly (readonly string[])[] {
  const cells = widths.map((width, column) => wrapAnsi(row[column] ?? "", width, { hard: true }).split("\n"));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    widths.map((width, column) => pad(cells[column]?.[line] ?? "", width, aligns[column] ?? "left")),
  );
}

/** Returns the columns of a terminal that the widest line takes. */
export function widthOf(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}

function pad(text: string, width: number, align: Align): string {
  const room = Math.max(0, width - stringWidth(text));
  const left = { left: 0, center: Math.floor(room / 2), right: room }[align];
  return " ".repeat(left) + text + " ".repeat(room - left);
}
