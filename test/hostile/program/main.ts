import { setTimeout as pause } from "node:timers/promises";
import { Finder } from "../../support/leaks/finder.ts";
import { leaksInError } from "../../support/leaks/scan.ts";
import { type Hidden, run } from "./run.ts";

/** The program in Node, Deno and Bun: `main.ts <URL of the driver> <URL of serviceapi> [<URL of serviceapi/node> [<proxy>]]`. */
const [control = "", serviceapi = "", node, proxy] = process.argv.slice(2);
const { nodeFetch } = node === undefined ? {} : ((await import(node)) as typeof import("../../../src/node/index.ts"));
const { bun, deno } = process.versions;

/** Waits for the connections to close: Node gives up one that it was making only after ten seconds. */
async function findResources(): Promise<readonly string[]> {
  const endsAt = performance.now() + 15_000;
  let resources = activeResources();
  while (resources.length > 0 && performance.now() < endsAt) {
    await pause(50);
    resources = activeResources();
  }
  return resources;
}

/** Returns the names of all that keeps this process alive, other than the pipes of its output. */
function activeResources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => !/^(?:Pipe|TTY)/.test(name));
}

/** The scan of `npm test`, of whole errors: their hidden fields, and each spelling. */
function createScan({ secrets, people }: Hidden): (error: Error) => readonly string[] {
  const finder = new Finder();
  for (const value of secrets) finder.add("a secret", value);
  for (const value of people) finder.add("personal data", value);
  const seen = new Set<unknown>();
  return (error) => {
    const isFirst = !seen.has(error.constructor);
    seen.add(error.constructor);
    return leaksInError(finder, error, isFirst).map(({ kind, form, where }) => `${kind} (${form}) in ${where}`);
  };
}

await run({
  control,
  createScan,
  serviceapi: await import(serviceapi),
  ...(nodeFetch && { fetch: nodeFetch(proxy === undefined ? {} : { proxy }) }),
  ...(bun === undefined && deno === undefined && { findResources }),
});
