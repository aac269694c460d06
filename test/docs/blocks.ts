import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's own folder. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

/** A code block of a guide. */
export interface Block {
  /** Its first line of code, such as `docs/errors.md:12`. */
  readonly place: string;
  readonly code: string;
  /** Marked `ts run`: a program that runs as pasted. Any other block may use the names of prelude.ts. */
  readonly standsAlone: boolean;
  /** The comment `<!-- not run: … -->` in front of it: why it is only compiled. */
  readonly notRun: string | undefined;
  /** Code of drivers.md that calls what it declares. */
  readonly driver: string;
}

/** The files for coding agents, which the package has beside its guides. */
const forAgents = ["llms.txt", "skills/serviceapi/SKILL.md"];

/** README.md, the guides in docs/ and the files for coding agents, relative to the project's folder. */
export function guides(): string[] {
  const found = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name));
  return ["README.md", ...found.sort(), ...forAgents].filter((path) => existsSync(join(root, path)));
}

/** The text of a guide. */
export function read(guide: string): string {
  return readFileSync(join(root, guide), "utf8");
}

/** Every `ts` block of every guide, those in lists included. */
export function blocks(): Block[] {
  return guides().flatMap((guide) => blocksOf(guide, read(guide)));
}

/** The `@example` of every doc comment in the source: what an editor shows beside a name. */
export function exampleBlocks(): Block[] {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join("src", name));
  return files.sort().flatMap((file) => blocksOf(file, read(file).replaceAll(/^([ \t]*) \*(?: |$)/gm, "$1")));
}

/** The sections of drivers.md: a guide, a part of the block that is meant, and the code to append to it. */
export const drivers: readonly { readonly guide: string; readonly text: string; readonly code: string }[] = [
  ...read("test/docs/drivers.md").matchAll(/^## (\S+): `(.+)`\n\n```ts\n([\s\S]*?)^```$/gm),
].map(([, guide = "", text = "", code = ""]) => ({ guide, text, code }));

/** The `ts` blocks of one text. */
export function blocksOf(guide: string, text: string): Block[] {
  const fence =
    /^([ \t]*)(?:<!-- not run:\s+([\s\S]*?)\s+-->\n\n?[ \t]*)?```ts( run)?[ \t]*\n([\s\S]*?)^\1```[ \t]*$/gm;
  return [...text.matchAll(fence)].map((match) => {
    const [whole, indent = "", notRun, run, code = ""] = match;
    const line = text.slice(0, match.index + whole.indexOf("```ts")).split("\n").length + 1;
    return {
      place: `${relative(root, join(root, guide))}:${line}`,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      standsAlone: run !== undefined,
      notRun,
      driver: drivers.find((driver) => driver.guide === guide && code.includes(driver.text))?.code ?? "",
    };
  });
}

/** Markdown without its HTML comments, which are for the tests of the blocks, and with all its lines. */
export function withoutComments(markdown: string): string {
  return markdown.replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/./g, ""));
}

/** The files and folders below a folder. Installed packages are left out: one of them links back to this repository. */
export function pathsBelow(folder: string): string[] {
  const exclude = (name: string) => /(?:^|[\\/])(?:node_modules|\.\w+)$/.test(name);
  return globSync("**/*", { cwd: join(root, folder), exclude }).map((name) => join(folder, name));
}
