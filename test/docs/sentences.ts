import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { root } from "./blocks.ts";

/** One sentence of the docs, as plain words. */
export interface Sentence {
  /** The file that says it, from the project's folder. */
  readonly file: string;
  readonly text: string;
}

/** The sentences of a Markdown file without its code blocks; each table cell and list item is read by itself. */
export function markdownSentences(file: string, markdown: string): Sentence[] {
  const prose = markdown.replaceAll(/^([ \t]*)```[\s\S]*?^\1```[ \t]*$/gm, "\n\n");
  const blocks = prose
    .replaceAll(/^\|.*\|$/gm, (row) => `\n\n${row.split(/(?<!\\)\|/).join("\n\n")}\n\n`)
    .replaceAll(/^\s*(?:[-*]|\d+\.|#+)\s/gm, "\n\n")
    .split(/\n\s*\n/);
  return blocks.flatMap((block) => split(file, block));
}

/** The sentences of the doc comments that a user of the package sees: of what it exports and of all that this names. */
export function publishedSentences(): Sentence[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const entries = Object.values(options.paths ?? {}).flatMap((paths) => paths.map((path) => join(root, path)));
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const src = join(root, "src");
  const seen = new Set<ts.Node>();
  const found: Sentence[] = [];

  function visitSymbol(symbol: ts.Symbol): void {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    for (const declaration of target.declarations ?? []) {
      if (!dirname(declaration.getSourceFile().fileName).startsWith(src) || ts.isSourceFile(declaration)) continue;
      visit(declaration);
    }
  }

  function visit(node: ts.Node): void {
    if (seen.has(node) || ts.isBlock(node) || isPrivate(node)) return;
    seen.add(node);
    const file = relative(root, node.getSourceFile().fileName);
    for (const text of commentsOf(node)) found.push(...markdownSentences(file, text));
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const symbol = checker.getSymbolAtLocation(ts.isTypeReferenceNode(node) ? node.typeName : node.expression);
      if (symbol !== undefined) visitSymbol(symbol);
    }
    ts.forEachChild(node, visit);
  }

  for (const entry of entries) {
    const source = program.getSourceFile(entry);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${entry} exports nothing`);
    for (const symbol of checker.getExportsOfModule(module)) visitSymbol(symbol);
  }
  return found;
}

/** The prose of a declaration's doc comment and of its tags, examples left out. */
function commentsOf(node: ts.Node): string[] {
  return ts.getJSDocCommentsAndTags(node).flatMap((comment) => {
    const tags = ts.isJSDoc(comment) ? (comment.tags ?? []).filter((tag) => tag.tagName.text !== "example") : [];
    return [comment, ...tags].map(({ comment: text }) => ts.getTextOfJSDocComment(text) ?? "");
  });
}

function isPrivate(node: ts.Node): boolean {
  if (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)) return true;
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  );
}

/** Plain words: no markup, no link targets, one space between words. */
export function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\{@link\s+([^}|]*)(?:\|[^}]*)?\}/g, "$1")
    .replaceAll(/[`*]|<[^>\s][^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function split(file: string, block: string): Sentence[] {
  return plain(block)
    .split(/(?<=[.!?;][)"]?)\s+(?=[("]?\S)/)
    .filter((text) => text !== "")
    .map((text) => ({ file, text }));
}
