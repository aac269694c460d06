import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** `serviceapi/…` is the source here, as in tsconfig.json; `test/package` imports what was built. */
const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions as {
  paths: Record<string, [string]>;
};

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
    include: ["test/**/*.test.ts", "examples/testing-vitest/*.test.ts"],
    // Those that measure growth take seconds on a busy machine; none waits for this to pass.
    testTimeout: 30_000,
    exclude: ["test/runtimes/**", "test/next/**", "test/consumers/*/**", "**/node_modules/**"],
    globalSetup: ["test/support/stale-build.ts", "test/support/left-out.ts"],
    // For the tests that an abort survives garbage collection (nodejs/undici#3644).
    execArgv: ["--expose-gc"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"] },
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
