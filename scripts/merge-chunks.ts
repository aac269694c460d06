/**
 * Merges the chunks of `dist` into few files, because each one costs a program that imports the package a third of a
 * millisecond: tsup writes one for every set of entry points that share a module. Writes both formats.
 *
 *   npx tsx scripts/merge-chunks.ts
 */
import { chmodSync, globSync, rmSync } from "node:fs";
import { relative, resolve } from "node:path";
import { type GetModuleInfo, type OutputOptions, type RollupOutput, rollup } from "rollup";
import { markInitializersPure } from "./pure-initializers.ts";
import { withoutComments } from "./without-comments.ts";

const dist = resolve("dist");
const built = globSync("**/*.js", { cwd: dist });
/** The names of tsup's chunks, and of the modules that are loaded later, end in a hash. */
const hashed = /-[A-Z0-9]{8}\.js$/;
const entries = Object.fromEntries(
  built.filter((file) => !hashed.test(file)).map((file) => [file.replace(/\.js$/, ""), resolve(dist, file)]),
);
const command = "cli/main";

/**
 * The shared files, from the bottom up: a module goes into the first one whose entry points reach it. Each imports only
 * those above it. A module in none of them stays in a file for its own set of entry points.
 */
const layers: readonly (readonly [name: string, holds: (reachedFrom: (entry: string) => boolean) => boolean])[] = [
  ["errors", (from) => from("errors")],
  ["shared", (from) => from("webhooks") && (from("core") || from("flights"))],
  ["pipeline", (from) => from("webhooks")],
  ["operations", (from) => from("verification") && (from("core") || from("ai"))],
  ["client", (from) => from("core")],
  ["responses", (from) => from("ai")],
  ["booking", (from) => from("flights") && from("index")],
];

const reaches = new Map<string, ReadonlySet<string>>();
const fileNames = new Map<string, string>();

const bundle = await rollup({
  input: entries,
  external: ["msw", /^node:/],
  plugins: [
    { name: "mark-pure", transform: (code) => ({ code: markInitializersPure(code), map: null }) },
    // The declarations have the doc comments: a second copy in each format is a tenth of what is downloaded.
    { name: "leave-out-comments", renderChunk: (code) => withoutComments(code) },
  ],
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
});
const shared: OutputOptions = { dir: dist, hoistTransitiveImports: false, minifyInternalExports: false, manualChunks };
const names = (extension: string): OutputOptions => ({
  entryFileNames: `[name].${extension}`,
  chunkFileNames: ({ name }) => `chunks/${name.replace(/-[A-Z0-9]{8}$/, "")}.${extension}`,
});

for (const file of globSync("**/*.{js,cjs}", { cwd: dist })) rmSync(resolve(dist, file));
await bundle.write({ ...shared, ...names("js"), format: "es" });
// `import()` becomes `require()`: it fails in Jest, which runs CommonJS in a `vm` context.
const commonJs: OutputOptions = { format: "cjs", exports: "named", dynamicImportInCjs: false };
const { output } = await bundle.write({ ...shared, ...names("cjs"), ...commonJs });
// A command is started, not required.
for (const file of loadedOnlyBy(`${command}.cjs`, output)) rmSync(resolve(dist, file));
chmodSync(resolve(dist, `${command}.js`), 0o755);

/** Returns the entry point, and the chunks that no other one loads, at once or later. */
function loadedOnlyBy(entry: string, output: RollupOutput["output"]): readonly string[] {
  const chunks = new Map(output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file] as const] : [])));
  const loaded = new Set<string>();
  const load = (file: string) => {
    const chunk = chunks.get(file);
    if (chunk === undefined || loaded.has(file)) return;
    loaded.add(file);
    for (const imported of [...chunk.imports, ...chunk.dynamicImports]) load(imported);
  };
  for (const { fileName, isEntry } of chunks.values()) if (isEntry && fileName !== entry) load(fileName);
  return [...chunks.keys()].filter((file) => !loaded.has(file));
}

function manualChunks(id: string, { getModuleInfo }: { readonly getModuleInfo: GetModuleInfo }): string | undefined {
  if (Object.values(entries).includes(id)) return undefined;
  const isReachedFrom = (entry: string) => reached(resolve(dist, `${entry}.js`), getModuleInfo).has(id);
  return layers.find(([, holds]) => holds(isReachedFrom))?.[0] ?? libraryFile(id, getModuleInfo);
}

/**
 * The file of a module that the command shares with entry points. It is chosen as if there were no command, which loads
 * much of the library later, piece by piece, and would cut its files into as many.
 */
function libraryFile(id: string, getModuleInfo: GetModuleInfo): string | undefined {
  const holding = (roots: readonly string[]) => roots.filter((root) => reached(root, getModuleInfo).has(id));
  const library = Object.entries(entries).flatMap(([name, file]) => (name === command ? [] : [file]));
  const atOnce = holding(library);
  const roots = atOnce.length > 0 ? atOnce : holding(loadedLater(library, getModuleInfo));
  const isOfCommand = reached(resolve(dist, `${command}.js`), getModuleInfo, { later: true }).has(id);
  return isOfCommand && roots.length > 0 ? nameOf(roots) : undefined;
}

/** Returns what `import()` loads, from these files on. */
function loadedLater(files: readonly string[], getModuleInfo: GetModuleInfo): readonly string[] {
  const modules = files.flatMap((file) => [...reached(file, getModuleInfo, { later: true })]);
  return [...new Set(modules.flatMap((id) => getModuleInfo(id)?.dynamicallyImportedIds ?? []))];
}

/** Returns the name of a file, one for each set of entry points, such as `flights` or `flights-forms`. */
function nameOf(roots: readonly string[]): string {
  const key = roots.join();
  const [first = ""] = roots.map((root) => relative(dist, root).replace(/(?:-[A-Z0-9]{8})?\.js$/, ""));
  const plain = first.replaceAll(/[\\/]/g, "-");
  const name = fileNames.get(key) ?? (roots.length === 1 ? plain : `${plain}-and-${roots.length - 1}-more`);
  const isTaken = [...fileNames].some(([other, taken]) => taken === name && other !== key);
  fileNames.set(key, isTaken ? `${name}-${fileNames.size}` : name);
  return fileNames.get(key) ?? name;
}

/** Returns the modules that are loaded with a file, at once, or also later. */
function reached(file: string, getModuleInfo: GetModuleInfo, { later = false } = {}): ReadonlySet<string> {
  const key = `${file} ${later}`;
  const known = reaches.get(key);
  if (known !== undefined) return known;
  const seen = new Set<string>();
  const visit = (id: string) => {
    if (seen.has(id)) return;
    seen.add(id);
    const { importedIds = [], dynamicallyImportedIds = [] } = getModuleInfo(id) ?? {};
    for (const imported of importedIds) visit(imported);
    if (later) for (const imported of dynamicallyImportedIds) visit(imported);
  };
  visit(file);
  reaches.set(key, seen);
  return seen;
}
