import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { escapeLoneBrackets } from "../shared/markup.ts";
import { each } from "../shared/objects.ts";
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
  const page = new Page();
  const source = escapeLoneBrackets(html);
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks(source, page));
  // The break ends a tag that was cut, of which nothing is left.
  tokenizer.write(`${source}<br>`);
  tokenizer.end();
  page.begin("line");
  const text = page.lines.join("\n").trim();
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).trimEnd()}…` : text;
}

const optionRules: Rules<FareRuleTextOptions> = { maxLength: integer(1) };

/**
 * The tokenizer rather than the parser: the parser's list of open tags makes deep nesting quadratic, and text needs no
 * tree.
 */
function callbacks(html: string, page: Page): TokenizerCallbacks {
  const tagAt = (start: number, end: number) => tags.get(html.slice(start, end).toLowerCase());
  return {
    onopentagname: (start, end) => page.begin(tagAt(start, end)?.[0]),
    onclosetag: (start, end) => page.begin(tagAt(start, end)?.[1]),
    ontext: (start, end) => page.write(html.slice(start, end)),
    ontextentity: (codePoint) => page.write(String.fromCodePoint(codePoint)),
    ...each(ignore, "onattribdata", "onattribend", "onattribentity", "onattribname", "oncdata", "oncomment"),
    ...each(ignore, "ondeclaration", "onend", "onopentagend", "onprocessinginstruction", "onselfclosingtag"),
  };
}

const ignore = () => {};

/** The mark of a cell: white space that text does not have, since that has single spaces alone. */
const cell = "\u2028";

/** The lines that have text, with at most one blank line between two. */
class Page {
  readonly lines: string[] = [];
  #isHidden = false;
  #line = "";
  #start = "";
  #isGap = false;
  #depth = 0;

  write(text: string): void {
    if (this.#isHidden) return;
    // A line break in the source is a space in HTML, and a line in rules that are no HTML at all: it stays a line.
    for (const [i, line] of text.split(/\r\n?|\n/).entries()) {
      if (i > 0) this.begin("break");
      this.#line += line.replaceAll(/\s+/g, " ");
    }
  }

  /** Ends the line and begins another; there is a blank line before one after a gap, or after a second break. */
  begin(kind: Kind | undefined): void {
    if (kind === "hidden" || kind === "shown") this.#isHidden = kind === "hidden";
    if (kind === "cell") this.#line += cell;
    if (kind === undefined || ["hidden", "shown", "cell"].includes(kind)) return;
    if (kind === "inner" || kind === "outer") this.#depth += kind === "inner" ? 1 : -1;
    this.#depth = Math.min(10, Math.max(0, this.#depth));
    const [before = "", first = "", ...cells] = this.#line.split(cell);
    const text = [before + first, ...cells].join(" | ").replaceAll(/ +/g, " ").trim();
    if (text !== "") {
      if (this.#isGap && this.lines.length > 0) this.lines.push("");
      this.lines.push(this.#start + text);
      this.#isGap = false;
    }
    this.#isGap ||= kind === "gap" || (kind === "break" && text === "");
    this.#line = "";
    this.#start = kind === "item" ? `${"  ".repeat(Math.max(0, this.#depth - 1))}• ` : "  ".repeat(this.#depth);
  }
}

/** The effects of a tag. `inner` and `outer` are those of a list within a list. */
type Kind = "line" | "gap" | "break" | "item" | "inner" | "outer" | "cell" | "hidden" | "shown";

const rows: readonly (readonly [names: string, open: Kind, close?: Kind])[] = [
  [
    "div section article header footer main aside address dl dt dd form fieldset caption thead tbody tfoot center tr",
    "line",
    "line",
  ],
  ["p h1 h2 h3 h4 h5 h6 table blockquote pre hr", "gap", "gap"],
  ["ul ol", "inner", "outer"],
  ["li", "item", "line"],
  ["br", "break"],
  ["td th", "cell"],
  // A browser does not show these, and reads them as text up to their end tag: no tag inside can stay open.
  ["script style iframe noembed noframes title textarea", "hidden", "shown"],
];

const tags = new Map(rows.flatMap(([names, ...kinds]) => names.split(" ").map((name) => [name, kinds] as const)));
