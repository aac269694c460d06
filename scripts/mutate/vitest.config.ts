/** The tests as `npm run mutate` runs them: one after another in one thread, without the watch for leaks, which is slow. */
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import base from "../../vitest.config.ts";

/** The longest that each file took in this process: most runs end at their first test that fails. */
const durations = new Map<string, number>();

/**
 * The first test that fails ends the run of a mutant. Its neighbour was often found by the same file, which comes first,
 * and of the others the quickest. Vitest would begin with the slowest.
 */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const failed = new Set<string>();
    for (const file of files) {
      const result = this.ctx.cache.getTestSpecificationResult(file);
      if (!result) continue;
      durations.set(file.moduleId, Math.max(result.duration, durations.get(file.moduleId) ?? 0));
      if (result.failed) failed.add(file.moduleId);
    }
    const rank = ({ moduleId }: TestSpecification) => (failed.has(moduleId) ? -1 : (durations.get(moduleId) ?? 0));
    return [...files].sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  ...(base.resolve && { resolve: base.resolve }),
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["scripts/mutate/load.ts", "test/support/restore.ts"],
    isolate: false,
    fileParallelism: false,
    sequence: { sequencer: QuickestFirst },
    // A mutant that hangs fails its test.
    testTimeout: 30_000,
    // PGlite needs more than ten seconds to start on a busy machine.
    hookTimeout: 60_000,
  },
});
