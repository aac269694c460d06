/** Links of the packed pages. A reader has the package, and the repository only if package.json names it. */
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pathsBelow, root } from "../docs/blocks.ts";
import { anchorsIn, linksIn } from "../support/markdown.ts";
import { type Packed, pack } from "../support/packed.ts";

const { repository } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { repository?: { url: string } };
/** The page of the repository, such as `https://github.com/acme/serviceapi`. */
const home = repository?.url.replace(/^git\+|\.git$/g, "");

let packed: Packed;
beforeAll(async () => {
  packed = await pack();
});
afterAll(() => packed.remove());

const read = (file: string) => readFileSync(`${packed.folder}/${file}`, "utf8");
const pages = () => packed.files.filter((file) => file.endsWith(".md"));

/** Why a target leads nowhere, seen from a page of the package. */
function faultOf(page: string, target: string): string | undefined {
  if (/^(?:https?:|mailto:)/.test(target)) return faultOfUrl(target);
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : posix.normalize(posix.join(posix.dirname(page), decodeURI(path)));
  // A registry shows README.md with the repository, and pictures are for those who read there.
  const mayBeApart = page === "README.md" || /\.(?:svg|webp)$/.test(file);
  if (mayBeApart && !packed.files.includes(file) && existsSync(`${root}${file}`)) return undefined;
  if (!packed.files.includes(file)) return "is not in the package";
  if (anchor !== undefined && !anchorsIn(read(file)).has(decodeURIComponent(anchor))) return "is no heading there";
  return undefined;
}

function faultOfUrl(url: string): string | undefined {
  if (url.startsWith("http:")) return "is not HTTPS";
  if (home === undefined || !url.startsWith(`${home}/`)) {
    return /\/serviceapi(?:[/#]|$)/.test(url) ? "pretends a repository that package.json does not name" : undefined;
  }
  const [, path = ""] = /\/(?:blob|raw|tree)\/HEAD\/([^#]*)/.exec(url) ?? [];
  return path === "" || pathsBelow(".").map(normal).includes(normal(path)) ? undefined : "is not in the repository";
}

const normal = (path: string) => path.replaceAll("\\", "/").replace(/\/$/, "");

describe("each link and picture of the packed pages", () => {
  it("leads to a file of the package, to a heading in one, or to another site", () => {
    const links = pages().flatMap((page) => linksIn(read(page)).map((target) => ({ page, target })));
    expect(links.length).toBeGreaterThan(100);
    const broken = links.map(({ page, target }) => `${page}: ${target} ${faultOf(page, target) ?? "is right"}`);
    expect([...new Set(broken)].filter((line) => !line.endsWith("is right"))).toEqual([]);
  });

  it("is found wherever Markdown has one, and not in code", () => {
    const page =
      '# A\n\n[a](a.md#b) ![b](b.svg)\n\n- [c][d]\n\n| [e](e.md) |\n| - |\n| `[f](f.md)` |\n\n<img src="g.svg">\n\n```md\n[h](h.md)\n```\n\n[d]: d.md\n';
    expect(linksIn(page).sort()).toEqual(["a.md#b", "b.svg", "d.md", "e.md", "g.svg"]);
  });

  it.each([
    ["docs/nothing.md", "is not in the package"],
    ["docs/errors.md#nothing", "is no heading there"],
    ["ARCHITECTURE.md", "is not in the package"],
    ["../README.md", "is not in the package"],
    ["http://example.com", "is not HTTPS"],
    ["https://github.com/someone-else/serviceapi", "pretends a repository that package.json does not name"],
  ])("is refused if it is %s", (target, fault) => {
    expect(faultOf("SECURITY.md", target)).toBe(fault);
  });

  it.each([
    "docs/errors.md",
    "#errors",
    "docs/promises.md#payout-once",
    "docs/streaming.md#framing",
    "https://keepachangelog.com/en/1.1.0/",
  ])("may be %s", (target) => {
    expect(faultOf("README.md", target)).toBeUndefined();
  });
});

describe("the doc comments and messages of the package", () => {
  it("name only guides that are in it", () => {
    const named = packed.files
      .filter((file) => /\.(?:d\.ts|js)$/.test(file))
      .flatMap((file) => [...read(file).matchAll(/\bdocs\/[\w-]+\.md(?:#[\w-]+)?/g)].map(([target]) => target));
    const broken = [...new Set(named)].filter((target) => faultOf("SECURITY.md", target) !== undefined);
    expect(broken).toEqual([]);
  });
});
