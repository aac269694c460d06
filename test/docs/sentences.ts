import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { root, withoutComments } from "./blocks.ts";
import { readSurface } from "./surface.ts";

/** One sentence of the docs, as plain words. */
export interface Sentence {
  /** The file that says it, from the project's folder. */
  readonly file: string;
  readonly text: string;
}

/** The sentences of a Markdown file without its code blocks; each table cell and list item is read separately. */
export function markdownSentences(file: string, markdown: string): Sentence[] {
  const prose = withoutComments(markdown).replaceAll(/^([ \t]*)```[\s\S]*?^\1```[ \t]*$/gm, "\n\n");
  const blocks = prose
    .replaceAll(/^\|.*\|$/gm, (row) => `\n\n${row.split(/(?<!\\)\|/).join("\n\n")}\n\n`)
    .replaceAll(/^\s*(?:[-*]|\d+\.|#+)\s/gm, "\n\n")
    .split(/\n\s*\n/);
  return blocks.flatMap((block) => split(file, block));
}

/** The sentences of the doc comments that a user of the package sees: of what it exports and of all that this names. */
export function publishedSentences(): Sentence[] {
  const { checker, exports } = readSurface();
  const src = join(root, "src");
  const seen = new Set<ts.Node>();
  const found: Sentence[] = [];

  function visitSymbol(symbol: ts.Symbol): void {
    for (const declaration of symbol.declarations ?? []) {
      if (!dirname(declaration.getSourceFile().fileName).startsWith(src) || ts.isSourceFile(declaration)) continue;
      visit(declaration);
    }
  }

  function resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  function visit(node: ts.Node): void {
    if (seen.has(node) || ts.isBlock(node) || isPrivate(node)) return;
    seen.add(node);
    const file = relative(root, node.getSourceFile().fileName);
    for (const text of commentsOf(node)) found.push(...markdownSentences(file, text));
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const symbol = checker.getSymbolAtLocation(ts.isTypeReferenceNode(node) ? node.typeName : node.expression);
      if (symbol !== undefined) visitSymbol(resolved(symbol));
    }
    ts.forEachChild(node, visit);
  }

  for (const symbols of exports.values()) for (const symbol of symbols) visitSymbol(symbol);
  return found;
}

/** The prose of a declaration's doc comment and of its tags, examples left out. */
function commentsOf(node: ts.Node): string[] {
  return ts.getJSDocCommentsAndTags(node).flatMap((comment) => {
    const tags = ts.isJSDoc(comment) ? (comment.tags ?? []).filter((tag) => tag.tagName.text !== "example") : [];
    return [comment, ...tags].map(({ comment: text }) => ts.getTextOfJSDocComment(text) ?? "");
  });
}

/** Private, or a method that the published declarations leave out. */
function isPrivate(node: ts.Node): boolean {
  if (ts.isMethodDeclaration(node) && ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal")) {
    return true;
  }
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
