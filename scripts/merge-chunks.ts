/**
 * Merges the chunks of `dist` into few files, because each one costs a program that imports the package a third of a
 * millisecond: tsup writes one for every set of entry points that share a module. Writes both formats.
 *
 *   npx tsx scripts/merge-chunks.ts
 */
import { chmodSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { transformSync } from "esbuild";
import { type GetModuleInfo, type OutputOptions, type RollupBuild, type RollupOutput, rollup } from "rollup";
import { markInitializersPure } from "./pure-initializers.ts";
import { reachableFrom } from "./reachable.ts";
import { withoutComments } from "./without-comments.ts";

const dist = resolve("dist");
const built = globSync("**/*.js", { cwd: dist });
/** The names of tsup's chunks, and of the modules that are loaded later, end in a hash. */
const hashed = /-[A-Z0-9]{8}\.js$/;
/** Refuses an old runtime, in the file that all others import: see `markCheckPure`. */
const check = "check-runtime";
const entries = Object.fromEntries(
  built
    .map((file) => file.replace(/\.js$/, ""))
    .filter((name) => !hashed.test(`${name}.js`) && name !== check)
    .map((name) => [name, resolve(dist, `${name}.js`)]),
);
const command = "cli/main";
/** Those that users do not import. */
const inner = ["errors", command];

/** Whether the module is loaded with an entry point. */
type ReachedFrom = (entry: string) => boolean;

/**
 * The shared files, from the bottom up: a module goes into the first one whose entry points reach it. Each imports only
 * those above it. A module in none of them stays in a file for its own set of entry points.
 */
const layers: readonly (readonly [name: string, holds: (from: ReachedFrom, later: ReachedFrom) => boolean])[] = [
  ["errors", (from) => from("errors") || from(check)],
  ["shared", (from) => from("webhooks") && (from("core") || from("flights"))],
  ["shared", (from) => from("flights") && (from("flights/rule-text") || (from("flights/forms") && from("core")))],
  ["pipeline", (from) => from("webhooks")],
  ["operations", (from) => from("core") || (from("index") && ["ai", "verification", "flights", "emulator"].some(from))],
  ["journal", (from) => from("flights") && from("node")],
  // Without the schemas of flights: esbuild keeps a file that is loaded later whole, and a look-up would carry them.
  ["validation", (from, later) => from("emulator") && later("flights") && later("verification")],
];

const checkFirst = `import ${JSON.stringify(resolve(dist, `${check}.js`))};\n`;
const reaches = new Map<string, ReadonlySet<string>>();

const library = await bundleOf(Object.fromEntries(Object.entries(entries).filter(([name]) => name !== command)));
// The command loads much of the library later, piece by piece, and would cut its files into as many. So Rollup first
// divides the library as if there were no command, and each module keeps its file. The root is one file with what it
// exports; as one file, `verification` would be carried whole by a bundle that loads a part of it later.
const chunkOf = new Map<string, string>();
const withoutCommand = await library.generate({ ...outputOf("js"), manualChunks: layerOf });
await library.close();
for (const file of withoutCommand.output) {
  if (file.type === "asset") continue;
  const name = file.name.replaceAll("/", "-");
  for (const id of file.moduleIds) if (!isEntryPoint(id) || name === "index") chunkOf.set(id, name);
}

const bundle = await bundleOf(entries);
const manualChunks = (id: string) => chunkOf.get(id);
for (const file of globSync("**/*.{js,cjs}", { cwd: dist })) rmSync(resolve(dist, file));
const modules = await bundle.write({ ...outputOf("js"), manualChunks });
for (const file of loadedOnlyBy(`${command}.js`, modules.output)) minify(resolve(dist, file));
// `import()` becomes `require()`: it fails in Jest, which runs CommonJS in a `vm` context.
const commonJs = await bundle.write({
  ...outputOf("cjs"),
  manualChunks,
  exports: "named",
  dynamicImportInCjs: false,
});
// A command is started, not required.
for (const file of loadedOnlyBy(`${command}.cjs`, commonJs.output)) rmSync(resolve(dist, file));
chmodSync(resolve(dist, `${command}.js`), 0o755);

/**
 * Minifies what only the command loads: nobody steps through it, and its errors are those of the library. The entry point
 * stays as it is, because an old Node has to be able to read it.
 */
function minify(file: string): void {
  if (isEntryPoint(file)) return;
  const { code } = transformSync(readFileSync(file, "utf8"), { minify: true, format: "esm", target: "es2022" });
  writeFileSync(file, code);
}

/** Returns the entry point, and the chunks that no other one loads, at once or later. */
function loadedOnlyBy(entry: string, output: RollupOutput["output"]): readonly string[] {
  const chunks = output.filter((file) => file.type === "chunk");
  const others = chunks.filter(({ fileName, isEntry }) => isEntry && fileName !== entry);
  const loaded = reachableFrom(others, ({ imports, dynamicImports }) =>
    chunks.filter(({ fileName }) => imports.includes(fileName) || dynamicImports.includes(fileName)),
  );
  return chunks.filter((chunk) => !loaded.has(chunk)).map(({ fileName }) => fileName);
}

function bundleOf(input: Readonly<Record<string, string>>): Promise<RollupBuild> {
  return rollup({
    input,
    external: ["msw", "@opentelemetry/api", /^node:/],
    plugins: [
      {
        name: "check-first",
        transform: (code, id) => (isPublic(id) ? { code: `${checkFirst}${code}`, map: null } : null),
      },
      { name: "mark-pure", transform: (code) => ({ code: markInitializersPure(code), map: null }) },
      // The declarations have the doc comments: a second copy in each format is a tenth of what is downloaded.
      { name: "leave-out-comments", renderChunk: (code) => markCheckPure(withoutComments(code)) },
    ],
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
}

/** Lets a bundler leave out the check of the runtime: there the constructors refuse. Node makes it. */
function markCheckPure(code: string): string {
  return code.replace(/^(?=refuseOldRuntime\(\);$)/m, "/* @__PURE__ */ ");
}

function outputOf(extension: "js" | "cjs"): OutputOptions {
  return {
    dir: dist,
    format: extension === "js" ? "es" : "cjs",
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: ({ name }) => `chunks/${name.replace(/-[A-Z0-9]{8}$/, "")}.${extension}`,
  };
}

function layerOf(id: string, { getModuleInfo }: { readonly getModuleInfo: GetModuleInfo }): string | undefined {
  if (isEntryPoint(id)) return undefined;
  const from = (entry: string) => reached(entry, getModuleInfo).has(id);
  const later = (entry: string) => reached(entry, getModuleInfo, { later: true }).has(id);
  return layers.find(([, holds]) => holds(from, later))?.[0];
}

function isPublic(id: string): boolean {
  return isEntryPoint(id) && !inner.some((name) => entries[name] === id);
}

function isEntryPoint(id: string): boolean {
  return Object.values(entries).includes(id);
}

/** Returns the modules that are loaded with an entry point, at once, or also later. */
function reached(entry: string, getModuleInfo: GetModuleInfo, { later = false } = {}): ReadonlySet<string> {
  const key = `${entry} ${later}`;
  const known = reaches.get(key);
  if (known !== undefined) return known;
  const ids = reachableFrom([resolve(dist, `${entry}.js`)], (id) => {
    const { importedIds = [], dynamicallyImportedIds = [] } = getModuleInfo(id) ?? {};
    return later ? [...importedIds, ...dynamicallyImportedIds] : importedIds;
  });
  reaches.set(key, ids);
  return ids;
}
