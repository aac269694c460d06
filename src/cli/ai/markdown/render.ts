import type { styleText } from "node:util";
import type { MarkedToken, Token, Tokens } from "marked";
import wrapAnsi from "wrap-ansi";
import { cleanText } from "../../shared/clean-text.ts";
import { fitWidths, layOutRow, widthOf } from "../../shared/layout.ts";

/** Styles part of a line for the output, or returns it unchanged if the output has no styles. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

export interface Page {
  readonly width: number;
  readonly style: Style;
}

/** Renders the parts of a paragraph: emphasis, code, links. A line break of the source is a space. */
function renderInline(tokens: readonly Token[] = [], style: Style): string {
  const inner = (token: { readonly tokens?: readonly Token[] }) => renderInline(token.tokens, style);
  // Without extensions, the parser makes no tokens but its own.
  return (tokens as readonly MarkedToken[])
    .map((token) => {
      switch (token.type) {
        case "strong":
          return style("bold", inner(token));
        case "em":
          return style("italic", inner(token));
        case "del":
          return style("strikethrough", inner(token));
        case "codespan":
          return style("cyan", cleanText(token.text));
        case "br":
          return "\n";
        case "link":
          return renderLink(token, inner(token), style);
        case "image":
          return `[${plain(token.text) || "image"}]${style("dim", ` (${cleanText(token.href)})`)}`;
        case "checkbox":
          return token.checked ? "[x] " : "[ ] ";
        case "html":
          return /^<br\s*\/?>$/i.test(token.raw) ? "\n" : plain(token.raw);
        case "text":
          return token.tokens === undefined ? plain(token.text) : inner(token);
        case "escape":
          return plain(token.text);
        default:
          return plain(token.raw);
      }
    })
    .join("");
}

/** Shows where a link leads: its text says what the service likes. */
function renderLink({ href, text }: Tokens.Link, label: string, style: Style): string {
  const isBare = href === text || href === `mailto:${text}`;
  return style("underline", label) + (isBare ? "" : style("dim", ` (${cleanText(href)})`));
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&nbsp;": "\u00a0",
};

/** Returns the text of a token, cleaned: the parser decodes `&#27;`, which is ESC. */
function plain(text: string): string {
  const decoded = text.replaceAll(/&(?:amp|lt|gt|quot|nbsp);/g, (entity) => entities[entity] ?? entity);
  return cleanText(decoded).replaceAll(/\n+/g, " ");
}

/** The narrowest column that can be read. */
const minColumn = 4;

/** Renders a table, with cells that are wrapped to fit; undefined if it has too many columns for the page. */
function renderTable({ header, rows, align }: Tokens.Table, { width, style }: Page): readonly string[] | undefined {
  const render = (cell: Tokens.TableCell) => renderInline(cell.tokens, style);
  const head = header.map((cell) => style("bold", render(cell)));
  const body = rows.map((row) => row.map(render));
  const natural = head.map((cell, column) =>
    Math.max(1, ...[cell, ...body.map((row) => row[column] ?? "")].map((text) => widthOf(text))),
  );
  // A border and two spaces for each column, and the last border.
  const widths = fitWidths(natural, width - 3 * head.length - 1, minColumn);
  if (widths === undefined) return undefined;
  const [title = [], ...others] = [head, ...body].map((row) =>
    layOutRow(row, widths, align).map((cells) => `│ ${cells.join(" │ ")} │`),
  );
  const rule = (left: string, middle: string, right: string) =>
    left + widths.map((each) => "─".repeat(each + 2)).join(middle) + right;
  return [rule("┌", "┬", "┐"), ...title, rule("├", "┼", "┤"), ...others.flat(), rule("└", "┴", "┘")];
}

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
