import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import ts from "typescript";
import { reachableFrom } from "../reachable.ts";
import { readDeclarations } from "./declarations.ts";
import { signatureOf } from "./signature.ts";

/**
 * Returns a page for each entry point of the built package, by its file name: the names that it exports with their
 * signatures, and below them the types that these name and no entry point exports. A name that an earlier entry point
 * exports has one line.
 */
export function readPages(root: string): ReadonlyMap<string, string> {
  const { entries, isOurs, namedBy } = readDeclarations(root, ["import"]);
  const publicSymbols = new Set(entries.flatMap(({ exported }) => [...exported.values()]));
  /** By symbol: the entry point that has its signature. */
  const home = new Map<ts.Symbol, string>();
  const isHidden = (symbol: ts.Symbol) =>
    !publicSymbols.has(symbol) &&
    !home.has(symbol) &&
    symbol.declarations?.some((declaration) => isOurs(declaration) && isType(declaration));
  const signatures = (symbol: ts.Symbol) => {
    const parts = (symbol.declarations ?? []).filter(isOurs).map(signatureOf);
    if (parts.length === 0) throw new Error(`${symbol.name} has no declaration in dist.`);
    return parts;
  };

  const pages = entries.map(({ name: entry, exported }) => {
    const sorted = [...exported].sort(([a], [b]) => (a < b ? -1 : 1));
    const own = sorted.filter(([, symbol]) => !home.has(symbol)).map(([, symbol]) => symbol);
    const lines = sorted.map(([name, symbol]) => {
      const known = home.get(symbol);
      if (known !== undefined) return `export { ${name} } from "${known}";`;
      home.set(symbol, entry);
      return signatures(symbol)
        .map((part) => `export ${renamed(part, symbol.name, name)}`)
        .join("\n");
    });
    const named = [...reachableFrom(own, (symbol) => namedBy(symbol).filter(isHidden))]
      .filter(isHidden)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const symbol of named) home.set(symbol, entry);
    const below = named.map((symbol) =>
      signatures(symbol)
        .map((part) => part.replace(/^(?=const )/, "declare "))
        .join("\n"),
    );
    return page(entry, lines, below);
  });
  const names = entries.map(({ name }) => `${name.replaceAll("/", "-")}.api.md`);
  return new Map(formatted(pages).map((text, i) => [names[i] ?? "", text]));
}

function page(entry: string, exported: readonly string[], named: readonly string[]): string {
  const block = (lines: readonly string[]) => ["```ts", lines.join("\n\n"), "```"].join("\n");
  const below = named.length === 0 ? [] : ["## Named by these, and not exported", block(named)];
  const note = "Written by `npm run api` from the built declarations.";
  return [`# ${entry}`, note, block(exported), ...below].join("\n\n");
}

/** The signature under the name that the entry point exports it by. */
function renamed(part: string, own: string, name: string): string {
  return name === own ? part : part.replace(new RegExp(`\\b${own.replaceAll("$", "\\$")}(?![\\w$])`), name);
}

function isType(node: ts.Node): boolean {
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    // A table, of whose names a type is made.
    ts.isVariableDeclaration(node)
  );
}

/** Formats pages as the rest of the project is, so that a change of a long signature shows as the line that changed. */
function formatted(pages: readonly string[]): readonly string[] {
  const separator = "<!-- next page -->";
  const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");
  const args = [biome, "format", "--stdin-file-path=pages.md"];
  const input = pages.join(`\n\n${separator}\n\n`);
  const output = execFileSync(process.execPath, args, { input, encoding: "utf8", maxBuffer: 2 ** 26 });
  return output.split(separator).map((text) => `${text.trim()}\n`);
}
