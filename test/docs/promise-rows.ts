import ts from "typescript";
import { read } from "./blocks.ts";
import { plain } from "./sentences.ts";

/** The page that lists every promise. */
export const page = "docs/promises.md";

/** The page that lists every threat. Its rows name tests, as those of the promises do. */
export const threatPage = "docs/security.md";

/**
 * A test that holds a promise: its title, and its file in a code span. Not a link, because the page is in the package and
 * the tests are not.
 */
export const titleAndFile = /(?<=^|; )([^;\s](?:(?!\.ts`\)).)*?) \(`((?:test|src)\/[^`]+\.ts)`\)/g;

/** A row of its tables. */
export interface Row {
  readonly id: string;
  readonly tests: readonly { readonly title: string; readonly file: string }[];
}

/** Every row, in the order of the page. */
export function promiseRows(): Row[] {
  return [...read(page).matchAll(/^\| <a id="([\w-]+)"><\/a>.*$/gm)].map(([line, id = ""]) => {
    const [, , tests = ""] = cellsOf(line);
    return { id, tests: testsOf(tests) };
  });
}

/** Every row of its tables: what somebody tries, and the tests that hold it. */
export function threatRows(): Pick<Row, "id" | "tests">[] {
  const rows = read(threatPage)
    .split("\n")
    .filter((line) => /^\| (?!-|they try to )/.test(line));
  return rows.map((line) => {
    const [, id = "", , , tests = ""] = cellsOf(line);
    return { id: id.trim(), tests: testsOf(tests) };
  });
}

const cellsOf = (line: string) => line.split(/(?<!\\)\|/);

function testsOf(cell: string): Row["tests"] {
  return [...cell.trim().matchAll(titleAndFile)].map(([, title = "", file = ""]) => ({
    title: plain(title.replaceAll(/\\(?=[^\w\s])/g, "")),
    file,
  }));
}

/**
 * The titles that run: of the tests and groups of a test file, with `.each`, `.skipIf` and the like, and of the
 * promises that our suites hold each store or journal to. One that is skipped, left to do or run alone holds nothing.
 *
 * @throws Error for a test or group that is skipped, left to do or run alone.
 */
export function titlesIn(file: string, code = read(file)): ReadonlySet<string> {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const title = /-suite\.ts$/.test(file) ? suiteTitle(node) : testTitle(node);
    if (title !== undefined) found.add(plain(title.replaceAll("\\", "")));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Modifiers and options that keep a test, or the other tests, from running, or that let it fail. */
const idlers = new Set(["skip", "todo", "only", "fails"]);

/** Title of a test or group: `it("…")`, `property("…")` of test/fuzz, `describe.each(…)("…")`, `test.skipIf(…)("…")`. */
export function testTitle(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [title, options] = node.arguments;
  if (title === undefined) return undefined;
  const [runner = "", ...modifiers] = chainOf(node.expression);
  if (!["it", "test", "describe", "property"].includes(runner)) return undefined;
  const given = options !== undefined && ts.isObjectLiteralExpression(options) ? options.properties : [];
  const idle = [...modifiers, ...given.map(({ name }) => name?.getText() ?? "")].find((name) => idlers.has(name));
  if (idle !== undefined) throw new Error(`${node.getSourceFile().fileName}: ${runner}.${idle}(${title.getText()})`);
  const isTable = ["each", "for", "skipIf", "runIf"].includes(modifiers.at(-1) ?? "");
  return isTable && !ts.isCallExpression(node.expression) ? undefined : textOf(title);
}

/** The names of a chain: `describe`, `skipIf` and `each` of `describe.skipIf(isWorkerd).each(rows)`. */
function chainOf(node: ts.Expression): string[] {
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isPropertyAccessExpression(node)) return [...chainOf(node.expression), node.name.text];
  return ts.isCallExpression(node) ? chainOf(node.expression) : [];
}

/** `"a promise": async (store) => …` in the table of a suite. */
function suiteTitle(node: ts.Node): string | undefined {
  const isPromise = ts.isPropertyAssignment(node) && ts.isArrowFunction(node.initializer);
  return isPromise && ts.isStringLiteral(node.name) ? node.name.text : undefined;
}

function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : undefined;
}
