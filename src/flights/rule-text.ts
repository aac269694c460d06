import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { integer, type Rules, readOptions } from "../shared/options.ts";

/** Options of {@link fareRuleText}. */
interface FareRuleTextOptions {
  /** Maximum length of the text in characters; a longer text is cut and ends with `…`. @default 100_000 */
  readonly maxLength?: number | undefined;
}

/**
 * Turns `fare_rules` of a fare rule (§2.7) or a quote (§2.4) into plain text: headings, list items and table rows get
 * separate lines, entities become characters.
 *
 * The HTML comes from suppliers and is broken and untrusted. It is only read: scripts, styles, frames, comments and
 * URLs are removed, and nothing is fetched or executed. Escape the result before it goes into a page: `&lt;script&gt;`
 * of the supplier is `<script>` in it.
 *
 * @param html - `fare_rules` as received. Plain text changes only in its white space.
 * @param options - See {@link FareRuleTextOptions}.
 * @returns Plain text with `\n` between lines. Empty if the rules are empty, consist of markup alone, are missing, or
 * are not a string.
 * @throws {@link ConfigurationError} for an unknown option, or a `maxLength` that is not an integer of at least 1.
 *
 * @example
 * ```ts
 * import { fareRuleText } from "serviceapi/flights/rule-text";
 *
 * fareRuleText("<b>Adult</b><br>Change fee<ul><li>INR 3000</li></ul>");
 * // Adult
 * // Change fee
 * // • INR 3000
 * ```
 */
export function fareRuleText(html: string, options: FareRuleTextOptions = {}): string {
  const { maxLength = 100_000 } = readOptions("fareRuleText", options, optionRules);
  if (typeof html !== "string") return "";
  const lines = new Lines(maxLength);
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks(html, lines));
  // Markup takes time even without text. In pieces, reading can stop once the text is long enough.
  for (let start = 0; start < html.length && !lines.full; start += pieceLength) {
    tokenizer.write(html.slice(start, start + pieceLength));
  }
  tokenizer.end();
  return lines.text();
}

const optionRules: Rules<FareRuleTextOptions> = { maxLength: integer(1) };

const pieceLength = 16_384;

/**
 * The tokenizer rather than the parser: the parser's list of open tags makes deep nesting quadratic, and text needs no
 * tree.
 */
function callbacks(html: string, lines: Lines): TokenizerCallbacks {
  const tagAt = (start: number, end: number) => tags[html.slice(start, end).toLowerCase()] ?? {};
  return {
    onopentagname: (start, end) => tagAt(start, end).open?.(lines),
    onclosetag: (start, end) => tagAt(start, end).close?.(lines),
    ontext: (start, end) => lines.write(html.slice(start, end)),
    ontextentity: (codePoint) => lines.write(String.fromCodePoint(codePoint)),
    onattribdata: ignore,
    onattribend: ignore,
    onattribentity: ignore,
    onattribname: ignore,
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onend: ignore,
    onopentagend: ignore,
    onprocessinginstruction: ignore,
    onselfclosingtag: ignore,
  };
}

interface Tag {
  readonly open?: (lines: Lines) => void;
  readonly close?: (lines: Lines) => void;
}

const ignore = () => {};
const block: Tag = { open: (lines) => lines.end(), close: (lines) => lines.end() };
const paragraph: Tag = { open: (lines) => lines.gap(), close: (lines) => lines.gap() };
const cell: Tag = { open: (lines) => lines.cell() };
const list: Tag = { open: (lines) => lines.indent(1), close: (lines) => lines.indent(-1) };
/** Elements that a browser does not show and reads as text up to their end tag: no tag inside can stay open. */
const hidden: Tag = { open: (lines) => lines.hide(1), close: (lines) => lines.hide(-1) };

const each = (names: string, tag: Tag) => names.split(" ").map((name) => [name, tag] as const);

const tags: Record<string, Tag | undefined> = Object.assign(
  Object.create(null),
  Object.fromEntries([
    ...each(
      "div section article header footer main aside address dl dt dd form fieldset caption thead tbody tfoot center",
      block,
    ),
    ...each("p h1 h2 h3 h4 h5 h6 table blockquote pre", paragraph),
    ...each("ul ol", list),
    ...each("td th", cell),
    ...each("script style iframe noembed noframes title textarea", hidden),
    ["tr", block],
    ["li", { open: (lines) => lines.bullet(), close: (lines) => lines.end() }],
    ["br", { open: (lines) => lines.breakLine() }],
    ["hr", paragraph],
  ] satisfies (readonly [string, Tag])[]),
);

/** Collects text into lines; never more than `maxLength` characters. */
class Lines {
  readonly #done: string[] = [];
  readonly #maxLength: number;
  #length = 0;
  /** In pieces: a string that grows by one character and is looked at after each is copied each time. */
  #pieces: string[] = [];
  #lineLength = 0;
  #endsInSpace = true;
  #prefix = "";
  #depth = 0;
  #hidden = 0;
  #cells = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get full(): boolean {
    return this.#length + this.#lineLength > this.#maxLength;
  }

  write(text: string): void {
    if (this.#hidden > 0 || this.full) return;
    // A line break in the source is a space in HTML, and a line in rules that are no HTML at all: it stays a line.
    const [first = "", ...others] = text.replaceAll(/\r\n?/g, "\n").split("\n");
    this.#append(first);
    for (const line of others) {
      this.breakLine();
      this.#append(line);
    }
  }

  /** Ends the line, unless it is empty. */
  end(): void {
    const line = this.#pieces.join("").trim();
    if (line !== "") this.#push(`${this.#prefix}${line}`);
    this.#pieces = [];
    this.#lineLength = 0;
    this.#endsInSpace = true;
    this.#prefix = "  ".repeat(Math.max(0, this.#depth));
    this.#cells = 0;
  }

  /** Ends the line; a second one in a row leaves a blank line. */
  breakLine(): void {
    if (this.#isBlank()) this.gap();
    else this.end();
  }

  /** Leaves one blank line, never two, and none at the beginning. */
  gap(): void {
    this.end();
    if (this.#done.length > 0 && this.#done.at(-1) !== "") this.#push("");
  }

  cell(): void {
    if (this.#cells++ > 0) this.#add(this.#endsInSpace && this.#pieces.length > 0 ? "| " : " | ");
  }

  bullet(): void {
    this.end();
    this.#prefix = `${"  ".repeat(Math.max(0, Math.min(this.#depth, 10) - 1))}• `;
  }

  indent(by: 1 | -1): void {
    this.end();
    this.#depth = Math.min(10, Math.max(0, this.#depth + by));
    this.#prefix = "  ".repeat(this.#depth);
  }

  hide(by: 1 | -1): void {
    this.#hidden = Math.max(0, this.#hidden + by);
  }

  text(): string {
    this.end();
    const text = this.#done.join("\n").trim();
    return text.length > this.#maxLength ? `${text.slice(0, this.#maxLength - 1).trimEnd()}…` : text;
  }

  #append(text: string): void {
    const spaced = text.replaceAll(/[\s\u00a0]+/g, " ");
    this.#add(this.#endsInSpace ? spaced.trimStart() : spaced);
  }

  #add(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#lineLength += text.length;
    this.#endsInSpace = text.endsWith(" ");
  }

  /** The first piece begins with what can be seen, unless a row began with an empty cell. */
  #isBlank(): boolean {
    return this.#pieces.every((piece) => piece.trim() === "");
  }

  #push(line: string): void {
    this.#done.push(line);
    this.#length += line.length + 1;
  }
}
