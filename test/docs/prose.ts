import { statSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { pathsBelow, read, root, withoutComments } from "./blocks.ts";
import { testTitle, titleAndFile } from "./promise-rows.ts";
import { plain } from "./sentences.ts";

/**
 * A passage that people read: a paragraph, list item or table cell, a comment or one of its tags, a message, or a
 * title.
 */
export interface Passage {
  /** Its file and line, such as `src/client.ts:12`. */
  readonly place: string;
  readonly kind: "guide" | "comment" | "message" | "title";
  /** Plain words, with `code` for each code span. */
  readonly text: string;
}

/** The passages of files and of all files below folders; of CHANGELOG.md only the newest entry. */
export function passagesIn(paths: readonly string[]): Passage[] {
  return paths.flatMap(filesIn).flatMap((file) => {
    if (/\.[cm]?tsx?$/.test(file)) return (isSource(file) ? sourcePassages : testPassages)(file, read(file));
    return /\.md$|^llms\.txt$/.test(file)
      ? guidePassages(file, file === "CHANGELOG.md" ? newestEntry() : read(file))
      : [];
  });
}

function isSource(file: string): boolean {
  return /^src\b/.test(file);
}

function filesIn(path: string): string[] {
  return statSync(join(root, path)).isDirectory() ? pathsBelow(path).sort() : [path];
}

/** CHANGELOG.md with the entries of earlier versions left out. */
function newestEntry(): string {
  return read("CHANGELOG.md").replace(/(^## [\s\S]*?)^## [\s\S]*/m, "$1");
}

/** The passages of a Markdown file, code blocks and the titles of tests that it names left out. */
export function guidePassages(file: string, markdown: string): Passage[] {
  const blank = (code: string) => code.replaceAll(/./g, "");
  const lines = withoutComments(markdown)
    .replaceAll(/^([ \t]*)```[\s\S]*?^\1```[ \t]*$/gm, blank)
    .split("\n");
  const found: { line: number; text: string }[] = [];
  let isOpen = false;
  lines.forEach((line, i) => {
    const isRow = line.startsWith("|");
    if (isRow) found.push(...line.split(/(?<!\\)\|/).map((text) => ({ line: i + 1, text })));
    const starts = /^\s*(?:[-*]|\d+\.|#+)\s/.exec(line)?.[0].length;
    const last = found.at(-1);
    if (!isRow && isOpen && starts === undefined && last !== undefined) last.text += `\n${line}`;
    else if (!isRow) found.push({ line: i + 1, text: line.slice(starts ?? 0) });
    isOpen = !isRow && line.trim() !== "";
  });
  return found
    .map(({ line, text }) => ({ place: `${file}:${line}`, kind: "guide" as const, text: words(text) }))
    .filter(({ text }) => /\w/.test(text));
}

/** The doc comments of a module, and its strings of more than one word. */
export function sourcePassages(file: string, code: string): Passage[] {
  const source = parse(file, code);
  return passages(source, [...docComments(source), ...textsOf("message", source, messageOf)]);
}

/** The comments of a test, script, bench or example, and the titles of its tests. Its other strings are data. */
export function testPassages(file: string, code: string): Passage[] {
  const source = parse(file, code);
  return passages(source, [...docComments(source), ...otherComments(source), ...textsOf("title", source, testTitle)]);
}

interface Found {
  readonly kind: Passage["kind"];
  /** Its offset in the file. */
  readonly at: number;
  readonly text: string;
}

function passages(source: ts.SourceFile, found: readonly Found[]): Passage[] {
  return found
    .toSorted((a, b) => a.at - b.at)
    .map(({ kind, at, text }) => {
      const { line } = source.getLineAndCharacterOfPosition(at);
      return { place: `${source.fileName}:${line + 1}`, kind, text: words(text) };
    });
}

/** The comments of declarations and their tags, examples left out. */
function docComments(source: ts.SourceFile): Found[] {
  const comments = nodesOf(source).flatMap((node) => ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc));
  return [...new Set(comments)].flatMap((comment) => {
    const tags = (comment.tags ?? []).filter(({ tagName }) => tagName.text !== "example");
    return [comment, ...tags].flatMap((part) => {
      const text = ts.getTextOfJSDocComment(part.comment) ?? "";
      return text === "" ? [] : [{ kind: "comment" as const, at: part.getStart(source), text }];
    });
  });
}

/** Comments that start with `//` or `/*`. Those that fill consecutive lines are one passage. */
function otherComments(source: ts.SourceFile): Found[] {
  const code = withoutLiterals(source);
  const whole = /(?<=^[ \t]*)\/\/.*(?:\n[ \t]*\/\/.*)*|\/\/.*|\/\*[\s\S]*?\*\//gm;
  const others = [...code.matchAll(whole)].filter(([comment]) => !comment.startsWith("/**"));
  return others.map(({ 0: { length }, index }) => {
    const comment = source.text.slice(index, index + length);
    return { kind: "comment", at: index, text: comment.replaceAll(/^[ \t]*(?:\/[/*]|\*(?!\/))|\*\/$/gm, "") };
  });
}

/** The code of a file with spaces in place of its strings, templates and regular expressions. */
function withoutLiterals(source: ts.SourceFile): string {
  const literals = nodesOf(source).filter(
    (node) => ts.isLiteralExpression(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node),
  );
  let code = "";
  for (const literal of literals) {
    const start = literal.getStart(source);
    code += source.text.slice(code.length, start) + " ".repeat(literal.end - start);
  }
  return code + source.text.slice(code.length);
}

/** The texts of some of the nodes of a file: messages of more than one word, or titles. */
function textsOf(kind: Passage["kind"], source: ts.SourceFile, pick: (node: ts.Node) => string | undefined): Found[] {
  return nodesOf(source).flatMap((node) => {
    const text = pick(node) ?? "";
    return text === "" ? [] : [{ kind, at: node.getStart(source), text }];
  });
}

function parse(file: string, code: string): ts.SourceFile {
  return ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
}

/** A node and all nodes below it, in their order. */
function nodesOf(root: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

/** The words of a string or template of more than one word, with `…` for what is put into it. */
function messageOf(node: ts.Node): string | undefined {
  const text = templateOf(node);
  return text !== undefined && /\p{L} \p{L}/u.test(text) ? text : undefined;
}

function templateOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

/** Plain words, code spans and the titles of tests that are named with their files left out. */
function words(text: string): string {
  return plain(
    text
      .trim()
      .replaceAll(titleAndFile, "")
      .replaceAll(/(`+)[\s\S]*?\1/g, "code"),
  );
}
