import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

async function bundle(entry: string) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    outfile: "out.js",
  });
  const [{ contents, text } = expect.unreachable()] = outputFiles;
  return { bytes: gzipSync(contents, { level: 9 }).length, text, inputs: Object.keys(metafile.inputs) };
}

describe("serviceapi/webhooks as a bundler sees it", () => {
  it("is at most 20 KB minified and gzipped, and carries no library but the one that names a misspelt option", async () => {
    const { bytes, inputs } = await bundle("src/webhooks/index.ts");
    expect(bytes).toBeLessThanOrEqual(20 * 1024);
    expect(inputs.filter((file) => file.includes("node_modules"))).toEqual(["node_modules/leven/index.js"]);
    expect(inputs.filter((file) => /transport|client\.ts/.test(file))).toEqual([]);
  });

  it.each([
    "webhooks/index",
    "webhooks/auth/ip-allow-list",
    "webhooks/stores/redis",
    "webhooks/stores/postgres",
    "webhooks/adapters/lambda",
    "webhooks/adapters/node",
    "callback-url/index",
  ])("%s imports no Node module, so that workerd loads it", async (name) => {
    const { text } = await bundle(`src/${name}.ts`);
    expect(text).not.toMatch(/\bimport\s*["'{*]|\bimport\(|\brequire\(/);
  });
});
