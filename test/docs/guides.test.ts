import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blocksOf, guides, read, root } from "./blocks.ts";

const linksOf = (file: string) =>
  [...read(file).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target);
const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };

describe("README.md", () => {
  it("has at most 180 lines, and begins with a program for all four areas that needs no credentials", () => {
    expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(180);
    const [first] = blocksOf("README.md", read("README.md"));
    expect(first?.standsAlone).toBe(true);
    expect(first?.code).toContain("createEmulator");
    for (const area of ["verification", "ai", "flights", "webhooks"]) expect(first?.code).toContain(`api.${area}.`);
  });

  it("links each promise of its first screen to a row of docs/promises.md", () => {
    const ids = [...read("README.md").matchAll(/docs\/promises\.md#([\w-]+)\)/g)].map(([, id = ""]) => id);
    expect(ids.length).toBeGreaterThanOrEqual(4);
    expect(ids.filter((id) => !read("docs/promises.md").includes(`<a id="${id}"></a>`))).toEqual([]);
  });

  it("names the two commands that do the whole set-up of a clone", () => {
    for (const command of ["npm ci && npm run demo", "npm ci && npm test"]) {
      expect(read("README.md").replaceAll(/\s+/g, " ")).toContain(`\`${command}\``);
    }
  });

  it.each(["README.md", "llms.txt"])("leaves out no guide that it is beside: %s", (file) => {
    const unlinked = guides().filter((guide) => guide.startsWith("docs") && !linksOf(file).includes(guide));
    // Those that the package does not have.
    expect(unlinked.filter((guide) => file === "README.md" || !files.includes(`!${guide}`))).toEqual([]);
  });

  it("has pictures of less than 100 KB each", () => {
    const pictures = [...read("README.md").matchAll(/(?:src|srcset)="([^"]+)"|!\[[^\]]*\]\(([^)]+)\)/g)];
    const paths = pictures.map(([, source, target]) => source ?? target ?? "");
    expect(paths).toEqual(expect.arrayContaining(["docs/demo-dark.svg", "docs/demo-light.svg", "docs/chat.webp"]));
    expect(paths.filter((path) => statSync(join(root, path)).size >= 100 * 1024)).toEqual([]);
  });
});

describe("the skill for coding agents", () => {
  it("has a name and a description, is short, and is in the package with llms.txt", () => {
    const skill = read("skills/serviceapi/SKILL.md");
    expect(skill).toMatch(/^---\nname: serviceapi\ndescription: .+\n---\n/);
    const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(skill) ?? [];
    expect(head).toMatch(/^name: serviceapi$/m);
    expect(/^description: (.+)$/m.exec(head)?.[1]?.length).toBeLessThan(1024);
    expect(skill.split("\n").length).toBeLessThan(200);
    expect(files).toEqual(expect.arrayContaining(["docs/*.md", "llms.txt", "skills"]));
    expect(readdirSync(join(root, "skills"))).toEqual(["serviceapi"]);
  });
});
