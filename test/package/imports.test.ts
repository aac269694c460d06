import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { paths } = JSON.parse(readFileSync(`${root}tsconfig.json`, "utf8")).compilerOptions as {
  paths: Record<string, [string]>;
};

/** The modules of Node that an entry point imports, at once or later: a bundler for browsers takes neither. */
async function nodeModulesOf(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: "out",
    write: false,
    metafile: true,
    external: ["node:*", ...builtinModules, "msw", "@opentelemetry/api"],
    logLevel: "silent",
  });
  const outputs = new Map(Object.entries(metafile.outputs));
  const seen = new Set<string>();
  const visit = (name: string) => {
    seen.add(name);
    for (const { path } of outputs.get(name)?.imports ?? []) if (!seen.has(path)) visit(path);
  };
  for (const [name, { entryPoint }] of outputs) if (entryPoint === entry.replace("./", "")) visit(name);
  expect(seen.size).toBeGreaterThan(0);
  return [...seen].filter((name) => name.startsWith("node:") || builtinModules.includes(name));
}

const forNode = ["serviceapi/node"];

describe("an entry point loads no module of Node", () => {
  it.each(Object.entries(paths).filter(([name]) => !forNode.includes(name)))("%s", async (_name, [entry]) => {
    expect(await nodeModulesOf(entry)).toEqual([]);
  });

  it.each([
    ["serviceapi/node", "node:fs/promises"],
    ["serviceapi/node", "node:tls"],
  ])("but %s, which is for Node", async (name, module) => {
    const loaded = await nodeModulesOf(paths[name]?.[0] ?? "");
    expect(loaded).toContain(module);
    // As an ES module it would load undici, too.
    expect(loaded).not.toContain("node:http");
  });
});

/** The files of `dist` that a file loads at once. */
function filesOf(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = readFileSync(join(root, "dist", file), "utf8").matchAll(
    /^(?:import|export) (?:.* from )?['"](\..*)['"];$/gm,
  );
  for (const [, path = ""] of imports) filesOf(join(dirname(file), path), seen);
  return seen;
}

it.each([
  ["index.js", 12],
  ["core.js", 6],
  ["webhooks.js", 5],
  ["flights.js", 12],
  ["node.js", 8],
  ["errors.js", 2],
])("%s loads at most %i files, whatever the command loads later", (file, limit) => {
  const files = filesOf(file);
  expect(files.size).toBeGreaterThan(1);
  expect(files.size).toBeLessThanOrEqual(limit);
});

it.each(["chunks/open-stream.js", "chunks/retries.js", "chunks/validation.js"])(
  "%s, which the library loads later, does not load the emulator",
  (file) => {
    expect(filesOf(file)).not.toContain("chunks/emulator.js");
    expect(filesOf("emulator.js")).toContain("chunks/emulator.js");
  },
);
