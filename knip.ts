import { readFileSync } from "node:fs";
import type { KnipConfig } from "knip";

const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions as {
  paths: Record<string, [string]>;
};

export default {
  entry: [
    ...Object.values(paths).map(([file]) => `${file.slice(2)}!`),
    "examples/**/*.{ts,js,cjs}",
    "bench/{main,run-suite,memory-process,server}.ts",
    "scripts/*.{ts,cjs}",
    "test/**/*.{test,test-d}.ts",
    "test/next/*.ts",
    "test/docs/{prelude,stand-ins/*}.ts",
  ],
  project: ["src/**/*.ts!", "{test,bench,examples,scripts}/**/*.ts"],
  // Projects of their own, with dependencies of their own.
  ignore: ["test/runtimes/**", "test/consumers/*/**"],
  ignoreExportsUsedInFile: true,
  // Debian's, for the tests of stores, certificates and terminals, and for the bench.
  ignoreBinaries: ["redis-server", "openssl", "script", "taskset"],
} satisfies KnipConfig;
