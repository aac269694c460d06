import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

describe("the runtimes of the emulator", () => {
  it("loads no module of Node before listen() is called, so that fetch works on every runtime", async () => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL("../../src/emulator/emulator.ts", import.meta.url))],
      bundle: true,
      splitting: true,
      format: "esm",
      outdir: "out",
      write: false,
      metafile: true,
      external: ["node:*"],
      logLevel: "silent",
    });
    const outputs = new Map(Object.entries(metafile.outputs));
    const entry = [...outputs.keys()].find((name) => name.endsWith("/emulator.js")) ?? "";
    const seen = new Set<string>();
    const visit = (name: string) => {
      seen.add(name);
      for (const { path, kind } of outputs.get(name)?.imports ?? []) {
        if (kind === "import-statement" && !seen.has(path)) visit(path);
      }
    };
    visit(entry);
    expect([...seen].filter((name) => name.startsWith("node:"))).toEqual([]);
    const all = [...outputs.values()].flatMap(({ imports }) => imports.map(({ path }) => path));
    expect(all).toContain("node:http");
  });
});
