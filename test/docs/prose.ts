import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { read, root } from "./blocks.ts";
import { plain } from "./sentences.ts";

/** A passage that people read: a paragraph, list item or table cell, a doc comment or one of its tags, or a message. */
export interface Passage {
  /** Its file and line, such as `src/client.ts:12`. */
  readonly place: string;
  readonly kind: "guide" | "comment" | "message";
  /** Plain words, with `code` for each code span. */
  readonly text: string;
}

/** The passages of files and of all files below folders; of CHANGELOG.md only what is not released yet. */
export function passagesIn(paths: readonly string[]): Passage[] {
  return paths.flatMap(filesIn).flatMap((file) => {
    if (file.endsWith(".ts")) return sourcePassages(file, read(file));
    return file.endsWith(".md") ? guidePassages(file, file === "CHANGELOG.md" ? unreleased() : read(file)) : [];
  });
}

function filesIn(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const names = readdirSync(join(root, path), { recursive: true, encoding: "utf8" });
  return names.map((name) => join(path, name)).sort();
}

function unreleased(): string {
  const [before = "", after = ""] = read("CHANGELOG.md").split(/^## \[Unreleased\]$/m);
  return before.replaceAll(/./g, "") + after.replace(/^## \[[\s\S]*/m, "");
}

/** The passages of a Markdown file, code blocks and the titles of tests that it links to left out. */
export function guidePassages(file: string, markdown: string): Passage[] {
  const blank = (code: string) => code.replaceAll(/./g, "");
  const lines = markdown.replaceAll(/^([ \t]*)```[\s\S]*?^\1```[ \t]*$/gm, blank).split("\n");
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
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const found: Passage[] = [];
  const seen = new Set<ts.Node>();
  const add = (kind: Passage["kind"], node: ts.Node, text: string) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.push({ place: `${file}:${line + 1}`, kind, text: words(text) });
  };
  const visit = (node: ts.Node): void => {
    for (const comment of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)) {
      if (seen.has(comment)) continue;
      seen.add(comment);
      const tags = (comment.tags ?? []).filter(({ tagName }) => tagName.text !== "example");
      for (const part of [comment, ...tags]) {
        const text = ts.getTextOfJSDocComment(part.comment) ?? "";
        if (text !== "") add("comment", part, text);
      }
    }
    const message = messageOf(node);
    if (message !== undefined && /\p{L} \p{L}/u.test(message)) add("message", node, message);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The words of a string or template, with `…` for what is put into it. */
function messageOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

/** Plain words, code spans and the titles of linked tests left out. */
function words(text: string): string {
  return plain(text.replaceAll(/\[(?:[^\]\\]|\\.)+\]\([^)]*\.ts\)/g, "").replaceAll(/(`+)[\s\S]*?\1/g, "code"));
}
