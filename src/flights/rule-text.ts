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
  const draft = new Draft();
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks(html, draft));
  // Markup takes time even without text. In pieces, reading can stop once the text is long enough.
  for (let start = 0; start < html.length && draft.visible <= maxLength; start += pieceLength) {
    tokenizer.write(html.slice(start, start + pieceLength));
  }
  tokenizer.end();
  const text = layOut(draft.pieces.join("")).trim();
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).trimEnd()}…` : text;
}

const optionRules: Rules<FareRuleTextOptions> = { maxLength: integer(1) };

const pieceLength = 16_384;

/**
 * The tokenizer rather than the parser: the parser's list of open tags makes deep nesting quadratic, and text needs no
 * tree.
 */
function callbacks(html: string, draft: Draft): TokenizerCallbacks {
  const tagAt = (start: number, end: number) => tags[html.slice(start, end).toLowerCase()];
  return {
    onopentagname: (start, end) => tagAt(start, end)?.[0]?.(draft),
    onclosetag: (start, end) => tagAt(start, end)?.[1]?.(draft),
    ontext: (start, end) => draft.write(html.slice(start, end)),
    ontextentity: (codePoint) => draft.write(String.fromCodePoint(codePoint)),
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

const ignore = () => {};

/** The marks of a draft: white space that its text does not have, since that has single spaces alone. */
const marks = { lineEnd: "\n", gap: "\f", lineBreak: "\v", indent: "\t", bullet: "\r", cell: "\u2028" } as const;

/** Text with marks for its layout. */
class Draft {
  readonly pieces: string[] = [];
  /** Number of characters that are not white space. */
  visible = 0;
  #depth = 0;
  #hidden = 0;

  write(text: string): void {
    if (this.#hidden > 0) return;
    // A line break in the source is a space in HTML, and a line in rules that are no HTML at all: it stays a line.
    for (const [i, line] of text.split(/\r\n?|\n/).entries()) {
      if (i > 0) this.mark("lineBreak");
      this.pieces.push(line.replaceAll(/\s+/g, " "));
      this.visible += line.replaceAll(/\s+/g, "").length;
    }
  }

  /** Begins a line. */
  mark(kind: "lineEnd" | "gap" | "lineBreak"): void {
    this.pieces.push(marks[kind], marks.indent.repeat(this.#depth));
  }

  bullet(): void {
    this.pieces.push(marks.lineEnd, marks.indent.repeat(Math.max(0, this.#depth - 1)), marks.bullet);
  }

  cell(): void {
    this.pieces.push(marks.cell);
  }

  indent(by: 1 | -1): void {
    this.#depth = Math.min(10, Math.max(0, this.#depth + by));
    this.mark("lineEnd");
  }

  hide(by: 1 | -1): void {
    this.#hidden = Math.max(0, this.#hidden + by);
  }
}

/** Writes the lines of a draft that have text, with at most one blank line between two. */
function layOut(draft: string): string {
  const lines: string[] = [];
  let isGap = false;
  let isBlank = true;
  for (const line of draft.split(/(?=[\n\f\v])/)) {
    isGap ||= line.startsWith(marks.gap) || (isBlank && line.startsWith(marks.lineBreak));
    const content = line.replaceAll(/[\n\f\v\t\r]/g, "");
    const [before = "", first = "", ...cells] = content.split(marks.cell);
    const text = [before + first, ...cells].join(" | ").replaceAll(/ +/g, " ").trim();
    isBlank = text === "";
    if (isBlank) continue;
    if (isGap && lines.length > 0) lines.push("");
    isGap = false;
    const depth = line.split(marks.indent).length - 1;
    lines.push(`${"  ".repeat(depth)}${line.includes(marks.bullet) ? "• " : ""}${text}`);
  }
  return lines.join("\n");
}

type Tag = readonly [open: (draft: Draft) => void, close?: (draft: Draft) => void];

const both = (kind: "lineEnd" | "gap"): Tag => [(draft) => draft.mark(kind), (draft) => draft.mark(kind)];
const rows: readonly (readonly [names: string, tag: Tag])[] = [
  [
    "div section article header footer main aside address dl dt dd form fieldset caption thead tbody tfoot center tr",
    both("lineEnd"),
  ],
  ["p h1 h2 h3 h4 h5 h6 table blockquote pre hr", both("gap")],
  ["ul ol", [(draft) => draft.indent(1), (draft) => draft.indent(-1)]],
  ["li", [(draft) => draft.bullet(), (draft) => draft.mark("lineEnd")]],
  ["br", [(draft) => draft.mark("lineBreak")]],
  ["td th", [(draft) => draft.cell()]],
  // A browser does not show these, and reads them as text up to their end tag: no tag inside can stay open.
  ["script style iframe noembed noframes title textarea", [(draft) => draft.hide(1), (draft) => draft.hide(-1)]],
];

const tags: Readonly<Record<string, Tag | undefined>> = Object.assign(
  Object.create(null),
  ...rows.map(([names, tag]) => Object.fromEntries(names.split(" ").map((name) => [name, tag]))),
);
