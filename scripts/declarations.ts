/**
 * Makes the declarations of each ES module those of its CommonJS twin, which has the same names: the types of a class are
 * the same however a program loads it, and the package is a tenth smaller. An entry point whose types are built on those
 * of another package keeps its own, because that package has two as well.
 *
 *   npx tsx scripts/declarations.ts
 */
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";

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
