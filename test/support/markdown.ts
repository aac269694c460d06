import GithubSlugger from "github-slugger";

const linkForms = [
  /\]\(<?([^()\s>]*(?:\([^()\s]*\)[^()\s]*)*)|^\[[^\]\n]+\]: *(\S+)|<((?:https?|mailto):[^>\s]*)>/gm,
  /\b(?:href|src|srcset)\s*=\s*["']([^"']*)["']/g,
];

/** The targets of the links and pictures of a page, as they are written. */
export function linksIn(markdown: string): string[] {
  const text = withoutFences(markdown).replaceAll(/(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, "");
  return linkForms.flatMap((form) => [...text.matchAll(form)].map(([, ...targets]) => targets.find(Boolean) ?? ""));
}

/** The names that `#…` may have in a page: its headings, as GitHub names them, and the ids of its HTML. */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  const text = withoutFences(markdown);
  const headings = [...text.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = ""]) => heading);
  const slugs = headings.map((heading) => slugger.slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")));
  return new Set([...slugs, ...[...text.matchAll(/\bid="([^"]*)"/g)].map(([, id = ""]) => id)]);
}

/** Nothing in code is taken for a link or a heading. */
function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^([ \t]*(?:> ?)?)(`{3,})[^\n]*\n[\s\S]*?^\1\2`*[ \t]*$/gm, "");
}
