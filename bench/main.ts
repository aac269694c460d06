/**
 * Measures what the library costs, beside its floors and its peers:
 *
 *   npm run bench                       all parts, except those that run by name only
 *   npm run bench -- small stream       some of them
 *   npm run bench -- --check            exit code 1 if a budget is exceeded
 *   npm run bench -- --save             writes RESULTS.md and the chart; all parts must run
 *   npm run bench -- --profile          where the CPU goes; with --save it writes PROFILES.md
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Judgement, verdictsOf } from "./budgets.ts";
import { type ChartGroup, chart, type Theme } from "./chart.ts";
import type { Figure } from "./measure.ts";
import { inChild, startServer } from "./processes.ts";
import { aligned, resultsPage, rowsOf } from "./report.ts";
import { isSuiteName, type Suite, type SuiteName, type SuiteResult, suites } from "./suites.ts";

const { values, positionals } = parseArgs({
  options: { check: { type: "boolean" }, save: { type: "boolean" }, profile: { type: "boolean" } },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : Object.keys(suites).filter(values.profile ? isProfiled : isUsual);
const chosen = names.filter(isSuiteName);
if (chosen.length < names.length || (values.save && positionals.length > 0)) {
  console.error(`npm run bench -- [--check] [--profile] [--save (all parts)] [${Object.keys(suites).join(" | ")}]…`);
  process.exit(2);
}

/**
 * Young garbage is collected between slices. Without the second flag, V8 drops the code of a contestant that waits
 * while the others' garbage is collected, and its next slice would begin cold.
 */
const measuringFlags = ["--expose-gc", "--no-flush-bytecode"];

const server = await startServer();
const results: SuiteResult[] = [];
for (const suite of chosen) results.push(await measured(suite));
server.stop();
if (values.save) save();
if (values.check) check();

function isUsual(name: string): boolean {
  return isSuiteName(name) && !("byNameOnly" in suites[name]);
}

function isProfiled(name: string): boolean {
  return isSuiteName(name) && "isProfiled" in suites[name];
}

/** Runs a part in its own process and prints its table. */
async function measured(suite: SuiteName): Promise<SuiteResult> {
  const { title, flags = [], module = suite }: Suite = suites[suite];
  const startedAt = performance.now();
  const args = [`suites/${module}.ts`, server.url, ...(values.profile ? ["--profile"] : [])];
  const child = { args, flags: [...measuringFlags, ...flags] };
  const figures = await inChild<Figure[]>("run-suite.ts", child);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const result = { suite, figures };
  console.log(`\n${title} (${suite}, ${seconds} s)\n\n${aligned(rowsOf(result))}`);
  return result;
}

function save(): void {
  const write = (name: string, text: string) => writeFileSync(new URL(name, import.meta.url), text);
  if (values.profile) {
    write("PROFILES.md", resultsPage("Where it goes", results));
    return;
  }
  write("RESULTS.md", resultsPage("Results of the bench", results));
  const note =
    "serviceapi/node sends by node:http instead of fetch: compare it with the bar of node:http, its own floor.";
  for (const theme of ["light", "dark"] satisfies Theme[]) write(`chart-${theme}.svg`, chart(groups(), theme, note));
  console.log("\nSaved bench/RESULTS.md, bench/chart-light.svg and bench/chart-dark.svg");
}

/** The measures of the chart. */
function groups(): ChartGroup[] {
  const shown: readonly (readonly [SuiteName, string, string])[] = [
    ["small", "64 at once", "A small POST, 64 at once, to fetch + JSON.parse"],
    ["quote", "300 KB", "A fare quote of 300 KB, to fetch + JSON.parse"],
    ["stream", "event, one per write", "An event of a stream, to fetch + eventsource-parser + JSON.parse"],
    ["stream", "first event, then a chunk and a pause", "The first event of a stream that pauses, to the same"],
    ["webhook", "verify", "A webhook verified and parsed, to HMAC + JSON.parse"],
    ["cold", "import", "A process that imports it, to an empty script"],
    ["cold", "first response", "A process that makes one call, to fetch"],
  ];
  return shown.map(([suite, measure, title]) => {
    const figures = results.find((result) => result.suite === suite)?.figures ?? [];
    const bars = figures.flatMap(({ contestant, ratio, spread, ...figure }) =>
      figure.measure === measure && ratio !== undefined && !/unchecked|cache|file/.test(contestant)
        ? [{ name: contestant, ratio, spread }]
        : [],
    );
    return { title, bars };
  });
}

function check(): void {
  const verdicts = results.flatMap(({ suite, figures }) => verdictsOf(suite, figures));
  const broken = verdicts.filter(({ held }) => held === "over");
  for (const { budget, actual } of broken) {
    const { suite, measure, contestant, of, held } = budget;
    const is = actual === undefined ? "is missing" : `is ${actual.toFixed(2)}, over ${held}`;
    console.error(`broken: ${suite} / ${measure} / ${contestant}: ${of} ${is}`);
  }
  const count = (judgement: Judgement) => verdicts.filter(({ goal }) => goal === judgement).length;
  const goals = `${count("within")} goals met, ${count("over")} missed, ${count("unclear")} within the spread`;
  console.log(`\n${verdicts.length} budgets: ${broken.length} broken; ${goals}`);
  if (broken.length > 0) process.exitCode = 1;
}
