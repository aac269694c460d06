/**
 * `npm run test:consumers [-- names… | --heavy | --all] [--save]`: installs the packed package in each project of this
 * folder and runs its `npm test`. README.md describes what a project looks like.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import pMap from "p-map";
import { allConsumers, type Consumer } from "./consumers.ts";
import { choose } from "./options.ts";
import { pack, testConsumer } from "./project.ts";
import { closingLine, failures, reportForCi, table } from "./report.ts";
import { saveResults } from "./save.ts";
import type { Row } from "./variants.ts";

const { consumers, save } = choose(process.argv.slice(2), allConsumers());
const folder = mkdtempSync(join(tmpdir(), "serviceapi-consumers-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const rows = await testAll(consumers, await pack(folder));
console.log([table(rows), ...failures(rows)].join("\n\n"));
reportForCi(rows);
for (const part of save) saveResults(part, rows);
console.log(`\n${closingLine(rows)}`);
process.exitCode = rows.length > 0 && rows.every(({ result }) => result !== "failed") ? 0 : 1;

/** Two at a time: one installs while another one computes. */
async function testAll(all: readonly Consumer[], tarball: string): Promise<readonly Row[]> {
  const testNext = async (next: Consumer) => {
    const rowsOfNext = await testConsumer(next, tarball, folder);
    const failed = rowsOfNext.filter(({ result }) => result === "failed").length;
    console.error(`${next.name}: ${failed > 0 ? `${failed} of ${rowsOfNext.length} failed` : "passed"}`);
    return rowsOfNext;
  };
  return (await pMap(all, testNext, { concurrency: Math.min(2, availableParallelism()) })).flat();
}
