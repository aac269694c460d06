import { readFileSync } from "node:fs";
import { conditions, markdownTable, replacePart } from "../saved-results.ts";
import { parts } from "./parts.ts";

const guide = "docs/mutation.md";
const marks = ["<!-- mutation: written by `npm run mutate -- --save` -->", "<!-- end of mutation -->"] as const;

/**
 * Writes results into the guide, each with its day and commit. The rows of the other parts stay.
 *
 * @param head - The titles of the columns.
 * @param rows - A row for each part that was measured, with its name first.
 */
export function save(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const measured = conditions(["src", "test"]);
  const saved = new Map(savedRows().map((row) => [row[0], row]));
  for (const row of rows) saved.set(row[0], [...row, measured]);
  const inOrder = parts.map(({ name }) => saved.get(`\`${name}\``)).filter((row) => row !== undefined);
  const table = markdownTable([[...head, "measured"], ...inOrder]);
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
