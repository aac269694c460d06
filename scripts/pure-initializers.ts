import { transformSync } from "esbuild";
import ts from "typescript";

interface Initializer {
  readonly variable: string;
  readonly text: string;
  readonly start: number;
  readonly isClass: boolean;
}

/**
 * Marks the top-level initializers of a module as pure, so that bundlers leave out what is not used. esbuild keeps a
 * constant that is made by a call, and all that the call refers to, unless the call is marked as one without effect:
 * `readMoney` alone was 53 KB with it. No module of this package has an effect when it is loaded (`sideEffects`).
 */
export function markInitializersPure(code: string): string {
  const all = initializersOf(code);
  const kept = keptByEsbuild(all);
  let marked = "";
  let end = 0;
  for (const initializer of all.filter((_, i) => kept.has(i))) {
    marked += code.slice(end, initializer.start) + pure(initializer);
    end = initializer.start + initializer.text.length;
  }
  return marked + code.slice(end);
}

function initializersOf(code: string): readonly Initializer[] {
  const file = ts.createSourceFile("chunk.js", code, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
  const declarations = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations);
  return declarations.flatMap(({ name, initializer }) => {
    if (initializer === undefined || !ts.isIdentifier(name)) return [];
    const isClass = ts.isClassExpression(initializer);
    return [{ variable: name.text, text: initializer.getText(file), start: initializer.getStart(file), isClass }];
  });
}

/** The indexes of those that esbuild would keep although nobody needs them. */
function keptByEsbuild(initializers: readonly Initializer[]): ReadonlySet<number> {
  const code = initializers.map(({ text }, i) => `var $initializer${i} = ${text};\n`).join("");
  const shaken = transformSync(code, { treeShaking: true, format: "esm", logLevel: "silent" }).code;
  return new Set(Array.from(shaken.matchAll(/^var \$initializer(\d+)/gm), ([, index]) => Number(index)));
}

/** On the same lines, and a class keeps the name that it has from its variable. */
function pure({ variable, text, isClass }: Initializer): string {
  if (isClass) return `/* @__PURE__ */ (() => { var ${variable} = ${text}; return ${variable}; })()`;
  return `/* @__PURE__ */ (() => (${text}))()`;
}
