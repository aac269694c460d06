import { readFileSync } from "node:fs";
import type { KnipConfig } from "knip";

const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions as {
  paths: Record<string, [string]>;
};

export default {
  entry: [
    ...Object.values(paths).map(([file]) => `${file.slice(2)}!`),
    // scripts/merge-chunks.ts has each entry point import it.
    "src/shared/check-runtime.ts!",
    // scripts/generate-console.ts bundles it.
    "src/emulator/console/page/main.ts!",
    "examples/**/*.{ts,js,cjs}",
    "bench/{main,run-suite,memory-process,server}.ts",
    // Each part is run by its name.
    "bench/{suites/*,scale/{main,calls,streams,deliveries,numbers,receiver}}.ts",
    "scripts/{*,pictures/*}.{ts,cjs}",
    // Forked.
    "scripts/soak/worker.ts",
    // Loaded by Stryker and Vitest, which take their names.
    "scripts/mutate/{ignore-texts,load,vitest.config}.ts",
    "test/**/*.{test,test-d}.ts",
    // Run by outsiders.test.ts.
    "test/growth/{count,works/*}.ts",
    "test/next/*.ts",
    "test/hostile/program/{main,worker}.ts",
    // Run by lifetimes.test.ts.
    "test/support/lifetimes/planted/*.ts",
    "test/docs/{prelude,stand-ins/*}.ts",
  ],
  project: ["src/**/*.ts!", "{test,bench,examples,scripts}/**/*.ts"],
  // Projects of their own, with dependencies of their own.
  ignore: ["test/runtimes/**", "test/consumers/*/**", "examples/webhooks-next/**"],
  ignoreExportsUsedInFile: true,
  // Debian's, for the tests of stores, certificates, terminals and outputs, and for the bench.
  ignoreBinaries: ["openssl", "taskset", "script", "mkfifo", "unshare"],
} satisfies KnipConfig;
