import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import type { Plugin } from "esbuild";
import { defineConfig, type Options } from "tsup";

// scripts/is-built.ts compares the sources with the time at which a build began.
mkdirSync("reports", { recursive: true });
writeFileSync("reports/build-begun", "");

/** The entry points stand once, as `paths` in tsconfig.json: "serviceapi/webhooks/ip" becomes dist/webhooks/ip.js. */
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
/** Nor is this: scripts/merge-chunks.ts puts it into the file that all others import. */
const first = { "check-runtime": "src/shared/check-runtime.ts" };

/**
 * Packages of the command name modules of Node without `node:`, and some are CommonJS: a `require()` in a module would
 * fail at run time, so it asks the process for them.
 */
const nodeModules: Plugin = {
  name: "node-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(?:${builtinModules.join("|")})$`) }, ({ path, kind }) =>
      kind === "require-call" ? { path, namespace: "required" } : { path: `node:${path}`, external: true },
    );
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("node:${path}");`,
    }));
  },
};

/**
 * The copies of zod in a process share their configuration through a global: the application's language and error map
 * would change our messages, and an import would define it. The copy that is built in keeps its configuration to itself.
 */
const ownZodConfig: Plugin = {
  name: "own-zod-config",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]core\.js$/ }, ({ path }) => {
      const code = readFileSync(path, "utf8");
      const contents = code
        .replace("globalThis.__zod_globalConfig?.postProcessor", "globalConfig.postProcessor")
        .replace(/^\(_a = globalThis\)\.__zod_globalConfig .*$/m, "")
        .replace("export const globalConfig = globalThis.__zod_globalConfig;", "export const globalConfig = {};");
      if (contents.includes("__zod_globalConfig")) throw new Error(`${path} reads the shared configuration elsewhere.`);
      return { contents };
    });
  },
};

/**
 * ky, zod and eventsource-parser are devDependencies, so tsup builds them in: the published files stand alone.
 * Not minified: with splitting, `minify` breaks the CommonJS chunks of tsup 9.
 */
const shared: Options = {
  target: "es2022",
  platform: "neutral",
  splitting: true,
  removeNodeProtocol: false,
  external: ["msw", "@opentelemetry/api", /^node:/],
  metafile: true,
  esbuildPlugins: [nodeModules, ownZodConfig],
  esbuildOptions(options) {
    options.mainFields = ["module", "main"];
  },
};

export default defineConfig({
  ...shared,
  // The command shares the files of the entry points.
  entry: { ...entry, ...first, "cli/main": "src/cli/main.ts" },
  format: ["esm", "cjs"],
  // Types of a devDependency are no less missing than its code.
  dts: { entry, resolve: ["@standard-schema/spec"], compilerOptions: { stripInternal: true } },
  clean: true,
});
