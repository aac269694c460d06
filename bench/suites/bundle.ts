/**
 * Size of an application that imports this and nothing else, minified by esbuild and gzipped: eager is what it loads at
 * the start, whole is with all that it may load later, in one file. `export *` takes a whole entry point; the others are
 * single imports, as an application writes them. And the packed tarball of the package.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { bundle, gzippedKilobytes, inOneFile } from "../../scripts/bundle.ts";
import { type Figure, plainFigure } from "../measure.ts";

const allOf = (entry: string) => `export * from "${entry}";`;

const coreOnly = `export { Client } from "serviceapi/core"; export { findVpas } from "serviceapi/verification";`;

/** The modules of applications, by the name of their row. */
const modules: readonly { readonly name: string; readonly code: string }[] = [
  ...[
    "serviceapi",
    "serviceapi/verification",
    "serviceapi/flights",
    "serviceapi/webhooks",
    "serviceapi/callback-url",
    "serviceapi/core",
  ].map((name) => ({ name, code: allOf(name) })),
  { name: "{ ServiceApi }", code: `export { ServiceApi } from "serviceapi";` },
  { name: "{ Webhooks, hmac }", code: `export { Webhooks, hmac } from "serviceapi/webhooks";` },
  { name: "one error class", code: `export { NotFoundError } from "serviceapi";` },
  {
    name: "one isInstance",
    code: `import { NotFoundError } from "serviceapi"; export const is = (error) => NotFoundError.isInstance(error);`,
  },
  { name: "one operation", code: `export { findVpas } from "serviceapi";` },
  { name: "checkout", code: `export { checkout } from "serviceapi/flights";` },
  { name: "core with findVpas", code: coreOnly },
  { name: "core with findVpas and ai", code: `${coreOnly} export { Ai } from "serviceapi";` },
  { name: "openai", code: `export { default } from "openai";` },
  { name: "@anthropic-ai/sdk", code: `export { default } from "@anthropic-ai/sdk";` },
  { name: "stripe", code: `export { default } from "stripe";` },
  { name: "ky + zod", code: `export { default } from "ky"; export * from "zod";` },
  { name: "ai: streamText", code: `export { streamText } from "ai";` },
  { name: "svix: Webhook", code: `export { Webhook } from "svix";` },
  { name: "standardwebhooks", code: `export { Webhook } from "standardwebhooks";` },
  { name: "@octokit/webhooks", code: `export { Webhooks } from "@octokit/webhooks";` },
];

export async function run(): Promise<Figure[]> {
  const eager: Figure[] = [];
  const whole: Figure[] = [];
  for (const { name, code } of modules) {
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
