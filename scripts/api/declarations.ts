import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** An entry point of the built package, as `import` or `require` finds it. */
export interface EntryPoint {
  /** The name that is imported. */
  readonly name: string;
  readonly file: string;
  /** By the name under which it is exported. */
  readonly exported: ReadonlyMap<string, ts.Symbol>;
}

/** The declarations of the built package. */
export interface Declarations {
  readonly program: ts.Program;
  readonly entries: readonly EntryPoint[];
  /** Whether a declaration is in the package. */
  readonly isOurs: (node: ts.Node) => boolean;
  /** The symbol that a name stands for, through imports and re-exports. */
  readonly symbolAt: (node: ts.Node) => ts.Symbol | undefined;
  /** The symbols that the declarations of a symbol in the package name. */
  readonly namedBy: (symbol: ts.Symbol) => readonly ts.Symbol[];
}

/** Reads the declarations in `dist`, as a user's compiler finds them through `exports` of package.json. */
export function readDeclarations(root: string, conditions: readonly ("import" | "require")[]): Declarations {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | Record<"import" | "require", { types: string }>>;
  };
  const files = Object.entries(exports).flatMap(([path, targets]) =>
    typeof targets === "string"
      ? []
      : conditions.map((condition) => ({
          name: path.replace(".", "serviceapi"),
          file: join(root, targets[condition].types),
        })),
  );
  const program = ts.createProgram(
    files.map(({ file }) => file),
    {
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
      types: ["node"],
    },
  );
  const checker = program.getTypeChecker();
  const target = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const symbolAt = (node: ts.Node) => {
    const symbol = checker.getSymbolAtLocation(node);
    return symbol && target(symbol);
  };
  const dist = join(root, "dist").replaceAll("\\", "/");
  const isOurs = (node: ts.Node) => node.getSourceFile().fileName.startsWith(`${dist}/`);
  const namedBy = (symbol: ts.Symbol) => {
    const named: ts.Symbol[] = [];
    const visit = (node: ts.Node): void => {
      const found = ts.isIdentifier(node) && symbolAt(node);
      if (found) named.push(found);
      ts.forEachChild(node, visit);
    };
    for (const declaration of symbol.declarations ?? []) if (isOurs(declaration)) visit(declaration);
    return named;
  };
  return {
    program,
    entries: files.map(({ name, file }) => {
      const source = program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      if (module === undefined) throw new Error(`${file} exports nothing. Run \`npm run build\`.`);
      const symbols = checker.getExportsOfModule(module);
      return { name, file, exported: new Map(symbols.map((symbol) => [symbol.name, target(symbol)])) };
    }),
    isOurs,
    symbolAt,
    namedBy,
  };
}
