import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";

/** Formats pages as the rest of the project is, so that a change of a long signature shows as the line that changed. */
export function formatted(pages: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  const input = [...pages.values()].join(`\n${separator}\n\n`);
  const args = [biome, "format", "--stdin-file-path=pages.md"];
  const output = execFileSync(process.execPath, args, { input, encoding: "utf8", maxBuffer: 2 ** 26 });
  const texts = output.split(separator).map((text) => `${text.trim()}\n`);
  return new Map([...pages.keys()].map((name, i) => [name, texts[i] ?? ""]));
}

const separator = "<!-- next page -->";
