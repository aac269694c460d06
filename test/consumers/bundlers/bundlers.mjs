/** Each bundler with the settings of its documentation, and nothing in them for this package. */
import { execFile } from "node:child_process";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import * as esbuild from "esbuild";
import { rollup } from "rollup";
import * as vite from "vite";
import webpack from "webpack";

/**
 * Bundlers by name. Each builds `entry` (such as `worker.mjs`) into `folder` and returns the warnings. Browsers get
 * several files; Node and workers get one, since a worker is uploaded as one.
 *
 * @type {Record<string, (entry: string, target: "node" | "browser" | "worker", folder: string) => Promise<string[]>>}
 */
export const bundlers = {
  async esbuild(entry, target, folder) {
    const { warnings } = await esbuild.build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      format: "esm",
      platform: target === "node" ? "node" : "browser",
      splitting: target === "browser",
      conditions: target === "worker" ? ["workerd", "worker"] : [],
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      logLevel: "silent",
    });
    return warnings.map(({ text }) => text);
  },

  async rollup(entry, target, folder) {
    const warnings = [];
    const bundle = await rollup({
      input: entry,
      plugins: [nodeResolve({ browser: target !== "node", preferBuiltins: target === "node" })],
      external: target === "node" ? [/^node:/] : [],
      onwarn: (warning) => warnings.push(warning),
    });
    await bundle.write({
      dir: folder,
      format: "es",
      entryFileNames: "[name].mjs",
      inlineDynamicImports: target !== "browser",
    });
    await bundle.close();
    return warnings.filter(({ id = "" }) => !id.includes("node_modules/msw/")).map(({ message }) => message);
  },

  async vite(entry, target, folder) {
    const warnings = [];
    const logger = vite.createLogger("warn");
    logger.warn = (message) => warnings.push(message);
    logger.warnOnce = logger.warn;
    await vite.build({
      configFile: false,
      customLogger: logger,
      logLevel: "warn",
      ssr: { noExternal: true, target: target === "worker" ? "webworker" : "node" },
      build: {
        ssr: target !== "browser",
        minify: true,
        outDir: folder,
        emptyOutDir: false,
        chunkSizeWarningLimit: 2_000,
        rolldownOptions: {
          input: entry,
          output: { entryFileNames: "[name].mjs", codeSplitting: target === "browser" },
        },
      },
    });
    return warnings;
  },

  async webpack(entry, target, folder) {
    const stats = await promisify(webpack)({
      mode: "production",
      entry: resolve(entry),
      target: { node: "node22", browser: "web", worker: "webworker" }[target],
      experiments: { outputModule: true },
      performance: { hints: false },
      // Most of the time that a build takes.
      optimization: { minimize: false },
      output: {
        path: folder,
        filename: basename(entry),
        chunkFilename: "[name].mjs",
        module: true,
        library: { type: "module" },
        publicPath: target === "browser" ? "auto" : "",
      },
      plugins: target === "browser" ? [] : [new webpack.optimize.LimitChunkCountPlugin({ maxChunks: 1 })],
    });
    const { errors = [], warnings = [] } = stats.toJson({ all: false, errors: true, warnings: true });
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
    return warnings.map(({ message }) => message);
  },

  async bun(entry, target, folder) {
    const bun = join(import.meta.dirname, "node_modules/@oven/bun-linux-x64/bin/bun");
    const platform = target === "node" ? "node" : "browser";
    const args = [`--target=${platform}`, "--minify", ...(target === "browser" ? ["--splitting"] : [])];
    const { stdout, stderr } = await promisify(execFile)(bun, [
      "build",
      entry,
      `--outdir=${folder}`,
      "--entry-naming=[name].mjs",
      ...args,
    ]);
    return `${stdout}${stderr}`.split("\n").filter((line) => /^warn/.test(line));
  },
};
