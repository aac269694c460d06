import { readFileSync } from "node:fs";
import { markdownTable, replacePart } from "../saved-results.ts";
import { parts } from "./parts.ts";

const guide = "scripts/mutate/RESULTS.md";
const marks = ["<!-- mutation: written by `npm run mutate -- --save` -->", "<!-- end of mutation -->"] as const;

/**
 * Writes the result of a part into the guide. The rows of the other parts stay.
 *
 * @param head - The titles of the columns.
 * @param row - The row of the part, with its name first.
 */
export function save(head: readonly string[], row: readonly string[]): void {
  const saved = new Map(savedRows().map((row) => [row[0], row]));
  saved.set(row[0], row);
  const inOrder = parts.map(({ name }) => saved.get(`\`${name}\``)).filter((row) => row !== undefined);
  const table = markdownTable([head, ...inOrder]);
  replacePart(guide, marks, table.join("\n"));
}

/** The cells of each row that the guide has. */
function savedRows(): readonly (readonly string[])[] {
  const [, after = ""] = readFileSync(guide, "utf8").split(marks[0]);
  const [table = ""] = after.split(marks[1]);
  const lines = table.split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
