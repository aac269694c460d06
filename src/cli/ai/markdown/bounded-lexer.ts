import { Lexer, type Token, type TokensList } from "marked";

/** Blocks nest less in what people read. The lexer recurses for each level, and reads its text again. */
const maxNesting = 20;
/** The time that the lexer takes for a paragraph grows with the square of these, or faster. */
const maxInline = { characters: 8_000, markers: 200, nesting: 20 };
/** A run of what begins or ends emphasis, code, a link, HTML or an escape. */
const marker = /\*+|_+|~+|`+|[[\]<\\!@]/g;

/** A lexer of Markdown that leaves what nobody writes for a reader, such as 200 unclosed emphases, as plain text. */
export class BoundedLexer extends Lexer {
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

/** Returns the text as one paragraph without markup. */
export function plainParagraph(source: string): Token {
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
