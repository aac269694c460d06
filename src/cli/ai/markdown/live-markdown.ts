import type { WriteStream } from "node:tty";
import { styleText } from "node:util";
import { Lexer, type Token } from "marked";
import stringWidth from "string-width";
import { TextCleaner } from "../../shared/clean-text.ts";
import type { ResponseView } from "../response-view.ts";
import type { Page } from "./page.ts";
import { renderBlocks } from "./render-blocks.ts";

/** The shortest pause between two drawings, in milliseconds. */
const pace = 16;

/**
 * Markdown on a terminal while it is being written. A block that is complete is printed; the last one is drawn again
 * whenever its text grows. Of a block that is longer than the screen, its end is shown until it is complete.
 */
export class LiveMarkdown implements ResponseView {
  readonly #terminal: WriteStream;
  readonly #cleaner = new TextCleaner();
  /** The text of the blocks that are not printed yet. */
  #source = "";
  /** The lines that the next drawing replaces. */
  #drawn: readonly string[] = [];
  #hasPrinted = false;
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
    const tokens = lex(this.#source);
    const complete = isEnd ? tokens : tokens.slice(0, countComplete(tokens));
    this.#source = this.#source.slice(complete.reduce((length, { raw }) => length + raw.length, 0));
    const printed = this.#separate(renderBlocks(complete, this.#page));
    if (printed.length > 0) this.#hasPrinted = true;
    const growing = this.#separate(renderBlocks(tokens.slice(complete.length), this.#page));
    const shown = growing.slice(-Math.max(1, (this.#terminal.rows || 24) - 1));
    this.#terminal.write(this.#erase() + printed.map((line) => `${line}\n`).join("") + shown.join("\n"));
    this.#drawn = shown;
    this.#cost = performance.now() - startedAt;
  }

  get #page(): Page {
    const stream = this.#terminal;
    return { width: this.#terminal.columns || 80, style: (format, text) => styleText(format, text, { stream }) };
  }

  #separate(lines: readonly string[]): readonly string[] {
    return this.#hasPrinted && lines.length > 0 ? ["", ...lines] : lines;
  }

  /** Returns the commands that remove what was drawn, also if the terminal has been made narrower since. */
  #erase(): string {
    if (this.#drawn.length === 0) return "";
    const { width } = this.#page;
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(stringWidth(line) / width)), 0);
    return `\r${rows > 1 ? `\u001b[${rows - 1}A` : ""}\u001b[J`;
  }
}

/** Text that nests deeper than the stack is shown as it is. */
function lex(source: string): readonly Token[] {
  try {
    return new Lexer().lex(deepQuotes.test(source) ? source.replaceAll(deepQuotes, "> ") : source);
  } catch {
    return [{ type: "paragraph", raw: source, text: source, tokens: [{ type: "text", raw: source, text: source }] }];
  }
}

/** Quotations in quotations, more than anybody writes: the parser recurses for each. */
const deepQuotes = /(?:> ?){50,}/g;

/**
 * Returns the number of blocks that further text cannot change: those before the last one, once that has a whole line.
 * Before, `2` below a list could become `2. its next item`.
 */
function countComplete(tokens: readonly Token[]): number {
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  return last > 0 && tokens[last]?.raw.includes("\n") ? last : 0;
}
