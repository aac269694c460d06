/**
 * Runs before `npm publish` and stops it if this is not a release: uncommitted changes, a version that CHANGELOG.md does
 * not date, changesets that are left, no repository, or a check that fails. `npm publish --dry-run` lists the same
 * problems and goes on.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { problemsOf } from "./problems.ts";

const isDryRun = process.env.npm_config_dry_run === "true";

const problems = problemsOf({
  manifest: JSON.parse(readFileSync("package.json", "utf8")),
  changelog: readFileSync("CHANGELOG.md", "utf8"),
  changesets: readdirSync(".changeset").filter((name) => name.endsWith(".md") && name !== "README.md"),
  uncommitted: execFileSync("git", ["status", "--porcelain"], { encoding: "utf8" }).split("\n").filter(Boolean),
});
for (const problem of problems) console.error(`${isDryRun ? "Before a release" : "Not published"}: ${problem}`);
if (problems.length > 0 && !isDryRun) process.exit(1);

// In CI, the release waits for the jobs that run it.
if (!isDryRun && !process.env.CI) {
  const { status } = spawnSync("npm", ["run", "check"], { stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(1);
}
