/**
 * Size of an application that imports this and nothing else, minified by esbuild and gzipped: eager is what it loads at
 * the start, whole is with all that it may load later, in one file. `export *` takes a whole entry point; the others are
 * single imports, as an application writes them. And the packed tarball of the package.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { bundle, gzippedKilobytes, inOneFile, sizesBySource } from "../../scripts/bundle.ts";
import { type Figure, isProfiling, plainFigure } from "../measure.ts";

const entryPoints = ["", "/verification", "/flights", "/webhooks", "/callback-url", "/core"].map(
  (path) => `serviceapi${path}`,
);

const coreOnly = `export { Client } from "serviceapi/core"; export { findVpas } from "serviceapi/verification";`;

/** The modules of applications, by the name of their row. */
const modules: Readonly<Record<string, string>> = {
  ...Object.fromEntries(entryPoints.map((name) => [name, `export * from "${name}";`])),
  "{ ServiceApi }": `export { ServiceApi } from "serviceapi";`,
  "{ Webhooks, hmac }": `export { Webhooks, hmac } from "serviceapi/webhooks";`,
  "one error class": `export { NotFoundError } from "serviceapi";`,
  "one isInstance": `import { NotFoundError as E } from "serviceapi"; export const is = (error) => E.isInstance(error);`,
  "one operation": `export { findVpas } from "serviceapi";`,
  checkout: `export { checkout } from "serviceapi/flights";`,
  "core with findVpas": coreOnly,
  "core with findVpas and ai": `${coreOnly} export { Ai } from "serviceapi";`,
  openai: `export { default } from "openai";`,
  "@anthropic-ai/sdk": `export { default } from "@anthropic-ai/sdk";`,
  stripe: `export { default } from "stripe";`,
  "ky + zod": `export { default } from "ky"; export * from "zod";`,
  "ai: streamText": `export { streamText } from "ai";`,
  "svix: Webhook": `export { Webhook } from "svix";`,
  standardwebhooks: `export { Webhook } from "standardwebhooks";`,
  "@octokit/webhooks": `export { Webhooks } from "@octokit/webhooks";`,
};

/** Modules with a goal that is missed, from the source: the files of `dist` hold modules of several folders. */
const missed: Readonly<Record<string, string>> = {
  "{ ServiceApi }": `export { ServiceApi } from "./src/index.ts";`,
  "{ Webhooks, hmac }": `export { Webhooks, hmac } from "./src/webhooks/index.ts";`,
  "core with findVpas": `export { Client } from "./src/core.ts"; export { findVpas } from "./src/verification/index.ts";`,
};

/** The folders of the source, minified and not gzipped, as parts of all. */
async function folders(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [measure, code] of Object.entries(missed)) {
    for (const [when, sizes] of Object.entries(await sizesBySource(code))) {
      const byFolder = new Map<string, number>();
      for (const [file, size] of sizes) {
        const [, folder = "root"] = /^(?:src|node_modules)\/([^/]+)\//.exec(file) ?? [];
        byFolder.set(folder, (byFolder.get(folder) ?? 0) + size / 1_024);
      }
      const all = [...byFolder.values()].reduce((sum, size) => sum + size, 0);
      for (const [folder, size] of [["all", all] as const, ...[...byFolder].toSorted(([, a], [, b]) => b - a)]) {
        figures.push({ ...plainFigure(`${measure}, ${when}`, folder, size, "KB"), ratio: size / all });
      }
    }
  }
  return figures;
}

export async function run(): Promise<Figure[]> {
  if (isProfiling) return await folders();
  const eager: Figure[] = [];
  const whole: Figure[] = [];
  for (const [name, code] of Object.entries(modules)) {
    const [{ start }, all] = await Promise.all([bundle(code), inOneFile(code)]);
    eager.push(plainFigure("eager", name, gzippedKilobytes(start), "KB"));
    whole.push(plainFigure("whole", name, gzippedKilobytes(all), "KB"));
  }
  return [...eager, ...whole, plainFigure("packed", "serviceapi", await packedKilobytes(), "KB")];
}

async function packedKilobytes(): Promise<number> {
  const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]);
  const [{ size }] = JSON.parse(stdout) as [{ readonly size: number }];
  return size / 1_024;
}
