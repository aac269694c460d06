/** The types that an application with `declaration: true` infers from this package: they must have a name to import. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { expect, it, onTestFinished } from "vitest";

const options: ts.CompilerOptions = {
  declaration: true,
  emitDeclarationOnly: true,
  strict: true,
  skipLibCheck: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ESNext,
  types: ["node"],
};

/** Compiles a program in an application that has installed the package, and returns the messages of the compiler. */
function compile(write: (names: readonly string[]) => string): { program: ts.Program; messages: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-inferred-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const manifest = readFileSync("package.json", "utf8");
  cpSync("dist", join(folder, "node_modules/serviceapi/dist"), { recursive: true });
  writeFileSync(join(folder, "node_modules/serviceapi/package.json"), manifest);
  for (const name of ["@types", "undici-types", "msw", "@opentelemetry"])
    symlinkSync(join(process.cwd(), "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const names = Object.keys(JSON.parse(manifest).exports).filter((name) => !name.endsWith(".json"));
  const file = join(folder, "application.ts");
  writeFileSync(file, write(names.map((name) => name.replace(".", "serviceapi"))));
  const host = { ...ts.createCompilerHost(options), getCurrentDirectory: () => folder, writeFile() {} };
  const program = ts.createProgram([file], options, host);
  const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  return { program, messages: found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")) };
}

const imports = (names: readonly string[]) =>
  names.map((name, i) => `import * as entry${i} from "${name}";\n`).join("");

/** Declarations that export each public function and method, bound, and its result. */
function bindings({ program }: { readonly program: ts.Program }): readonly string[] {
  const checker = program.getTypeChecker();
  const bound: string[] = [];
  const bind = (owner: string, name: string) => {
    const id = `f${bound.length}`;
    bound.push(`export const ${id} = ${owner}.${name}.bind(${owner});
      declare const ${id}Result: ReturnType<typeof ${owner}.${name}>;
      export const ${id}Called = ${id}Result;`);
  };
  for (const source of program.getSourceFiles().filter(({ fileName }) => fileName.endsWith("/application.ts"))) {
    source.statements.filter(ts.isImportDeclaration).forEach((statement, i) => {
      const entry = checker.getSymbolAtLocation(statement.moduleSpecifier);
      for (const exported of entry === undefined ? [] : checker.getExportsOfModule(entry)) {
        const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        if (symbol.flags & ts.SymbolFlags.Function) bind(`entry${i}`, exported.name);
        if (!(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))) continue;
        const type = checker.getDeclaredTypeOfSymbol(symbol) as ts.InterfaceType;
        const parameters = type.typeParameters?.map(() => "any").join() ?? "";
        const owner = `o${bound.length}`;
        bound.push(`declare const ${owner}: entry${i}.${exported.name}${parameters && `<${parameters}>`};`);
        for (const member of checker.getPropertiesOfType(type)) {
          const isMethod = member.flags & ts.SymbolFlags.Method && !(member.flags & ts.SymbolFlags.Optional);
          const isOurs = member.declarations?.some((declaration) =>
            declaration.getSourceFile().fileName.includes("/serviceapi/dist/"),
          );
          if (isMethod && isOurs && /^[a-z]\w*$/i.test(member.name)) bind(owner, member.name);
        }
      }
    });
  }
  return bound;
}

it("every public function and method can be exported bound, and so can its result", { timeout: 120_000 }, () => {
  const bound = bindings(compile(imports));
  expect(bound.length).toBeGreaterThan(300);
  expect(compile((names) => imports(names) + bound.join("\n")).messages).toEqual([]);
});
