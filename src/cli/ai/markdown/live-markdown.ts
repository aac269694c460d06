import type { WriteStream } from "node:tty";
import { styleText } from "node:util";
import { Lexer, type Token, type TokensList } from "marked";
import stringWidth from "string-width";
import { TextCleaner } from "../../shared/clean-text.ts";
import { type Page, renderBlocks } from "./render.ts";

/** Blocks nest less in what people read. The lexer recurses for each level, and reads its text again. */
const maxNesting = 20;
/** The time that the lexer takes for a paragraph grows with the square of these, or faster. */
const maxInline = { characters: 8_000, markers: 200, nesting: 20 };
/** A run of what begins or ends emphasis, code, a link, HTML or an escape. */
const marker = /\*+|_+|~+|`+|[[\]<\\!@]/g;

/** A lexer of Markdown that leaves what nobody writes for a reader, such as 200 unclosed emphases, as plain text. */
class BoundedLexer extends Lexer {
  #blocks = 0;
  #inlines = 0;

  override blockTokens(source: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    if (this.#blocks > maxNesting) {
      // As the lexer leaves it at the end of a block.
      this.state.top = true;
      return append(tokens, plainParagraph(source));
    }
    this.#blocks += 1;
    try {
      return super.blockTokens(source, tokens, lastParagraphClipped);
    } finally {
      this.#blocks -= 1;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#inlines > maxInline.nesting || isCostly(source)) return append(tokens, plainText(source));
    this.#inlines += 1;
    try {
      return super.inlineTokens(source, tokens);
    } finally {
      this.#inlines -= 1;
    }
  }
}

function plainParagraph(source: string): Token {
  return { type: "paragraph", raw: source, text: source, tokens: [plainText(source)] };
}

function plainText(source: string): Token {
  return { type: "text", raw: source, text: source };
}

function append(tokens: Token[], token: Token): Token[] {
  tokens.push(token);
  return tokens;
}

function isCostly(source: string): boolean {
  return source.length > maxInline.characters || (source.match(marker)?.length ?? 0) > maxInline.markers;
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
  const opening = openings[block?.type ?? ""]?.(part) ?? "";
  return opening.length > maxOpening ? "" : opening;
}

const openings: Readonly<Record<string, (part: string) => string | undefined>> = {
  code(part) {
    const [line, fence] = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n/.exec(part) ?? [];
    const isClosed = fence !== undefined && new RegExp(`\\n {0,3}${fence}[\`~]* *\\n*$`).test(part);
    return isClosed ? undefined : line;
  },
  table(part) {
    return part.endsWith("\n\n") ? undefined : /^[^\n]*\n[^\n]*\n/.exec(part)?.[0];
  },
};

/** The shortest pause between two drawings, in milliseconds. */
const pace = 16;

/**
 * Markdown on a terminal while it is being written. A block that is complete is printed; the last one is drawn again
 * whenever its text grows. Of a block that is longer than the screen, its end is shown until it is complete; one that is
 * many screens long is printed in parts.
 */
export class LiveMarkdown {
  readonly #terminal: WriteStream;
  readonly #cleaner = new TextCleaner();
  /** The text of the blocks that are not printed yet. */
  #source = "";
  /** The lines that the next drawing replaces. */
  #drawn: readonly string[] = [];
  #hasPrinted = false;
  /** Whether the source begins with the rest of a block. */
  #continues = false;
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds of the last drawing: a long block is drawn less often. */
  #cost = 0;

  constructor(terminal: WriteStream) {
    this.#terminal = terminal;
  }

  write(part: string): void {
    this.#source += this.#cleaner.push(part);
    this.#timer ??= setTimeout(() => this.#draw(false), Math.max(pace, 4 * this.#cost));
  }

  end(): void {
    this.#source += this.#cleaner.end();
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
    const growing = this.#separate(renderBlocks(tokens.slice(complete.length), this.#page));
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
      this.#continues = true;
    }
    return lines;
  }

  /** Returns the lines of blocks, and removes them from the source. */
  #print(tokens: readonly Token[]): readonly string[] {
    this.#source = this.#source.slice(textOf(tokens).length);
    const lines = this.#separate(renderBlocks(tokens, this.#page));
    if (lines.length > 0) {
      this.#hasPrinted = true;
      this.#continues = false;
    }
    return lines;
  }

  get #page(): Page {
    const stream = this.#terminal;
    return { width: this.#terminal.columns || 80, style: (format, text) => styleText(format, text, { stream }) };
  }

  #separate(lines: readonly string[]): readonly string[] {
    return this.#hasPrinted && !this.#continues && lines.length > 0 ? ["", ...lines] : lines;
  }

  /** Returns the commands that remove what was drawn, also if the terminal has been made narrower since. */
  #erase(): string {
    if (this.#drawn.length === 0) return "";
    const { width } = this.#page;
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / width)), 0);
    return `\r${rows > 1 ? `\u001b[${rows - 1}A` : ""}\u001b[J`;
  }
}

/** Text that the lexer does not return whole is shown as it is: nothing is lost or printed twice. */
function lex(source: string): readonly Token[] {
  try {
    const tokens = new BoundedLexer().lex(source);
    return textOf(tokens) === source ? tokens : [plainParagraph(source)];
  } catch {
    return [plainParagraph(source)];
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
