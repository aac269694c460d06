/**
 * Measures how the library scales, as curves:
 *
 *   npm run scale                      all parts, in about ten minutes
 *   npm run scale -- calls streams     some of them
 *   npm run scale -- --save            writes results.json, in which other parts stay as they are, and draws it
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { conditions } from "../../scripts/saved-results.ts";
import { cores, inChild, startServer } from "../processes.ts";
import { chartOf } from "./chart.ts";
import { type Curve, type PartName, type PartResult, panelsOf, partNames, type Results } from "./curves.ts";

const { values, positionals } = parseArgs({ options: { save: { type: "boolean" } }, allowPositionals: true });
const chosen = positionals.length === 0 ? partNames : partNames.filter((name) => positionals.includes(name));
if (chosen.length < positionals.length) {
  console.error(`npm run scale -- [--save] [${partNames.join(" | ")}]…`);
  process.exit(2);
}

const server = await startServer();
for (const name of chosen) {
  const result = await measured(name);
  if (values.save) save(name, result);
}
server.stop();

async function measured(name: PartName): Promise<PartResult> {
  // A process that is bound to a core binds its children, and those of the receiver use all cores.
  const core = name === "deliveries" ? ("any" as const) : cores.client;
  const child = { core, args: [`scale/${name}.ts`, server.url], flags: ["--expose-gc"] };
  const result = await inChild<PartResult>("run-suite.ts", child);
  for (const { title, axis, curves } of result.panels) print(`${title}, by ${axis}`, curves);
  print("Memory in use, MB, by % of the work", result.memory);
  return result;
}

function print(title: string, curves: readonly Curve[]): void {
  const lines = curves.map(({ name, points }) => `  ${name}: ${points.map(({ x, y }) => `${x} → ${y}`).join(", ")}`);
  console.log(`\n${title}\n${lines.join("\n")}`);
}

function save(name: PartName, result: PartResult): void {
  const file = (suffix: string) => new URL(suffix, import.meta.url);
  const others: Results = JSON.parse(readFileSync(file("results.json"), "utf8"));
  const results: Results = { ...others, [name]: { conditions: conditions(["src", "bench"]), ...result } };
  const json = JSON.stringify(results, undefined, 1).replaceAll(/\n {4,}/g, ""); // A line for each panel.
  writeFileSync(file("results.json"), `${json}\n`);
  for (const theme of ["light", "dark"] as const) {
    writeFileSync(file(`scale-${theme}.svg`), chartOf(panelsOf(results), theme));
  }
}
