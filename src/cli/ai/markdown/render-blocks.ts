import type { MarkedToken, Token, Tokens } from "marked";
import wrapAnsi from "wrap-ansi";
import { cleanText } from "../../shared/clean-text.ts";
import type { Page } from "./page.ts";
import { renderInline } from "./render-inline.ts";
import { renderTable } from "./render-table.ts";

/** Renders blocks as lines of at most the page's width, with an empty line between two blocks. */
export function renderBlocks(tokens: readonly Token[], page: Page): readonly string[] {
  return tokens
    .map((token) => renderBlock(token, page))
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function renderBlock(token: Token, page: Page): readonly string[] {
  const { width, style } = page;
  // Without extensions, the parser makes no tokens but its own.
  const block = token as MarkedToken;
  // So deep that there is no room, which also bounds the recursion.
  if (width <= narrowest && nesting.has(block.type)) return wrap(cleanText(block.raw), width);
  switch (block.type) {
    case "space":
    case "def":
      return [];
    case "heading": {
      const text = `${"#".repeat(block.depth)} ${renderInline(block.tokens, style)}`;
      return wrap(style(block.depth === 1 ? ["bold", "underline"] : "bold", text), width);
    }
    case "code":
      return renderCode(block, page);
    case "blockquote":
      return renderBlocks(block.tokens, { ...page, width: narrow(width, 2) }).map((line) => style("dim", "│ ") + line);
    case "list":
      return renderList(block, page);
    case "table":
      return renderTable(block, page) ?? wrap(cleanText(block.raw), width);
    case "hr":
      return [style("dim", "─".repeat(Math.min(width, 40)))];
    case "paragraph":
    case "text":
      return wrap(renderInline(block.tokens ?? [block], style), width);
    default:
      return wrap(renderInline([block], style).trim(), width);
  }
}

const nesting: ReadonlySet<string> = new Set(["blockquote", "list"]);
/** A narrow terminal, or deep nesting, still has room for a syllable. */
const narrowest = 4;

/** Every line is kept, so that what is copied runs; one that is too long goes on in the next. */
function renderCode({ text }: Tokens.Code, { width, style }: Page): readonly string[] {
  const lines = wrapAnsi(cleanText(text), narrow(width, 2), { hard: true, wordWrap: false, trim: false }).split("\n");
  return lines.map((line) => `  ${style("cyan", line)}`);
}

function renderList(list: Tokens.List, page: Page): readonly string[] {
  const first = Number(list.start || 1);
  const marker = (index: number) => (list.ordered ? `${first + index}.` : "•");
  const margin = marker(list.items.length - 1).length + 1;
  const inner = { ...page, width: narrow(page.width, margin) };
  return list.items.flatMap((item, index) => {
    const lines = item.loose
      ? renderBlocks(item.tokens, inner)
      : groupInline(item.tokens).flatMap((token) => renderBlock(token, inner));
    const bullet = page.style("dim", marker(index).padEnd(margin));
    const [line = "", ...rest] = lines;
    const rendered = [bullet + line, ...rest.map((each) => (each === "" ? "" : " ".repeat(margin) + each))];
    return list.loose && index > 0 ? ["", ...rendered] : rendered;
  });
}

/** The box of a task is in the paragraph that it belongs to. */
function groupInline(tokens: readonly Token[]): readonly Token[] {
  const [box, text, ...rest] = tokens;
  if (box?.type !== "checkbox" || text?.type !== "text") return tokens;
  return [{ ...text, tokens: [box, text] }, ...rest];
}

function wrap(text: string, width: number): readonly string[] {
  return wrapAnsi(text, width, { hard: true }).split("\n");
}

function narrow(width: number, by: number): number {
  return Math.max(width - by, narrowest);
}
