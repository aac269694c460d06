import { styleText } from "node:util";
import { terminalWidth, wrapText } from "./wrap.ts";

/** A term and its description, which may have several lines. */
export type Description = readonly [term: string, text: string];

/** Terms under a title, with their descriptions in one column. */
export interface DescriptionList {
  readonly title: string;
  readonly items: readonly Description[];
}

/** Formats lists for a terminal, separated by empty lines. */
export function formatLists(lists: readonly DescriptionList[]): string {
  return lists.map(({ title, items }) => [styleText("bold", title), ...formatItems(items)].join("\n")).join("\n\n");
}

/** Wraps the descriptions, so that they stay in their column. */
export function wrapLists(lists: readonly DescriptionList[], width = terminalWidth()): readonly DescriptionList[] {
  return lists.map(({ title, items }) => {
    const used = Math.max(...items.map(([term]) => term.length)) + 4;
    return { title, items: items.map(([term, text]) => [term, wrapText(text, { width: width - used })] as const) };
  });
}

function formatItems(items: readonly Description[]): readonly string[] {
  const width = Math.max(...items.map(([term]) => term.length));
  const margin = " ".repeat(width + 4);
  return items.map(([term, text]) =>
    term === "" && text === ""
      ? ""
      : `  ${styleText("cyan", term.padEnd(width))}  ${text.replaceAll("\n", `\n${margin}`)}`,
  );
}
