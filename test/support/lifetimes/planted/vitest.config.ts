import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/support/lifetimes/planted/*ing.ts"],
    setupFiles: ["test/support/lifetimes/watch.ts"],
    reporters: ["verbose"],
  },
});
