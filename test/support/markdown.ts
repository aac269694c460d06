import GithubSlugger from "github-slugger";
import { marked, type Token } from "marked";

/** The targets of the links and pictures of a page, as they are written. */
export function linksIn(markdown: string): string[] {
  const found: string[] = [];
  for (const token of tokensOf(markdown)) {
    if (token.type === "link" || token.type === "image") found.push(token.href);
    if (token.type === "html") {
      const attributes = token.raw.matchAll(/\b(?:href|src|srcset)\s*=\s*["']([^"']*)["']/g);
      found.push(...[...attributes].map(([, target = ""]) => target));
    }
  }
  return found;
}

/** The names that `#…` may have in a page: its headings, as GitHub names them, and the ids of its HTML. */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const found = new Set<string>();
  for (const token of tokensOf(markdown)) {
    if (token.type === "heading") found.add(slugger.slug(textOf(token.tokens ?? [])));
    if (token.type === "html") for (const [, id = ""] of token.raw.matchAll(/\bid="([^"]*)"/g)) found.add(id);
  }
  return found;
}

/** The tokens of a page. Code is one token, so that nothing in it is taken for a link. */
function tokensOf(markdown: string): Token[] {
  const found: Token[] = [];
  marked.walkTokens(marked.lexer(markdown), (token) => void found.push(token));
  return found;
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((token) => ("tokens" in token && token.tokens ? textOf(token.tokens) : decode(token))).join("");
}

function decode(token: Token): string {
  const text = "text" in token ? String(token.text) : token.raw;
  return text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}
