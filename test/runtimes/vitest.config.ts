import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/runtimes/*.test.ts"],
    // Each runtime takes about four seconds; two cores are assumed.
    hookTimeout: 150_000,
    reporters: process.env.CI ? ["default", ["json", { outputFile: "reports/test-runtimes.json" }]] : ["default"],
  },
});
