import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/support/lifetimes/planted/*ing.ts"],
    // Long for a test that leaves something behind on purpose.
    env: { SERVICEAPI_TEST_PATIENCE: "500" },
    setupFiles: ["test/support/lifetimes/watch.ts"],
    reporters: ["verbose"],
  },
});
