import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** The declarations of the built package, entry point by entry point. */
export interface Declarations {
  readonly checker: ts.TypeChecker;
  /** By the name that is imported: what it exports, by the names that it exports them under. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, ts.Symbol>>;
  /** Whether a declaration is in the package. */
  readonly isOurs: (node: ts.Node) => boolean;
}

/** Reads the declarations in `dist`, as a user's compiler finds them through `exports` of package.json. */
export function readDeclarations(root: string): Declarations {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | { import: { types: string } }>;
  };
  const files = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : [{ name: path.replace(".", "serviceapi"), file: join(root, target.import.types) }],
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
  const entries = files.map(({ name, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing. Run \`npm run build\`.`);
    const exported = checker
      .getExportsOfModule(module)
      .map((symbol) => [symbol.name, target(checker, symbol)] as const);
    return [name, new Map(exported)] as const;
  });
  const dist = join(root, "dist").replaceAll("\\", "/");
  return {
    checker,
    entries: new Map(entries),
    isOurs: (node) => node.getSourceFile().fileName.startsWith(`${dist}/`),
  };
}

/** The symbol that an import or a re-export leads to. */
export function target(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}
