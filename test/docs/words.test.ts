import { readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { guides, read, root } from "./blocks.ts";

describe("what a reader cannot look up", () => {
  it("is not cited: docs/assumptions.md has numbers such as W1 for what the library assumes", () => {
    const files = [...guides(), ...["src", "test", "bench", "scripts", "examples"].flatMap(sources)];
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter((file) => /\bpolic(?:y|ies) \d/i.test(read(file)))).toEqual([]);
  });

  // Comments cite the document; a program's strings are read by people who do not have it at hand.
  it("is not in a message: no string of the library has a section number", () => {
    expect(sources("src").flatMap((file) => strings(file).filter((text) => text.includes("§")))).toEqual([]);
  });
});

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?tsx?$/.test(name) && !/(?:^|[\\/])(?:node_modules|\.next)[\\/]/.test(name))
    .map((name) => join(folder, name));
}

/** Every string and template of a file, comments left out. */
function strings(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
  return found;
}
