import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/next/*.test.ts"],
    // `next build` takes about ten seconds on two cores.
    hookTimeout: 90_000,
    reporters: process.env.CI ? ["default", ["json", { outputFile: "reports/test-next.json" }]] : ["default"],
  },
});
