/** A new public function or method fails here until it has a property, or a reason. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { publicFunctions } from "./public-functions.ts";

const pages = readdirSync("etc/api").map((name) => readFileSync(`etc/api/${name}`, "utf8"));

/** The names of the functions, and of the methods of all classes but errors. */
const published = pages.flatMap((page) => [
  ...Array.from(page.matchAll(/^export function (\w+)/gm), ([, name = ""]) => name),
  ...Array.from(page.matchAll(/^export class (\w+)(?<!Error)[ {<][\s\S]*?^\}/gm)).flatMap(([body, owner = ""]) =>
    Array.from(body.matchAll(/^ {2,4}(\w+)[<(]/gm), ([, method = ""]) => `${owner}.${method}`),
  ),
]);
const names = [...new Set(published)].filter((name) => !name.endsWith(".constructor")).sort();

/**
 * The calls of a test file that its properties make, as `sign` and `.verify`: in their own functions, in the functions
 * of the file that these name, and in what makes the values that both name. The name of a function that is passed on
 * counts as a call of it.
 */
function callsIn(code: string): ReadonlySet<string> {
  const source = ts.createSourceFile("a.test.ts", code, ts.ScriptTarget.Latest, true);
  const made = new Map<string, ts.Node[]>();
  const waiting: ts.Node[] = [];
  const note = (name: string, node: ts.Node) => made.set(name, [...(made.get(name) ?? []), node]);
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name && node.body) note(node.name.text, node.body);
    else if (ts.isVariableDeclaration(node) && node.initializer) note(node.name.getText(), node.initializer);
    else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken)
      note(ownerOf(node.left), node.right);
    else if (ts.isExpressionStatement(node)) note(ownerOf(withoutAwait(node.expression)), node.expression);
    else if (ts.isCallExpression(node) && node.expression.getText() === "property") waiting.push(...node.arguments);
    node.forEachChild(visit);
  };
  visit(source);
  const calls = new Set<string>();
  const read = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      calls.add(`.${node.expression.name.text}`);
    else if (ts.isIdentifier(node) && !isName(node)) {
      calls.add(node.text);
      waiting.push(...(made.get(node.text) ?? []));
      made.delete(node.text);
    }
    node.forEachChild(read);
  };
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) read(node);
  return calls;
}

/** The first name of an expression: `app` of `app.register(…)` and of `app.server`. */
function ownerOf(node: ts.Expression): string {
  return /^\w*/.exec(node.getText())?.[0] ?? "";
}

function withoutAwait(node: ts.Expression): ts.Expression {
  return ts.isAwaitExpression(node) ? node.expression : node;
}

/** Whether an identifier is the name of a field, and refers to nothing. */
function isName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node)
  );
}

const callsOf = new Map<string, ReadonlySet<string>>();

describe("the table of properties", () => {
  it("has each public function and method, and no other", () => {
    expect(names.length).toBeGreaterThan(90);
    expect(Object.keys(publicFunctions).sort()).toEqual(names);
  });

  it.each(Object.entries(publicFunctions).filter(([, place]) => typeof place === "string"))(
    "%s is called by a property of %s",
    (name, place) => {
      const file = `test/fuzz/${place}.test.ts`;
      expect(existsSync(file)).toBe(true);
      const calls = callsOf.get(file) ?? callsIn(readFileSync(file, "utf8"));
      callsOf.set(file, calls);
      const method = name.split(".").at(1);
      expect([...calls]).toContain(method === undefined ? name : `.${method}`);
    },
  );
});

describe("the calls of a property", () => {
  it.each([
    ["in its function", 'property("a", any, (input) => sign(input));'],
    ["in a function that it calls", 'const run = (input) => sign(input); property("a", any, run);'],
    ["in a table that it reads", 'const all = { a: (x) => sign(x) }; property("a", any, ({ name }) => all[name]());'],
    [
      "in what was assigned before",
      'beforeAll(() => { servers.a = sign(1); }); property("a", any, () => send(servers.a));',
    ],
    ["in what was made with it", 'const app = make(); await app.add(sign(1)); property("a", any, () => send(app));'],
  ])("are found %s", (_where, code) => {
    expect([...callsIn(code)]).toContain("sign");
  });

  it.each([
    ["in a comment", 'property("a", any, () => { /* sign(1) */ });'],
    ["in the set-up of the file", 'const signed = sign(1); property("a", any, (input) => read(input));'],
    ["in an import", 'import { sign } from "x"; property("a", any, (input) => read(input));'],
    ["as the name of a field", 'property("a", any, ({ of }) => read({ sign: of.sign }));'],
  ])("are not found %s", (_where, code) => {
    expect([...callsIn(code)]).not.toContain("sign");
  });
});
