/** The types that an application with `declaration: true` infers from this package: they must have a name to import. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, expect, it } from "vitest";

const options: ts.CompilerOptions = {
  declaration: true,
  emitDeclarationOnly: true,
  strict: true,
  skipLibCheck: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ESNext,
  types: ["node"],
};

/** An application that has installed the package, and the entry points of the package. */
const folder = mkdtempSync(join(tmpdir(), "serviceapi-inferred-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const manifest = readFileSync("package.json", "utf8");
cpSync("dist", join(folder, "node_modules/serviceapi/dist"), { recursive: true });
writeFileSync(join(folder, "node_modules/serviceapi/package.json"), manifest);
for (const name of ["@types", "undici-types", "msw", "@opentelemetry"])
  symlinkSync(join(process.cwd(), "node_modules", name), join(folder, "node_modules", name));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
const entries = Object.keys(JSON.parse(manifest).exports)
  .filter((name) => !name.endsWith(".json"))
  .map((name) => name.replace(".", "serviceapi"));

const file = join(folder, "application.ts");
const real = ts.createCompilerHost(options);
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Compiles a program in the application, and returns the messages of the compiler. */
function compile(text: string): { program: ts.Program; messages: readonly string[] } {
  writeFileSync(file, text);
  parsed.delete(file);
  const host: ts.CompilerHost = {
    ...real,
    getCurrentDirectory: () => folder,
    getSourceFile(name, ...rest) {
      if (!parsed.has(name)) parsed.set(name, real.getSourceFile(name, ...rest));
      return parsed.get(name);
    },
    writeFile() {},
  };
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  const found = [...program.getSemanticDiagnostics(source), ...program.emit(source).diagnostics];
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

/** Returns each part of a union, written without the name of the union. */
const each = "declare function each<T>(value: T): T extends unknown ? T : never;\n";

/**
 * Declarations that export the parameters and the result of each public function, and each property of each public type.
 * What has no name to import is written out there with all that it has, and what has a name is one of these types.
 */
function parts({ program }: { readonly program: ts.Program }): readonly string[] {
  const checker = program.getTypeChecker();
  const found: string[] = [];
  const add = (type: string, path = "") => {
    const id = `p${found.length}`;
    found.push(`declare const ${id}: ${type};\nexport const ${id}Part = each(${id}${path});`);
  };
  program
    .getSourceFile(file)
    ?.statements.filter(ts.isImportDeclaration)
    .forEach((statement, i) => {
      const entry = checker.getSymbolAtLocation(statement.moduleSpecifier);
      for (const exported of entry === undefined ? [] : checker.getExportsOfModule(entry)) {
        const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        const name = `entry${i}.${exported.name}`;
        if (symbol.flags & ts.SymbolFlags.Function) {
          add(`Parameters<typeof ${name}>`);
          add(`ReturnType<typeof ${name}>`);
        }
        if (!(symbol.flags & ts.SymbolFlags.Type)) continue;
        const type = checker.getDeclaredTypeOfSymbol(symbol);
        const declaration = symbol.declarations?.find((node) => "typeParameters" in node) as
          | ts.InterfaceDeclaration
          | undefined;
        const parameters = declaration?.typeParameters?.map(() => "any").join();
        const owner = `${name}${parameters ? `<${parameters}>` : ""}`;
        add(owner);
        for (const member of checker.getPropertiesOfType(type)) {
          const isOurs = member.declarations?.some((node) =>
            node.getSourceFile().fileName.includes("/serviceapi/dist/"),
          );
          if (isOurs && /^[a-z]\w*$/i.test(member.name)) add(owner, `.${member.name}`);
        }
      }
    });
  return found;
}

it("every public function and method can be exported bound, and so can its result", { timeout: 120_000 }, () => {
  const bound = bindings(compile(imports(entries)));
  expect(bound.length).toBeGreaterThan(300);
  expect(compile(imports(entries) + bound.join("\n")).messages).toEqual([]);
});

it.each(entries)(
  "%s alone: each parameter, result and property can be exported, and each part of it",
  { timeout: 120_000 },
  (entry) => {
    const found = parts(compile(imports([entry])));
    expect(found.length).toBeGreaterThan(0);
    expect(compile(imports([entry]) + each + found.join("\n")).messages).toEqual([]);
  },
);
