import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** `serviceapi/…` is the source here, as in tsconfig.json; `test/package` imports what was built. */
const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions as {
  paths: Record<string, [string]>;
};

/**
 * The tests of what is built, as its users run it: the command in child processes and pseudo-terminals, the pages in
 * Chromium, the packed package, the examples, the programs of the guides, and every operation against hostile servers.
 */
const built = [
  "test/cli/**/*.test.ts",
  "test/package/**/*.test.ts",
  "test/release/**/*.test.ts",
  "test/docs/{run,reference}.test.ts",
  "test/examples/**/*.test.ts",
  "test/hostile/**/*.test.ts",
  "test/emulator/console/page.test.ts",
  "test/emulator/console/accessibility.test.ts",
  "test/ai/relay/chat-page.test.ts",
  "test/webhooks/adapters/runtimes.test.ts",
];

/**
 * Tests that replace modules, take over the connections of their process, start programs in it, or measure its heap or
 * time. The others share processes.
 */
const alone = [
  "examples/testing-vitest/payee.test.ts",
  "test/{core,errors,issue-limits}.test.ts",
  "test/ai/stream/loading.test.ts",
  "test/emulator/msw.test.ts",
  "test/flights/booking/corpus.test.ts",
  "test/emulator/state/bounded.test.ts",
  "test/growth/*.test.ts",
  "test/node/transport-suites.test.ts",
  "test/shared/validate.test.ts",
  "test/transport/{lifetimes,missing-chunk,runtime-fetch}.test.ts",
  "test/transport/refusals/clauses.test.ts",
  "test/verification/find-vpas.test.ts",
  "test/webhooks/adapters/examples.test.ts",
  "test/webhooks/stores/serverless.test.ts",
];

/** `test`, or `test-stores`: each script of package.json leaves a report of its own in CI. */
const suite = (process.env.npm_lifecycle_event ?? "vitest").replaceAll(":", "-");

export default defineConfig({
  resolve: {
    alias: Object.entries(paths).map(([name, [file]]) => ({
      find: new RegExp(`^${name}$`),
      replacement: fileURLToPath(new URL(file, import.meta.url)),
    })),
  },
  test: {
    // For tests that hang: no machine is too slow. What is awaited without an event has a little less, and is named then.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    // Many tests wait for servers, timers and other processes.
    maxWorkers: 2 * availableParallelism(),
    setupFiles: ["test/support/restore.ts", "test/support/lifetimes/watch.ts", "test/support/leaks/watch.ts"],
    globalSetup: ["test/support/left-out.ts"],
    // For the tests that an abort survives garbage collection (nodejs/undici#3644).
    execArgv: ["--expose-gc"],
    projects: [
      {
        extends: true,
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/runtimes/**",
            "test/next/**",
            "test/consumers/*/**",
            "**/node_modules/**",
            ...built,
            ...alone,
          ],
          // A process runs many files, which takes a quarter less time; the watches of setupFiles find what a file leaves.
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: alone } },
      { extends: true, test: { name: "built", include: built, globalSetup: ["test/support/stale-build.ts"] } },
    ],
    coverage: {
      include: ["src/**"],
      // The command runs as a child process and the console's page in a browser, which v8 does not count here;
      // test/cli and test/emulator/console run both.
      exclude: ["src/cli/**", "src/emulator/console/page/**"],
      reporter: ["text-summary", "json-summary", "html"],
      thresholds: { lines: 95, branches: 95 },
    },
    reporters: process.env.CI ? ["default", ["json", { outputFile: `reports/${suite}.json` }]] : ["default"],
  },
});
