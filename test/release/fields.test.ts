import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readmeWith, repositoryUrl } from "../../scripts/release/fields.ts";
import { root } from "../docs/blocks.ts";
import { linksIn } from "../support/markdown.ts";

const home = "https://github.com/acme/serviceapi";

/** Runs the script on copies of package.json and README.md. */
function project(): {
  run: (...args: string[]) => void;
  manifest: () => Record<string, unknown>;
  readme: () => string;
} {
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-fields-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of ["package.json", "README.md"]) cpSync(join(root, file), join(folder, file));
  return {
    run: (...args) => {
      const script = join(root, "scripts/release/fields.ts");
      execFileSync(process.execPath, [script, ...args], { cwd: folder, stdio: "pipe" });
    },
    manifest: () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
    readme: () => readFileSync(join(folder, "README.md"), "utf8"),
  };
}

describe("npm run release:fields", () => {
  it("names the repository in package.json, and changes nothing else there", () => {
    const { run, manifest } = project();
    const before = manifest();
    run(`${home}.git`, "--funding", "https://github.com/sponsors/acme");
    expect(manifest()).toEqual({
      ...before,
      homepage: `${home}#readme`,
      repository: { type: "git", url: `git+${home}.git` },
      bugs: { url: `${home}/issues` },
      funding: "https://github.com/sponsors/acme",
    });
    expect(Object.keys(manifest()).slice(0, 4)).toEqual(["name", "version", "description", "homepage"]);
  });

  it("lets every relative link and picture of README.md lead to the repository", () => {
    const { run, readme } = project();
    run(home);
    const links = linksIn(readme());
    expect(links.filter((link) => !/^(?:https:|#)/.test(link))).toEqual([]);
    expect(links).toContain(`${home}/blob/HEAD/docs/promises.md`);
    expect(links).toContain(`${home}/raw/HEAD/docs/chat.webp`);
  });

  it("moves to another repository, and changes nothing when it runs again", () => {
    const [moved, direct] = [project(), project()];
    moved.run("https://gitlab.com/a/b/c");
    moved.run(home);
    moved.run(home);
    direct.run(home);
    expect(moved.readme()).toBe(direct.readme());
    expect(moved.manifest()).toEqual(direct.manifest());
  });
});

describe("a link of README.md", () => {
  it.each([
    ["[a](docs/a.md#b)", `[a](${home}/blob/HEAD/docs/a.md#b)`],
    ["![a](a.svg)", `![a](${home}/raw/HEAD/a.svg)`],
    ["[![a](a.svg)](a.md)", `[![a](${home}/raw/HEAD/a.svg)](${home}/blob/HEAD/a.md)`],
    ['<img src="a.svg">', `<img src="${home}/raw/HEAD/a.svg">`],
    ['<a href="a.md">', `<a href="${home}/blob/HEAD/a.md">`],
    ["[a](#b)", "[a](#b)"],
    ["[a](https://b.example/c)", "[a](https://b.example/c)"],
    ["```md\n[a](a.md)\n```", "```md\n[a](a.md)\n```"],
  ])("%s becomes %s", (before, after) => {
    expect(readmeWith(before, home)).toBe(after);
  });
});

describe("the URL of the repository", () => {
  it.each([home, `${home}/`, `${home}.git`])("may be %s", (given) => {
    expect(repositoryUrl([given])).toBe(home);
  });

  it.each([
    [[]],
    [["acme/serviceapi"]],
    [["http://github.com/acme/serviceapi"]],
    [["https://github.com"]],
    [[`${home}/tree/main`]],
    [[home, home]],
  ])("is refused if the arguments are %j", (given) => {
    expect(() => repositoryUrl(given)).toThrow("Pass the ");
  });
});
