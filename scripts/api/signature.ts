import ts from "typescript";

const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

/** Prints a declaration without its comments, its private members and the words `export` and `declare`. */
export function signatureOf(node: ts.Node): string {
  // `const a: A` is a part of its statement.
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const { transformed } = ts.transform(statement, [(context) => (root) => reduced(root, context)]);
  const [result = statement] = transformed;
  const text = printer.printNode(ts.EmitHint.Unspecified, result, statement.getSourceFile());
  return text.replace(/^(?:export |declare |default )+/, "").replaceAll(/\b(\w+)\$\d+\b/g, "$1");
}

function reduced(root: ts.Node, context: ts.TransformationContext): ts.Node {
  const visit = (node: ts.Node): ts.Node | undefined =>
    isPrivate(node) ? undefined : ts.visitEachChild(node, visit, context);
  return ts.visitEachChild(root, visit, context);
}

function isPrivate(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false;
  if (node.name !== undefined && ts.isPrivateIdentifier(node.name)) return true;
  return (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0;
}
