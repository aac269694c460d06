/** The public surface as it was built: `npm test` builds before it tests. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { readPages } from "../../scripts/api/pages.ts";
import { signatureOf } from "../../scripts/api/signature.ts";
import { root } from "../docs/blocks.ts";

const folder = join(root, "etc/api");
const { paths } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")).compilerOptions as { paths: object };

describe("the public surface", () => {
  let pages: ReadonlyMap<string, string>;
  beforeAll(() => {
    pages = readPages(root);
  });

  it("has a page for each entry point, and no other", () => {
    const names = Object.keys(paths).map((name) => `${name.replaceAll("/", "-")}.api.md`);
    expect([...pages.keys()].sort()).toEqual(names.sort());
    expect(readdirSync(folder).sort()).toEqual(names.sort());
  });

  it.each(readdirSync(folder))("is that of etc/api/%s", (name) => {
    const advice = "The public surface has changed. Run `npm run api`, review the difference, and add a changeset.";
    expect(readFileSync(join(folder, name), "utf8"), advice).toBe(pages.get(name));
  });
});

describe("a signature", () => {
  it.each([
    [
      "/** Words. */ export declare class A<B> extends C { #a; private b; /** More. */ protected d: number; e(): B; }",
      "class A<B> extends C {\n    protected d: number;\n    e(): B;\n}",
    ],
    ["declare function f(a?: string): Promise<void>;", "function f(a?: string): Promise<void>;"],
    ["export declare const a: { readonly b: 1 };", "const a: {\n    readonly b: 1;\n};"],
    ['type A = B$1 | "c";', 'type A = B | "c";'],
  ])("of %s has no comment and nothing private", (code, expected) => {
    const source = ts.createSourceFile("a.d.ts", code, ts.ScriptTarget.Latest, true);
    const [statement = source] = source.statements;
    const node = ts.isVariableStatement(statement)
      ? (statement.declarationList.declarations[0] ?? statement)
      : statement;
    expect(signatureOf(node)).toBe(expected);
  });
});
