/**
 * `npm run mutate`: changes the code of the parts in parts.ts, one place at a time, and counts how many of these mutants
 * the tests find. It prints those that survive, and ends with exit code 1 if a part has too many of them. The results are
 * kept in reports/mutation, and the next run tries only what changed.
 *
 *   npm run mutate -- [src/flights/journal …] [--concurrency 2] [--save]
 *
 * Most tests wait for something, so that more than one mutant for each core runs at a time on an idle machine. `--save`
 * writes the results into the table of docs/mutation.md. All parts take hours from scratch.
 */
import { parseArgs } from "node:util";
import { markdownTable } from "../saved-results.ts";
import { parts } from "./parts.ts";
import { mutate, type Result, score } from "./run.ts";
import { save } from "./save.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: "string", default: "2" }, save: { type: "boolean", default: false } },
});
const names = parts.map(({ name }) => name);
const unknown = positionals.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`${unknown} is not one of the parts: ${names.join(", ")}.`);

const results: Result[] = [];
for (const part of parts) {
  if (positionals.length > 0 && !positionals.includes(part.name)) continue;
  results.push(await mutate(part, Number(values.concurrency)));
}

const rows = results.map((result) => [
  `\`${result.part.name}\``,
  ...[result.killed, result.timeout, result.survived, result.noCoverage].map((count) => count.toLocaleString("en")),
  `${score(result).toFixed(1)} %`,
  `${result.part.atLeast} %`,
]);
const head = ["part", "killed", "timeout", "survived", "no coverage", "score", "at least"];
console.log(markdownTable([head, ...rows]).join("\n"));
if (values.save) save(head, rows);
if (results.some((result) => score(result) < result.part.atLeast)) process.exitCode = 1;
