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
 * Chromium, the packed package, the examples and the programs of the guides.
 */
const built = [
  "test/cli/**/*.test.ts",
  "test/package/**/*.test.ts",
  "test/release/**/*.test.ts",
  "test/docs/run.test.ts",
  "test/examples/**/*.test.ts",
  "test/emulator/console/page.test.ts",
  "test/emulator/console/accessibility.test.ts",
  "test/ai/relay/chat-page.test.ts",
  "test/webhooks/adapters/runtimes.test.ts",
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
    // Those that measure growth take seconds on a busy machine; none waits for this to pass.
    testTimeout: 30_000,
    // Many tests wait for servers, timers and other processes.
    maxWorkers: 2 * availableParallelism(),
    setupFiles: ["test/support/lifetimes/watch.ts", "test/support/leaks/watch.ts"],
    globalSetup: ["test/support/left-out.ts"],
    // For the tests that an abort survives garbage collection (nodejs/undici#3644).
    execArgv: ["--expose-gc"],
    projects: [
      {
        extends: true,
        test: {
          name: "source",
          include: ["test/**/*.test.ts", "examples/testing-vitest/*.test.ts"],
          exclude: ["test/runtimes/**", "test/next/**", "test/consumers/*/**", "**/node_modules/**", ...built],
          typecheck: { enabled: true, include: ["test/**/*.test-d.ts"] },
        },
      },
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
