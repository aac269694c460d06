/**
 * Makes the declarations of each ES module those of its CommonJS twin, which has the same names: the types of a class are
 * the same however a program loads it, and the package is a tenth smaller. An entry point whose types are built on those
 * of another package keeps its own, because that package has two as well.
 *
 * Then an application with `declaration: true` can export all that it gets from the package, without a name for it: an
 * interface that no entry point exports becomes the alias of a type, which a compiler writes out, and an entry point loads
 * those that have the names which it lacks.
 *
 *   npx tsx scripts/declarations.ts
 */
import { appendFileSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import ts from "typescript";
import { readDeclarations } from "./api/declarations.ts";
import { reachableFrom } from "./reachable.ts";

const shared = /-[\w-]{8}\.(?:d\.ts|js)$/;
for (const file of globSync(resolve("dist/**/*.d.ts"))) {
  const code = readFileSync(file, "utf8").replaceAll(/^import '\..*';\n/gm, "");
  // Those of examples in comments are indented.
  const imported = [...code.matchAll(/^(?:im|ex)port .* from '(.+)';$/gm)].map(([, name = ""]) => name);
  const isBuiltOnPackage = imported.some((name) => !/^(?:\.|node:)/.test(name));
  if (shared.test(file)) rmSync(file);
  else if (!isBuiltOnPackage) writeFileSync(file, `export * from "./${basename(file, ".d.ts")}.cjs";\n`);
  else if (imported.some((name) => shared.test(name))) throw new Error(`${file} needs declarations that go.`);
  else writeFileSync(file, code);
}

const { program, entries, isOurs, symbolAt, namedBy } = readDeclarations(process.cwd(), ["import", "require"]);

/** By its kind of module and by what is exported: the first entry point that exports it. */
const homes = new Map(["ts", "cts"].map((kind) => [kind, new Map<ts.Symbol, string>()]));
for (const { file, exported } of entries.toReversed())
  for (const symbol of exported.values()) homes.get(kindOf(file))?.set(symbol, file);

const loaded = entries.map(({ file, exported }) => {
  const known = new Set(exported.values());
  const lacking = [...reachableFrom(known, namedBy)].filter((symbol) => !known.has(symbol));
  return { file, others: new Set(lacking.flatMap((symbol) => homes.get(kindOf(file))?.get(symbol) ?? [])) };
});

for (const source of program.getSourceFiles().filter(isOurs)) {
  let code = source.text;
  for (const node of source.statements.toReversed()) {
    if (!ts.isInterfaceDeclaration(node) || !mayBeAlias(node)) continue;
    const start = node.getStart();
    if (!code.startsWith("interface ", start)) throw new Error(`An interface in ${source.fileName} has another form.`);
    const parents = (node.heritageClauses ?? []).flatMap(({ types }) => types).map((type) => type.getText());
    const parameters = node.typeParameters?.map((parameter) => parameter.getText()).join(", ");
    const members = `{${code.slice(node.members.pos, node.end)};`;
    const name = `${node.name.text}${parameters ? `<${parameters}>` : ""}`;
    code = `${code.slice(0, start)}type ${name} = ${[...parents, members].join(" & ")}${code.slice(node.end)}`;
  }
  if (code !== source.text) writeFileSync(source.fileName, code);
}

for (const { file, others } of loaded) {
  for (const other of [...others].sort()) {
    const path = relative(dirname(file), other)
      .replaceAll("\\", "/")
      .replace(/\.d\.(c?)ts$/, ".$1js");
    appendFileSync(file, `import type {} from "${path.startsWith(".") ? path : `./${path}`}";\n`);
  }
}

function kindOf(file: string): "ts" | "cts" {
  return file.endsWith(".d.cts") ? "cts" : "ts";
}

/** An alias has one declaration, and cannot be written out if it names itself. */
function mayBeAlias(node: ts.InterfaceDeclaration): boolean {
  const symbol = symbolAt(node.name);
  if (symbol === undefined || symbol.declarations?.length !== 1) return false;
  if ([...homes.values()].some((home) => home.has(symbol))) return false;
  const namesItself = (inner: ts.Node): boolean =>
    (ts.isIdentifier(inner) && inner !== node.name && symbolAt(inner) === symbol) ||
    ts.forEachChild(inner, namesItself) === true;
  return !namesItself(node);
}
