/**
 * `npm run mutate`: changes the code of the parts in parts.ts, one place at a time, and counts how many of these mutants
 * the tests find. It prints those that survive, and ends with exit code 1 if a part has too many of them. The results are
 * kept in reports/mutation, and the next run tries only what changed.
 *
 *   npm run mutate -- [src/flights/journal | src/flights/ …] [--concurrency 4] [--save]
 *
 * A name that ends with a slash stands for all parts of that folder. Most tests wait for something, so that more than one
 * mutant for each core runs at a time. `--save` writes the results into the table of scripts/mutate/RESULTS.md, after each part.
 * All parts take hours from scratch.
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { commit, markdownTable, readPart, replacePart } from "../saved-results.ts";
import { type Part, parts } from "./parts.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: "string", default: "4" }, save: { type: "boolean", default: false } },
});
/** Whether a part has this name, or belongs to this folder if it ends with a slash. */
const isMeant = (wanted: string, { name }: Part) =>
  wanted.endsWith("/") ? `${name.replace(/:.*/, "")}/`.startsWith(wanted) : name === wanted;
const unknown = positionals.find((wanted) => !parts.some((part) => isMeant(wanted, part)));
if (unknown !== undefined) {
  throw new Error(`${unknown} is not one of the parts: ${parts.map(({ name }) => name).join(", ")}.`);
}

const head = ["part", "score", "at least", "commit"];
const measured: string[][] = [];
for (const part of parts) {
  if (positionals.length > 0 && !positionals.some((wanted) => isMeant(wanted, part))) continue;
  // Before the run, which copies the files.
  const measuredAt = commit(["src", "test"]);
  const score = await mutate(part, Number(values.concurrency));
  measured.push([`\`${part.name}\``, `${score.toFixed(1)} %`, `${part.atLeast} %`, measuredAt]);
  if (values.save) save();
  if (score < part.atLeast) process.exitCode = 1;
}
console.log(markdownTable([head, ...measured]).join("\n"));

/** Writes what was measured into the guide. The rows of the other parts stay. */
function save(): void {
  const guide = ["scripts/mutate/RESULTS.md", "mutation"] as const;
  const saved = readPart(...guide)
    .split("\n")
    .slice(2)
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  const rows = new Map([...saved, ...measured].map((row) => [row[0], row]));
  const inOrder = parts.map(({ name }) => rows.get(`\`${name}\``)).filter((row) => row !== undefined);
  replacePart(...guide, markdownTable([head, ...inOrder]).join("\n"));
}

/**
 * Mutates a part, prints what survived, and keeps the results for the next run, which tries what changed since. Returns the
 * percentage of the mutants that the tests found: those that ran into a timeout were found.
 */
async function mutate(part: Part, concurrency: number): Promise<number> {
  const name = part.name.replaceAll(/\W+/g, "-");
  // The results that are reused include those of files that a part no longer has.
  const files = createHash("sha256").update(part.mutate.join()).digest("hex").slice(0, 8);
  const stryker = new Stryker({
    mutate: [...part.mutate],
    testFiles: [...part.tests],
    testRunner: "vitest",
    plugins: [import.meta.resolve("@stryker-mutator/vitest-runner"), import.meta.resolve("./ignore-texts.ts")],
    ignorers: ["texts"],
    vitest: { configFile: "scripts/mutate/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    concurrency,
    timeoutMS: 20_000,
    timeoutFactor: 2,
    testRunnerNodeArgs: ["--expose-gc"],
    incremental: true,
    incrementalFile: `reports/mutation/${name}-${files}.json`,
    reporters: ["clear-text", "progress-append-only"],
    clearTextReporter: { logTests: false, reportTests: false },
    tempDirName: `reports/mutation/sandbox-${name}`,
    cleanTempDir: "always",
    ignorePatterns: ["/reports", "/docs/*.svg", "/docs/*.webp", "/test/{runtimes,consumers,next}"],
  });
  const results = await stryker.runMutationTest();
  const count = (...of: readonly string[]) => results.filter(({ status }) => of.includes(status)).length;
  return (100 * count("Killed", "Timeout")) / count("Killed", "Timeout", "Survived", "NoCoverage");
}
