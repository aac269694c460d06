import ts from "typescript";

/**
 * The calls of a test file that its properties make, as `sign` and `.verify`: in their own functions, in the functions
 * of the file that these name, and in what makes the values that both name. The name of a function that is passed on
 * counts as a call of it.
 */
export function callsIn(code: string): ReadonlySet<string> {
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
