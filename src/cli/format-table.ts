import { styleText } from "node:util";

/** A label and its text, of any number of lines. */
export type Row = readonly [label: string, text: string];

/** Rows under a title, their texts in one column. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** Sections as text for a terminal, an empty line between two. */
export function formatSections(sections: readonly Section[]): string {
  return sections.map(({ title, rows }) => [styleText("bold", title), ...formatRows(rows)].join("\n")).join("\n\n");
}

function formatRows(rows: readonly Row[]): readonly string[] {
  const width = Math.max(...rows.map(([label]) => label.length));
  const margin = " ".repeat(width + 4);
  return rows.map(
    ([label, text]) => `  ${styleText("cyan", label.padEnd(width))}  ${text.replaceAll("\n", `\n${margin}`)}`,
  );
}
