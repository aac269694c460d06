import wrapAnsi from "wrap-ansi";

/** No column is wrapped to less than this. */
export const narrowest = 8;

/**
 * Returns the columns of the terminal: 80 in a pipe.
 *
 * @param most - No more than can be read in one line.
 */
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
