/**
 * Runs before `npm publish` and stops it if this is not a release: uncommitted changes, a version that CHANGELOG.md does
 * not date, changesets that are left, no repository, or a check that fails. `npm publish --dry-run` lists the same
 * problems and goes on.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The state of the project before a release. */
interface ReleaseState {
  readonly manifest: { readonly version: string; readonly repository?: unknown };
  readonly changelog: string;
  /** Files of .changeset that no version contains yet. */
  readonly changesets: readonly string[];
  /** Lines of `git status --porcelain`. */
  readonly uncommitted: readonly string[];
}

/** Returns what keeps the project from being published, each with what to do. */
export function problemsOf({ manifest, changelog, changesets, uncommitted }: ReleaseState): string[] {
  const { version, repository } = manifest;
  const [, newest, released] = /^## (\S+)\n\n(Released \d{4}-\d\d-\d\d\.)?/m.exec(changelog) ?? [];
  return [
    uncommitted.length > 0 && `there are ${uncommitted.length} uncommitted changes. Commit or remove them.`,
    changesets.length > 0 && `${changesets.join(", ")} are not part of a version. Run \`npm run version\`.`,
    newest !== version && `CHANGELOG.md has no entry for ${version} at its top. Run \`npm run version\`.`,
    newest === version && !released && `the entry for ${version} has no date. Run \`npm run version\`.`,
    repository === undefined && "package.json names no repository. Run `npm run release:fields -- <its URL>`.",
  ].filter((problem) => typeof problem === "string");
}

if (import.meta.filename === process.argv[1]) {
  const isDryRun = process.env.npm_config_dry_run === "true";
  const problems = problemsOf({
    manifest: JSON.parse(readFileSync("package.json", "utf8")),
    changelog: readFileSync("CHANGELOG.md", "utf8"),
    changesets: readdirSync(".changeset").filter((name) => name.endsWith(".md") && name !== "README.md"),
    uncommitted: execFileSync("git", ["status", "--porcelain"], { encoding: "utf8" }).split("\n").filter(Boolean),
  });
  for (const problem of problems) console.error(`${isDryRun ? "Before a release" : "Not published"}: ${problem}`);
  // In CI, the release waits for the jobs that run the check.
  const check = () => spawnSync("npm", ["run", "check"], { stdio: "inherit", shell: process.platform === "win32" });
  if (!isDryRun && (problems.length > 0 || (!process.env.CI && check().status !== 0))) process.exit(1);
}
