import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { arrange, groupOf } from "../../scripts/release/version.ts";
import { read, root } from "../docs/blocks.ts";

const { version } = JSON.parse(read("package.json")) as { version: string };
const today = new Date().toISOString().slice(0, 10);

/** A copy of the files that `npm run version` reads and writes. */
function project(changesets: Readonly<Record<string, string>>): { run: () => void; file: (name: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-version-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of [
    "package.json",
    "package-lock.json",
    "CHANGELOG.md",
    "src/version.ts",
    "etc/api/serviceapi.api.md",
    ".changeset/config.json",
  ])
    cpSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, "scripts"));
  cpSync(join(root, "scripts/release"), join(folder, "scripts/release"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  for (const [name, text] of Object.entries(changesets)) writeFileSync(join(folder, `.changeset/${name}.md`), text);
  // Changesets asks git which commit added a file.
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: folder });
  git("init", "--quiet");
  git("add", ".changeset");
  git("commit", "--quiet", "--message", "Start");
  return {
    run: () => execFileSync(process.execPath, ["scripts/release/version.ts"], { cwd: folder, stdio: "pipe" }),
    file: (name) => readFileSync(join(folder, name), "utf8"),
  };
}

const changeset = (kind: string, words: string) => `---\n"serviceapi": ${kind}\n---\n\n${words}\n`;

describe("npm run version", () => {
  it("collects the changesets into the newest entry, by group, and counts the version up everywhere", () => {
    const { run, file } = project({
      one: changeset("patch", "Fixed: a thing.\nIt no longer fails."),
      two: changeset("minor", "Breaking: `a` is now `b`. Rename it."),
      three: changeset("patch", "Fixed: another thing."),
    });
    run();
    const [major = 0, minor = 0] = version.split(".").map(Number);
    const next = `${major}.${minor + 1}.0`;
    const changelog = file("CHANGELOG.md");
    expect(changelog).toContain(
      `\n\n## ${next}\n\nReleased ${today}.\n\n### Breaking\n\n- \`a\` is now \`b\`. Rename it.\n`,
    );
    expect(changelog).toMatch(/\n### Fixed\n\n(?:- a thing\.\n {2}It no longer fails\.\n|- another thing\.\n){2}\n## /);
    expect(changelog.slice(0, changelog.indexOf("\n## "))).toBe(introduction(read("CHANGELOG.md")));
    expect(changelog.slice(changelog.indexOf(`\n## ${version}\n`))).toBe(entriesFrom(version));
    expect(JSON.parse(file("package.json")).version).toBe(next);
    expect(JSON.parse(file("package-lock.json")).packages[""].version).toBe(next);
    for (const name of ["src/version.ts", "etc/api/serviceapi.api.md"])
      expect(file(name)).toContain(`export const version = "${next}";`);
  });

  it("dates the entry of a version that is complete", () => {
    const { run, file } = project({});
    run();
    expect(file("CHANGELOG.md")).toBe(read("CHANGELOG.md").replace("Not released yet.", `Released ${today}.`));
    expect(JSON.parse(file("package.json")).version).toBe(version);
  });

  it("refuses a changeset that names no group", () => {
    expect(() => groupOf("- 0123abc: It is better now.")).toThrow(/^Start this changeset with one of Breaking, Added/);
    expect(() => arrange("# A\n\n## 1.0.0\n\n### Patch Changes\n\n- Better.\n\nWords.\n", today)).toThrow("Start this");
  });
});

describe("CHANGELOG.md", () => {
  it("has an entry for the version of package.json, which is the newest, with the heading that Changesets looks up", () => {
    expect(/^## (.*)$/m.exec(read("CHANGELOG.md"))?.[1]).toBe(version);
  });

  it("says of each entry when it was released", () => {
    const entries = read("CHANGELOG.md")
      .split(/^(?=## )/m)
      .slice(1);
    const undated = entries.filter(
      (entry) => !/^## [\d.]+\n\n(?:Released \d{4}-\d\d-\d\d|Not released yet)\.\n/.test(entry),
    );
    expect(undated).toEqual([]);
    expect(entries.slice(1).filter((entry) => entry.includes("Not released yet."))).toEqual([]);
  });
});

describe("each changeset", () => {
  it("names its group, so that it can be released", () => {
    const files = readdirSync(join(root, ".changeset")).filter((name) => /^(?!README).*\.md$/.test(name));
    for (const file of files) groupOf(`- ${read(`.changeset/${file}`).split("---")[2]?.trim() ?? ""}`);
  });
});

const introduction = (changelog: string) => changelog.slice(0, changelog.indexOf("\n## "));

function entriesFrom(heading: string): string {
  const changelog = read("CHANGELOG.md");
  return changelog.slice(changelog.indexOf(`\n## ${heading}\n`));
}
