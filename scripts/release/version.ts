/**
 * Makes the next version from the files in .changeset: writes it into package.json, package-lock.json and
 * src/version.ts (with its page of etc/api), and its entry into CHANGELOG.md. Without such files, it dates the entry of
 * the version that package.json has.
 *
 *   npm run version
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Groups of an entry of CHANGELOG.md, in their order: those of Keep a Changelog, and one for what breaks. */
const groups = ["Breaking", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"] as const;

const unreleased = "Not released yet.";

/**
 * Arranges CHANGELOG.md after `changeset version`: moves the entry that Changesets put under the title below the
 * introduction, and sorts its lines by group instead of by kind of release. Dates the newest entry, if it has no date.
 *
 * The heading of an entry is the version alone, because the action of Changesets looks it up for its release notes.
 */
export function arrange(changelog: string, date: string): string {
  const [title = "", ...rest] = changelog.split("\n");
  const body = rest.join("\n").trimStart();
  const added = /^## \S+\n(?:(?!^## )[\s\S])*?^### (?:Major|Minor|Patch) Changes$/m.exec(body)?.index === 0;
  if (!added) return changelog.replace(unreleased, `Released ${date}.`);
  // The introduction is the first line that belongs to no list: Changesets indents what continues one.
  const introduction = body.search(/^(?!#|- |[ \t]|$)/m);
  const entry = arrangeEntry(body.slice(0, introduction), date);
  const [before = "", ...entries] = body.slice(introduction).split(/^(?=## )/m);
  return [title, "", `${before.trimEnd()}\n`, entry, entries.join("")].join("\n");
}

function arrangeEntry(entry: string, date: string): string {
  const heading = /^## .*$/m.exec(entry)?.[0] ?? "";
  const items = entry.split(/^(?=- )/m).slice(1);
  const lines = items.map((item) => groupOf(item.replace(/\n+#[\s\S]*/, "").trimEnd()));
  const sections = groups.flatMap((group) => {
    const own = lines.filter((line) => line.group === group).map(({ text }) => text);
    return own.length === 0 ? [] : [`### ${group}\n\n${own.join("\n")}\n`];
  });
  return [heading, "", `Released ${date}.`, "", sections.join("\n")].join("\n");
}

/** Splits `- 0123abc: Added: words` into its group and `- words`. */
export function groupOf(item: string): { readonly group: (typeof groups)[number]; readonly text: string } {
  const [, name, words = ""] = /^- (?:[0-9a-f]{7}: )?(\w+): ([\s\S]*)$/.exec(item) ?? [];
  const group = groups.find((known) => known === name);
  if (group === undefined) throw new Error(`Start this changeset with one of ${groups.join(", ")}: "${item}".`);
  return { group, text: `- ${words}` };
}

if (import.meta.filename === process.argv[1]) {
  const changesets = createRequire(import.meta.url).resolve("@changesets/cli/bin.js");
  execFileSync(process.execPath, [changesets, "version"], { stdio: "inherit" });
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const rewrite = (file: string, change: (text: string) => string) =>
    writeFileSync(file, change(readFileSync(file, "utf8")));
  rewrite("CHANGELOG.md", (changelog) => arrange(changelog, new Date().toISOString().slice(0, 10)));
  for (const file of ["src/version.ts", "etc/api/serviceapi.api.md"])
    rewrite(file, (text) => text.replace(/(?<=^export const version = ")[^"]*/m, version));
  rewrite("package-lock.json", (text) => {
    const lock = JSON.parse(text);
    lock.version = version;
    lock.packages[""].version = version;
    return `${JSON.stringify(lock, undefined, 2)}\n`;
  });
}
