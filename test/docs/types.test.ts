import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { type Block, blocks, blocksOf, exampleBlocks, root } from "./blocks.ts";
import { compilerOptions } from "./surface.ts";

/** One program for all blocks, each a separate module next to the prelude. */
function problemsOf(checked: readonly Block[]): string[] {
  const relaxed = { ...compilerOptions(), noUnusedLocals: false, noUnusedParameters: false, noEmit: true };

  const files = new Map(
    checked.map((block, i) => [
      join(root, `test/docs/block-${i}.ts`),
      { block, text: `${block.code}\n${block.driver}export {};\n` },
    ]),
  );
  const host = ts.createCompilerHost(relaxed);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path)?.text ?? readFile(path);
  host.getSourceFile = (path, how, onError, fresh) => {
    const file = files.get(path);
    return file === undefined ? getSourceFile(path, how, onError, fresh) : ts.createSourceFile(path, file.text, how);
  };

  const program = ts.createProgram([...files.keys(), join(root, "test/docs/prelude.ts")], relaxed, host);
  return [...files].flatMap(([path, { block }]) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((problem) => {
      const line = source?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? 0;
      const [file, first] = block.place.split(":");
      return `${file}:${Number(first) + line} ${ts.flattenDiagnosticMessageText(problem.messageText, " ")}`;
    });
  });
}

describe("the guides and the examples of the doc comments", () => {
  it("compile, every block of them", { timeout: 180_000 }, () => {
    // A block that must be found wrong shows that the others are looked at.
    const wrong = blocksOf(
      "wrong.md",
      "# Wrong\n\n```ts\nconst { vpaLst } = await api.verification.findVpas({});\n```\n",
    );
    expect(exampleBlocks().length).toBeGreaterThan(30);
    const problems = problemsOf([...blocks(), ...exampleBlocks(), ...wrong]);
    expect(problems.filter((problem) => problem.startsWith("wrong.md:4 "))).toHaveLength(2);
    expect(problems.filter((problem) => !problem.startsWith("wrong.md:"))).toEqual([]);
  });
});
