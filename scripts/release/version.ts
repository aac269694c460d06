/**
 * Makes the next version from the files in .changeset: writes it into package.json, package-lock.json and
 * src/version.ts (with its page of etc/api), and its entry into CHANGELOG.md. Without such files, it dates the entry of the version that
 * package.json has.
 *
 *   npm run version
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arrange } from "./changelog.ts";

execFileSync(process.execPath, [createRequire(import.meta.url).resolve("@changesets/cli/bin.js"), "version"], {
  stdio: "inherit",
});
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

rewrite("CHANGELOG.md", (changelog) => arrange(changelog, new Date().toISOString().slice(0, 10)));
rewrite("src/version.ts", (code) => code.replace(/(?<=^export const version = ")[^"]*/m, version));
rewrite("etc/api/serviceapi.api.md", (page) => page.replace(/(?<=^export const version = ")[^"]*/m, version));
rewrite("package-lock.json", (text) => {
  const lock = JSON.parse(text);
  lock.version = version;
  lock.packages[""].version = version;
  return `${JSON.stringify(lock, undefined, 2)}\n`;
});

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}
