import { join } from "node:path";
import { conditions, markdownTable, replacePart } from "../../scripts/saved-results.ts";
import { root } from "./consumers.ts";
import type { Part } from "./options.ts";
import { cells, closingLine } from "./report.ts";
import type { Row } from "./variants.ts";

const file = join(root, "docs/consumers.md");

/** Writes the table of one part between its marks in docs/consumers.md, with the day and the commit. */
export function saveResults(part: Part, rows: readonly Row[]): void {
  const ofPart = rows.filter(({ consumer }) => consumer.heavy === (part === "heavy"));
  const marks = [`<!-- ${part}: written by \`npm run test:consumers\` -->`, `<!-- end of ${part} -->`] as const;
  replacePart(file, marks, markdown(ofPart));
}

function markdown(rows: readonly Row[]): string {
  return [
    `${conditions(["src", "test", "package.json"])}: ${closingLine(rows)}.`,
    "",
    ...markdownTable([["consumer", "variant", "result", "seconds"], ...rows.map(cells)]),
  ].join("\n");
}
