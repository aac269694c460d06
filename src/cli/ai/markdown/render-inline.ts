import type { MarkedToken, Token, Tokens } from "marked";
import { cleanText } from "../../shared/clean-text.ts";
import type { Style } from "./page.ts";

/** Renders the parts of a paragraph: emphasis, code, links. A line break of the source is a space. */
export function renderInline(tokens: readonly Token[] = [], style: Style): string {
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

/** The entities that the parser leaves. */
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
