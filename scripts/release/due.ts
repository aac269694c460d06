/**
 * Says whether the version of package.json is to be published, as an output of a step: `due=true` or `due=false`. The
 * Release workflow asks, so that a maintainer is not asked to approve what publishes nothing.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const { name, version } = JSON.parse(readFileSync("package.json", "utf8")) as { name: string; version: string };
const published = versionsOnNpm();
const isDated = readFileSync("CHANGELOG.md", "utf8").includes(`\n## ${version}\n\nReleased `);
const reasons = [
  // npm trusts a workflow for a package that exists.
  published === undefined && "npm does not know the package: publish its first version from your machine.",
  published?.includes(version) && `npm has ${version}.`,
  !isDated && `CHANGELOG.md does not date ${version}.`,
].filter((reason) => typeof reason === "string");
console.error(reasons.join(" ") || `${version} is to be published.`);
console.log(`due=${reasons.length === 0}`);

/** Returns `undefined` if npm does not know the package. */
function versionsOnNpm(): readonly string[] | undefined {
  try {
    const args = ["view", name, "versions", "--json"];
    const output = execFileSync("npm", args, { encoding: "utf8", stdio: "pipe", shell: process.platform === "win32" });
    return [JSON.parse(output)].flat();
  } catch (error) {
    const { stdout = "" } = error as { readonly stdout?: string };
    if (/"code": "E404"/.test(stdout)) return undefined;
    throw error;
  }
}
