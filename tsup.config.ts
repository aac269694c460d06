import { defineConfig, type Options } from "tsup";

/** Entry points by the name of their file in `dist`; package.json `exports` names the same. */
const entry = {
  index: "src/index.ts",
  "verification/index": "src/verification/index.ts",
  "flights/index": "src/flights/index.ts",
  "flights/rule-text": "src/flights/rule-text.ts",
  "webhooks/index": "src/webhooks/index.ts",
  "webhooks/ip": "src/webhooks/ip.ts",
  "webhooks/node": "src/webhooks/adapters/node.ts",
  "webhooks/lambda": "src/webhooks/adapters/lambda.ts",
  "webhooks/redis": "src/webhooks/stores/redis.ts",
  "webhooks/postgres": "src/webhooks/stores/postgres.ts",
  "callback-url": "src/webhooks/callback-url.ts",
  "emulator/index": "src/emulator/emulator.ts",
  msw: "src/emulator/msw.ts",
};

/**
 * ky, zod and eventsource-parser are devDependencies, so tsup builds them in: the published files stand alone.
 * Not minified: with splitting, `minify` breaks the CommonJS chunks of tsup 9.
 */
const shared: Options = {
  target: "es2022",
  platform: "neutral",
  splitting: true,
  treeshake: true,
  external: ["msw", /^node:/],
  metafile: true,
  esbuildOptions(options) {
    options.mainFields = ["module", "main"];
  },
};

export default defineConfig([
  { ...shared, entry, format: ["esm", "cjs"], dts: true, clean: true },
  { ...shared, entry: { "cli/main": "src/cli/main.ts" }, format: "esm", platform: "node", outDir: "dist" },
]);
