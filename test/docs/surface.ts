import { join, relative } from "node:path";
import ts from "typescript";
import { root } from "./blocks.ts";

/** The compiler's view of the entry points that tsconfig.json names in `paths`. */
export interface Surface {
  readonly checker: ts.TypeChecker;
  /** By the name that is imported, such as `serviceapi/flights`: what it exports, re-exports resolved. */
  readonly exports: ReadonlyMap<string, readonly ts.Symbol[]>;
}

/** The compiler options of the project, without its files. */
export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  return ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root).options;
}

export function readSurface(): Surface {
  const options = compilerOptions();
  const entries = Object.entries(options.paths ?? {}).map(([name, [path = ""]]) => [name, join(root, path)] as const);
  const program = ts.createProgram(
    entries.map(([, file]) => file),
    options,
  );
  const checker = program.getTypeChecker();
  const exports = entries.map(([name, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing`);
    const resolve = (symbol: ts.Symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return [name, checker.getExportsOfModule(module).map(resolve)] as const;
  });
  return { checker, exports: new Map(exports) };
}

/** An exported name, or a member of one, with what an editor shows for it. */
export interface Entry {
  /** File, line and name: `src/client.ts:12 ServiceApi.send`. */
  readonly place: string;
  /** Its doc comment without tags, that of a base included. */
  readonly comment: string;
}

/**
 * Every export, and every public member of the exported interfaces, classes and object types and of those they extend.
 */
export function publicEntries({ checker, exports }: Surface): Entry[] {
  const found: Entry[] = [];
  const seen = new Set<ts.Node>();

  function visitExport(symbol: ts.Symbol): void {
    const declarations = (symbol.declarations ?? []).filter((node) => !seen.has(node) && isOurs(node));
    const [first] = declarations;
    if (first === undefined) return;
    add(symbol, first, symbol.name);
    for (const declaration of declarations) {
      seen.add(declaration);
      visitMembers(declaration, symbol.name);
    }
  }

  function visitMembers(node: ts.Node, name: string): void {
    if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) {
      for (const { expression } of (node.heritageClauses ?? []).flatMap(({ types }) => types)) {
        const base = checker.getSymbolAtLocation(expression);
        if (base !== undefined) {
          visitExport(base.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(base) : base);
        }
      }
    }
    if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node) || ts.isTypeLiteralNode(node)) {
      for (const member of node.members) visitMember(member, name);
    } else if (ts.isTypeAliasDeclaration(node)) visitType(node.type, name);
  }

  /** The members of the object types in a union, an intersection, an array or the arguments of a type. */
  function visitType(type: ts.Node, name: string): void {
    if (ts.isTypeLiteralNode(type)) visitMembers(type, name);
    else if (ts.isConditionalTypeNode(type)) for (const part of [type.trueType, type.falseType]) visitType(part, name);
    else if (!ts.isFunctionLike(type)) ts.forEachChild(type, (child) => visitType(child, name));
  }

  function visitMember(member: ts.ClassElement | ts.TypeElement, owner: string): void {
    if (seen.has(member) || isHidden(member) || isDiscriminant(member)) return;
    seen.add(member);
    const symbol = member.name && checker.getSymbolAtLocation(member.name);
    if (symbol === undefined || member.name === undefined) return;
    if (!ts.isComputedPropertyName(member.name)) add(symbol, member, `${owner}.${member.name.getText()}`);
  }

  function add(symbol: ts.Symbol, node: ts.Node, name: string): void {
    const source = node.getSourceFile();
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    found.push({ place: `${relative(root, source.fileName)}:${line + 1} ${name}`, comment });
  }

  for (const symbols of exports.values()) for (const symbol of symbols) visitExport(symbol);
  return found;
}

function isOurs(node: ts.Node): boolean {
  return node.getSourceFile().fileName.startsWith(join(root, "src/"));
}

/** Private, or the constructor, which the comment of its class describes. */
function isHidden(member: ts.ClassElement | ts.TypeElement): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const isPrivate = member.name !== undefined && ts.isPrivateIdentifier(member.name);
  const isInternal = ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal");
  return isPrivate || isInternal || (ts.getCombinedModifierFlags(member) & hidden) !== 0;
}

/** The literal property that discriminates a union of object types, which describes itself. */
function isDiscriminant(member: ts.ClassElement | ts.TypeElement): boolean {
  const isLiteral = ts.isPropertySignature(member) && member.type !== undefined && ts.isLiteralTypeNode(member.type);
  return isLiteral && ts.isTypeLiteralNode(member.parent);
}
