import ts from "typescript";
import { type Declarations, target } from "./declarations.ts";
import { signatureOf } from "./signature.ts";

/**
 * Returns a page for each entry point, by its file name: the names that it exports with their signatures, and below them
 * the types that these name and no entry point exports. A name that an earlier entry point exports has one line.
 */
export function pagesOf(declarations: Declarations): ReadonlyMap<string, string> {
  const { entries, checker, isOurs } = declarations;
  const publicSymbols = new Set([...entries.values()].flatMap((names) => [...names.values()]));
  /** By symbol: the entry point that has its signature. */
  const home = new Map<ts.Symbol, string>();
  const pages = new Map<string, string>();

  for (const [entry, names] of entries) {
    const sorted = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
    const exported = sorted.map(([name, symbol]) => {
      const known = home.get(symbol);
      if (known !== undefined) return `export { ${name} } from "${known}";`;
      home.set(symbol, entry);
      return signature(symbol, `export ${name}`);
    });
    const own = sorted.map(([, symbol]) => symbol).filter((symbol) => home.get(symbol) === entry);
    const named = [...hiddenTypes(own)].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const symbol of named) home.set(symbol, entry);
    pages.set(
      fileOf(entry),
      page(
        entry,
        exported,
        named.map((symbol) => signature(symbol, symbol.name)),
      ),
    );
  }
  return pages;

  function signature(symbol: ts.Symbol, title: string): string {
    const parts = (symbol.declarations ?? []).filter(isOurs).map((node) => signatureOf(node));
    if (parts.length === 0) throw new Error(`${title} has no declaration in dist.`);
    const isExported = title.startsWith("export ");
    const shown = (part: string) =>
      isExported ? `export ${renamed(part, symbol.name, title)}` : part.replace(/^(?=const )/, "declare ");
    return parts.map(shown).join("\n");
  }

  /** The types that symbols name, directly or through one another, and that no entry point exports. */
  function hiddenTypes(symbols: readonly ts.Symbol[]): Set<ts.Symbol> {
    const found = new Set<ts.Symbol>();
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) {
        const symbol = checker.getSymbolAtLocation(node);
        const resolved = symbol && target(checker, symbol);
        if (resolved?.declarations?.some((declaration) => isOurs(declaration) && isType(declaration))) add(resolved);
      }
      ts.forEachChild(node, visit);
    };
    const add = (symbol: ts.Symbol): void => {
      if (publicSymbols.has(symbol) || home.has(symbol) || found.has(symbol)) return;
      found.add(symbol);
      for (const declaration of symbol.declarations ?? []) visit(declaration);
    };
    for (const declaration of symbols.flatMap((symbol) => symbol.declarations ?? []))
      if (isOurs(declaration)) visit(declaration);
    return found;
  }
}

/** The file of an entry point: `serviceapi-webhooks-node.api.md`. */
export function fileOf(entry: string): string {
  return `${entry.replaceAll("/", "-")}.api.md`;
}

function page(entry: string, exported: readonly string[], named: readonly string[]): string {
  const block = (lines: readonly string[]) => ["```ts", lines.join("\n\n"), "```"].join("\n");
  const below = named.length === 0 ? [] : ["## Named by these, and not exported", block(named)];
  const note = "Written by `npm run api` from the built declarations.";
  return `${[`# ${entry}`, note, block(exported), ...below].join("\n\n")}\n`;
}

/** The signature under the name that the entry point exports it by. */
function renamed(part: string, own: string, title: string): string {
  const name = title.replace("export ", "");
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
