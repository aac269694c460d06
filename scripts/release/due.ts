/**
 * Says whether the version of package.json is to be published, as an output of a step: `due=true` or `due=false`. The
 * Release workflow asks, so that a maintainer is not asked to approve what publishes nothing.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isDue } from "./is-due.ts";

const { name, version } = JSON.parse(readFileSync("package.json", "utf8")) as { name: string; version: string };
const { due, because } = isDue({ version, changelog: readFileSync("CHANGELOG.md", "utf8"), published: published() });
console.error(because);
console.log(`due=${due}`);

/** The versions on npm; `undefined` if npm does not know the package. */
function published(): readonly string[] | undefined {
  try {
    const versions = JSON.parse(npm("view", name, "versions", "--json")) as string | readonly string[];
    return [versions].flat();
  } catch (error) {
    const { stdout = "" } = error as { readonly stdout?: string };
    if (/"code": "E404"/.test(stdout)) return undefined;
    throw error;
  }
}

function npm(...args: readonly string[]): string {
  return execFileSync("npm", args, { encoding: "utf8", stdio: "pipe", shell: process.platform === "win32" });
}
