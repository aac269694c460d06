import { readFileSync, rmSync } from "node:fs";
import { defineConfig, type Options } from "tsup";
import { markInitializersPure } from "./scripts/pure-initializers.ts";

/** The entry points stand once, as `paths` in tsconfig.json: "serviceapi/webhooks/node" becomes dist/webhooks/node.js. */
const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions as {
  paths: Record<string, [string]>;
};
const entry = {
  ...Object.fromEntries(
    Object.entries(paths).map(([name, [file]]) => [name.replace(/^serviceapi\/?/, "") || "index", file]),
  ),
  // Not an entry point: a file apart, so that whoever imports one class of errors gets nothing else of its chunk.
  errors: "src/errors/index.ts",
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
  removeNodeProtocol: false,
  external: ["msw", /^node:/],
  metafile: true,
  esbuildOptions(options) {
    options.mainFields = ["module", "main"];
  },
};

/** In CommonJS what is loaded later is required later: `import()` fails in Jest, which runs CommonJS in a `vm` context. */
const requireLater: NonNullable<Options["plugins"]>[number] = {
  name: "require-later",
  renderChunk(code) {
    if (this.format !== "cjs") return undefined;
    return { code: code.replace(/\bimport\((["']\.[^"']+["'])\)/g, "Promise.resolve().then(() => require($1))") };
  },
};

/** CommonJS is not shaken. */
const pureInitializers: NonNullable<Options["plugins"]>[number] = {
  name: "pure-initializers",
  renderChunk(code) {
    return this.format === "esm" ? { code: markInitializersPure(code) } : undefined;
  },
};

export default defineConfig({
  ...shared,
  // The command shares the files of the entry points.
  entry: { ...entry, "cli/main": "src/cli/main.ts" },
  format: ["esm", "cjs"],
  plugins: [requireLater, pureInitializers],
  // Types of a devDependency are no less missing than its code.
  dts: { entry, resolve: ["@standard-schema/spec"], compilerOptions: { stripInternal: true } },
  clean: true,
  // A command is started, not required.
  onSuccess: async () => rmSync("dist/cli/main.cjs"),
});
