import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** `serviceapi/…` is the source here, as in tsconfig.json; `test/package` imports what was built. */
const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions as { paths: Record<string, [string]> };

export default defineConfig({
  resolve: {
    alias: Object.entries(paths).map(([name, [file]]) => ({
      find: new RegExp(`^${name}$`),
      replacement: fileURLToPath(new URL(file, import.meta.url)),
    })),
  },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/runtimes/**", "test/stores/**", "**/node_modules/**"],
    // For the tests that an abort survives garbage collection (nodejs/undici#3644).
    execArgv: ["--expose-gc"],
    typecheck: { enabled: true, include: ["test/**/*.test-d.ts"] },
    coverage: {
      include: ["src/**"],
      reporter: ["text-summary", "json-summary", "html"],
      thresholds: { lines: 95, branches: 95 },
    },
    reporters: process.env.CI ? ["default", ["json", { outputFile: "reports/vitest.json" }]] : ["default"],
  },
});
