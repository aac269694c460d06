import type { Expression, Node, VariableDeclarator } from "estree";
import MagicString from "magic-string";
import type { Plugin } from "rollup";

type Placed<T extends Node = Node> = T & { readonly start: number; readonly end: number };

/**
 * Tells bundlers what `"sideEffects": false` tells them of whole files: no top-level declaration does anything but make
 * its value, so an application that does not use the value may drop it. Without this they keep `new Set(names)`,
 * `{ ...rules }` and `defaults.limit`, with all that these mention.
 */
export function markPure(): Plugin {
  return {
    name: "mark-pure",
    transform(code) {
      const marked = new MagicString(code);
      for (const statement of this.parse(code).body) {
        const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
        if (declaration?.type !== "VariableDeclaration") continue;
        for (const { init } of declaration.declarations as VariableDeclarator[]) {
          if (init) mark(marked, init as Placed<Expression>);
        }
      }
      return { code: marked.toString(), map: marked.generateMap({ hires: true }) };
    },
  };
}

/** Marks calls: a bundler drops one whose value is unused, and its arguments if these do nothing either. */
function mark(code: MagicString, init: Placed<Expression>): void {
  const parts = [...evaluated(init)];
  if (parts.some(({ type }) => mayCallGetter.has(type))) {
    code.appendLeft(init.start, "/* @__PURE__ */ (() => (").appendRight(init.end, "))()");
    return;
  }
  for (const { type, start } of parts) if (isCall.has(type)) code.appendLeft(start, "/* @__PURE__ */ ");
}

const isCall = new Set(["CallExpression", "NewExpression"]);
const mayCallGetter = new Set(["MemberExpression", "SpreadElement", "TaggedTemplateExpression"]);

/** The nodes that are evaluated with the declaration: no bodies of functions, no callees, which a mark covers. */
function* evaluated(node: Placed): Generator<Placed> {
  if (node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression") return;
  // A class keeps the name that it takes from its variable.
  if (node.type === "ClassExpression") return;
  yield node;
  for (const [name, value] of Object.entries(node)) {
    if (name === "callee") continue;
    for (const child of [value].flat()) if (isNode(child)) yield* evaluated(child);
  }
}

function isNode(value: unknown): value is Placed {
  return typeof Object(value).type === "string";
}
