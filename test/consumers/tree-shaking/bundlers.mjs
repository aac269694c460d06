/** Each bundler as it is used for production. Each returns what a browser loads at start. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import * as esbuild from "esbuild";
import { rollup } from "rollup";
import * as vite from "vite";
import webpack from "webpack";

/** @type {Record<string, (entry: string, folder: string) => Promise<string>>} */
export const bundlers = {
  /** One file: what is loaded later is in it, if it is reached. */
  async esbuild(entry, folder) {
    const outfile = join(folder, "main.js");
    await esbuild.build({ entryPoints: [entry], bundle: true, minify: true, format: "esm", outfile });
    return readFileSync(outfile, "utf8");
  },

  async rollup(entry, folder) {
    const bundle = await rollup({ input: entry, plugins: [nodeResolve({ browser: true }), terser()] });
    const { output } = await bundle.write({ dir: folder, format: "es" });
    await bundle.close();
    return startOf(output);
  },

  async vite(entry, folder) {
    const { output } = await vite.build({
      configFile: false,
      logLevel: "error",
      build: {
        outDir: folder,
        modulePreload: false,
        rolldownOptions: { input: entry, preserveEntrySignatures: "exports-only" },
      },
    });
    return startOf(output);
  },

  async webpack(entry, folder) {
    const stats = await promisify(webpack)({
      mode: "production",
      entry: resolve(entry),
      output: { path: folder, module: true, library: { type: "module" } },
      experiments: { outputModule: true },
    });
    if (stats.hasErrors()) throw new Error(stats.toString("errors-only"));
    const { assets } = stats.toJson({ all: false, entrypoints: true }).entrypoints.main;
    return assets.map(({ name }) => readFileSync(join(folder, name), "utf8")).join("");
  },
};

/** The entry point and what it imports statically. */
function startOf(output) {
  const files = new Map(output.map((file) => [file.fileName, file]));
  const start = new Set(output.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  for (const name of start) for (const imported of files.get(name)?.imports ?? []) start.add(imported);
  return [...start].map((name) => files.get(name)?.code ?? "").join("");
}
