/** The tests as `npm run mutate` runs them: one after another in one thread, without the watch for leaks, which is slow. */
import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

export default defineConfig({
  ...(base.resolve && { resolve: base.resolve }),
  test: {
    include: ["test/**/*.test.ts"],
    isolate: false,
    fileParallelism: false,
    // A mutant that hangs fails its test.
    testTimeout: 10_000,
  },
});
