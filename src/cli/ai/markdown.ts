import type { WriteStream } from "node:tty";
import { styleText } from "node:util";
import { Lexer, type MarkedToken, type Token, type Tokens, type TokensList } from "marked";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { formatTable, widthOf } from "../shared/layout.ts";
import { cleanText } from "../shared/print.ts";

/** The least number of milliseconds between two drawings. */
const minPause = 16;

/**
 * Markdown on a terminal while it is being written. A block that is complete is printed; the last one is drawn again
 * whenever its text grows. Of a block that is longer than the screen, its end is shown until it is complete; one that is
 * many screens long is printed in parts.
 */
export class LiveMarkdown {
  readonly #terminal: WriteStream;
  #source = "";
  #drawn: readonly string[] = [];
  /** Whether an empty line comes next: not at the beginning, and not before the rest of a block. */
  #isBetween = false;
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds of the last drawing: a long block is drawn less often. */
  #cost = 0;

  constructor(terminal: WriteStream) {
    this.#terminal = terminal;
  }

  write(part: string): void {
    this.#source += part;
    this.#timer ??= setTimeout(() => this.#draw(false), Math.max(minPause, 4 * this.#cost));
  }

  end(): void {
    this.#draw(true);
  }

  #draw(isEnd: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const startedAt = performance.now();
    const printed = this.#printParts();
    const tokens = lex(this.#source);
    const complete = isEnd ? tokens : tokens.slice(0, countComplete(tokens));
    printed.push(...this.#print(complete));
    const growing = this.#separate(renderBlocks(tokens.slice(complete.length), this.#width));
    const shown = growing.slice(-Math.max(1, (this.#terminal.rows || 24) - 1));
    this.#terminal.write(this.#erase() + printed.map((line) => `${line}\n`).join("") + shown.join("\n"));
    this.#drawn = shown;
    this.#cost = performance.now() - startedAt;
  }

  /** Returns the lines of a source that is too long to be read again with each part, and keeps its last blocks. */
  #printParts(): string[] {
    const lines: string[] = [];
    while (this.#source.length > maxPart) {
      const part = cutPart(this.#source);
      const tokens = lex(part);
      const last = findLastBlock(tokens);
      // A block as long as this is printed although it may go on.
      const complete = last > 0 ? tokens.slice(0, last) : tokens;
      lines.push(...this.#print(complete));
      if (last > 0) continue;
      this.#source = openingOf(tokens, part) + this.#source;
      this.#isBetween = false;
    }
    return lines;
  }

  #print(tokens: readonly Token[]): readonly string[] {
    this.#source = this.#source.slice(textOf(tokens).length);
    const lines = this.#separate(renderBlocks(tokens, this.#width));
    if (lines.length > 0) this.#isBetween = true;
    return lines;
  }

  get #width(): number {
    return this.#terminal.columns || 80;
  }

  #separate(lines: readonly string[]): readonly string[] {
    return this.#isBetween && lines.length > 0 ? ["", ...lines] : lines;
  }

  /** Returns the commands that remove what was drawn, also if the terminal has been made narrower since. */
  #erase(): string {
    if (this.#drawn.length === 0) return "";
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / this.#width)), 0);
    return `\r${rows > 1 ? `\u001b[${rows - 1}A` : ""}\u001b[J`;
  }
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ raw }) => raw).join("");
}

/**
 * Returns the number of blocks that further text cannot change: those before the last one, once that has a whole line.
 * Before, `2` below a list could become `2. its next item`.
 */
function countComplete(tokens: readonly Token[]): number {
  const last = findLastBlock(tokens);
  return last > 0 && tokens[last]?.raw.includes("\n") ? last : 0;
}

function findLastBlock(tokens: readonly Token[]): number {
  return tokens.findLastIndex(({ type }) => type !== "space");
}

/** Characters of the longest block that is drawn whole: each drawing reads the block again. */
const maxPart = 16_000;
/** Longer openings are left out: a part must be shorter than the rest of its block. */
const maxOpening = 1_000;

/** Returns the start of a long text, up to a line that is not indented, or else a line, or a word. */
function cutPart(source: string): string {
  const part = source.slice(0, maxPart);
  for (const boundary of [/\n(?=\S)/g, /\n/g, / /g]) {
    const end = [...part.matchAll(boundary)].at(-1)?.index ?? 0;
    if (end > maxPart / 2) return part.slice(0, end + 1);
  }
  // Half of a character would be none.
  return part.replace(/[\ud800-\udbff]$/, "");
}

/** Returns what the rest of a block needs before it, after its start `part`: a fence, or the head of a table. */
function openingOf([block]: readonly Token[], part: string): string {
  const [opening = ""] = openings[block?.type ?? ""]?.exec(part) ?? [];
  const goesOn = lex(`${part}x`)[0]?.raw.endsWith("x");
  return goesOn && opening.length <= maxOpening ? opening : "";
}

const openings: Readonly<Record<string, RegExp>> = {
  code: /^ {0,3}(?:```|~~~)[^\n]*\n/,
  table: /^[^\n]*\n[^\n]*\n/,
};

/** Blocks nest less in what people read. The lexer recurses for each level, and reads its text again. */
const maxNesting = 20;
/** The time that the lexer takes for a paragraph grows with the square of these, or faster. */
const maxInline = { characters: 8_000, markers: 200 };
/** A run of what begins or ends emphasis, code, a link, HTML or an escape. */
const marker = /\*+|_+|~+|`+|[[\]<\\!@]/g;

/** A lexer of Markdown that leaves what nobody writes for a reader, such as 200 unclosed emphases, as plain text. */
class BoundedLexer extends Lexer {
  #depth = 0;

  override blockTokens(source: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    if (this.#depth > maxNesting) {
      // As the lexer leaves it at the end of a block.
      this.state.top = true;
      tokens.push(plainParagraph(source));
      return tokens;
    }
    this.#depth += 1;
    try {
      return super.blockTokens(source, tokens, lastParagraphClipped);
    } finally {
      this.#depth -= 1;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    const isCostly = source.length > maxInline.characters || (source.match(marker)?.length ?? 0) > maxInline.markers;
    if (!isCostly) return super.inlineTokens(source, tokens);
    tokens.push(plainText(source));
    return tokens;
  }
}

/** Text that the lexer would not return whole is shown as it is: nothing is lost or printed twice. */
function lex(source: string): readonly Token[] {
  const plain = [plainParagraph(source)];
  try {
    const tokens = new BoundedLexer().lex(source);
    return textOf(tokens) === source ? tokens : plain;
  } catch {
    return plain;
  }
}

function plainParagraph(source: string): Token {
  return { type: "paragraph", raw: source, text: source, tokens: [plainText(source)] };
}

function plainText(source: string): Token {
  return { type: "text", raw: source, text: source };
}

function renderInline(tokens: readonly Token[] = []): string {
  const inner = (token: { readonly tokens?: readonly Token[] }) => renderInline(token.tokens);
  // Without extensions, the parser makes no tokens but its own.
  return (tokens as readonly MarkedToken[])
    .map((token) => {
      switch (token.type) {
        case "strong":
          return styleText("bold", inner(token));
        case "em":
          return styleText("italic", inner(token));
        case "del":
          return styleText("strikethrough", inner(token));
        case "codespan":
          return styleText("cyan", cleanText(token.text));
        case "br":
          return "\n";
        case "link":
          return renderLink(token, inner(token));
        case "image":
          return `[${plain(token.text) || "image"}]${styleText("dim", ` (${cleanText(token.href)})`)}`;
        case "checkbox":
          return token.checked ? "[x] " : "[ ] ";
        case "html":
          return /^<br\s*\/?>$/i.test(token.raw) ? "\n" : plain(token.raw);
        case "escape":
        case "text":
          return "tokens" in token && token.tokens !== undefined ? inner(token) : plain(token.text);
        default:
          return plain(token.raw);
      }
    })
    .join("");
}

/** Shows where a link leads: its text says what the service likes. */
function renderLink({ href, text }: Tokens.Link, label: string): string {
  const isBare = href === text || href === `mailto:${text}`;
  return styleText("underline", label) + (isBare ? "" : styleText("dim", ` (${cleanText(href)})`));
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

/** Renders a table, or its source if it has too many columns for the page. */
function renderTable({ header, rows, align, raw }: Tokens.Table, width: number): readonly string[] {
  const render = (cell: Tokens.TableCell) => renderInline(cell.tokens);
  const columns = header.map((cell, column) => ({ title: render(cell), align: align[column] ?? "left" }));
  const table = formatTable(
    columns,
    rows.map((row) => row.map(render)),
    width,
  );
  return widthOf(table) > width ? wrap(cleanText(raw), width) : table.split("\n");
}

/** Renders blocks as lines of at most the page's width, with an empty line between two blocks. */
export function renderBlocks(tokens: readonly Token[], width: number): readonly string[] {
  return tokens
    .map((token) => renderBlock(token, width))
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function renderBlock(token: Token, width: number): readonly string[] {
  // Without extensions, the parser makes no tokens but its own.
  const block = token as MarkedToken;
  // So deep that there is no room, which also bounds the recursion.
  if (width <= narrowest && nesting.has(block.type)) return wrap(cleanText(block.raw), width);
  switch (block.type) {
    case "space":
    case "def":
      return [];
    case "heading": {
      const text = `${"#".repeat(block.depth)} ${renderInline(block.tokens)}`;
      return wrap(styleText(block.depth === 1 ? ["bold", "underline"] : "bold", text), width);
    }
    case "code": {
      // Every line is kept, so that what is copied runs; one that is too long goes on in the next.
      const options = { hard: true, wordWrap: false, trim: false };
      const lines = wrapAnsi(cleanText(block.text), narrow(width, 2), options).split("\n");
      return lines.map((line) => `  ${styleText("cyan", line)}`);
    }
    case "blockquote":
      return renderBlocks(block.tokens, narrow(width, 2)).map((line) => styleText("dim", "│ ") + line);
    case "list":
      return renderList(block, width);
    case "table":
      return renderTable(block, width);
    case "hr":
      return [styleText("dim", "─".repeat(Math.min(width, 40)))];
    case "paragraph":
    case "text":
      return wrap(renderInline(block.tokens ?? [block]), width);
    default:
      return wrap(renderInline([block]).trim(), width);
  }
}

const nesting: ReadonlySet<string> = new Set(["blockquote", "list"]);
/** A narrow terminal, or deep nesting, still has room for a syllable. */
const narrowest = 4;

function renderList(list: Tokens.List, width: number): readonly string[] {
  const first = Number(list.start || 1);
  const marker = (index: number) => (list.ordered ? `${first + index}.` : "•");
  const margin = marker(list.items.length - 1).length + 1;
  const inner = narrow(width, margin);
  return list.items.flatMap((item, index) => {
    const lines = item.loose
      ? renderBlocks(item.tokens, inner)
      : groupInline(item.tokens).flatMap((token) => renderBlock(token, inner));
    const bullet = styleText("dim", marker(index).padEnd(margin));
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
