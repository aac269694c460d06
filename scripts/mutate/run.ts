import { createHash } from "node:crypto";
import { Stryker } from "@stryker-mutator/core";
import type { Part } from "./parts.ts";

/**
 * Mutates a part, prints what survived, and keeps the results for the next run, which tries what changed since. Returns the
 * percentage of the mutants that the tests found: those that ran into a timeout were found.
 */
export async function mutate(part: Part, concurrency: number): Promise<number> {
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
