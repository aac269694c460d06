import { join } from "node:path";
import { conditions, markdownTable, replacePart } from "../../scripts/saved-results.ts";
import { root } from "./consumers.ts";
import type { Part } from "./options.ts";
import { closingLine } from "./report.ts";
import type { Row } from "./variants.ts";

const file = join(root, "test/consumers/RESULTS.md");

/** Writes the table of one part between its marks in test/consumers/RESULTS.md, with the day and the commit. */
export function saveResults(part: Part, rows: readonly Row[]): void {
  const ofPart = rows.filter(({ consumer }) => consumer.heavy === (part === "heavy"));
  replacePart(file, part, markdown(ofPart));
}

/** A row for each consumer, with the variants that did not pass. */
function markdown(rows: readonly Row[]): string {
  const consumers = [...new Set(rows.map(({ consumer }) => consumer))];
  const lines = consumers.map((consumer) => {
    const own = rows.filter((row) => row.consumer === consumer);
    const open = own.filter(({ result }) => result !== "passed").map(({ variant, result }) => `${result}: ${variant}`);
    return [consumer.title, [closingLine(own), ...open].join("; ")];
  });
  return [
    `${conditions(["src", "test", "package.json"])}: ${closingLine(rows)}.`,
    "",
    ...markdownTable([["consumer", "variants"], ...lines]),
  ].join("\n");
}
