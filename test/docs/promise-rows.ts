import { dirname, join } from "node:path";
import ts from "typescript";
import { read } from "./blocks.ts";
import { plain } from "./sentences.ts";

/** The page that lists every promise. */
export const page = "docs/promises.md";

/** A row of its tables. */
export interface Row {
  readonly id: string;
  /** Where the promise is made: README, the names of guides, or "types" for doc comments. */
  readonly places: readonly string[];
  readonly tests: readonly { readonly title: string; readonly file: string }[];
}

/** Every row, in the order of the page. */
export function promiseRows(): Row[] {
  return [...read(page).matchAll(/^\| <a id="([\w-]+)"><\/a>.*$/gm)].map(([line, id = ""]) => {
    const [, , places = "", tests = ""] = line.split(/(?<!\\)\|/);
    const links = [...tests.matchAll(/\[((?:[^\]\\]|\\.)+)\]\(([^)]+)\)/g)];
    return {
      id,
      places: places.split(",").map((place) => plain(place)),
      tests: links.map(([, title = "", file = ""]) => ({ title: titleOf(title), file: join(dirname(page), file) })),
    };
  });
}

/** The strings of a test file, any of which may be the title of a test, of a group, or of a case in a table. */
export function titlesIn(file: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.add(titleOf(node.text));
    if (ts.isTemplateExpression(node)) found.add(titleOf(node.getText().slice(1, -1)));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
  return found;
}

/** A title as it is compared: without markup, and without the "policy 8:" that some begin with. */
function titleOf(text: string): string {
  return plain(text.replaceAll("\\", ""))
    .replaceAll(/\(?\bpolic(?:y|ies) \d+(?:(?:,| and) \d+)*\)?:?/g, "")
    .trim();
}
