import { styleText } from "node:util";

/**
 * Styles headings, bold text and code of Markdown that arrives in parts. The text itself stays as it is, with its marks.
 * A style ends with its line, so that a mark that stands for itself does little harm; only fenced code goes on.
 */
export class MarkdownStyles {
  /** Marks at the end of what arrived: their run may go on. */
  #held = "";
  /** The marks that are open. */
  readonly #open = new Set<string>();
  #isLineStart = true;

  push(part: string): string {
    const text = this.#held + part;
    this.#held = /[`*]{1,3}$/.exec(text)?.[0] ?? "";
    return this.#styled(text.slice(0, text.length - this.#held.length));
  }

  /** Returns the rest, when no part follows. */
  end(): string {
    return this.#styled(this.#held);
  }

  #styled(text: string): string {
    const pieces = text.match(/\n|`+|\*+|[^\n`*]+/g) ?? [];
    return pieces.map((piece) => (piece === "\n" ? this.#endLine() : this.#style(piece))).join("");
  }

  #endLine(): string {
    this.#isLineStart = true;
    if (!this.#open.has("```")) this.#open.clear();
    return "\n";
  }

  /** The marks of a style have it, too. */
  #style(piece: string): string {
    const [mark = ""] = /^(?:```|`|\*\*)/.exec(piece) ?? (this.#isLineStart ? /^#/.exec(piece) : null) ?? [];
    this.#isLineStart = false;
    const before = this.#format();
    if (this.#open.delete(mark)) return styleText(before, piece);
    const isInCode = this.#open.has("```") || (this.#open.has("`") && mark !== "```");
    if (mark !== "" && !isInCode) this.#open.add(mark);
    return styleText(this.#format(), piece);
  }

  #format() {
    if (this.#open.has("```") || this.#open.has("`")) return "cyan";
    return this.#open.size > 0 ? "bold" : "none";
  }
}
