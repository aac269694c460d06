/** The built package, divided into fewer files, to see what each file costs when it is imported. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type TransformOptions, transform } from "esbuild";
import { type GetModuleInfo, rollup } from "rollup";

const entry = fileURLToPath(import.meta.resolve("serviceapi"));
const minified: TransformOptions = { minify: true, format: "esm", target: "es2022" };

/**
 * Writes the root entry point into a folder, with all that it imports at the start in that many files of about the same
 * size, and returns the path of the first. What is loaded later stays in separate files.
 */
export async function writeInFiles(folder: string, count: number, { minify = false } = {}): Promise<string> {
  const fileOf = new Map<string, string>();
  const bundle = await rollup({
    input: entry,
    external: /^node:/,
    // Those that are loaded later import what they share from the entry point, instead of from one more file.
    preserveEntrySignatures: "allow-extension",
    onLog: () => {},
    plugins: minify ? [{ name: "minify", renderChunk: (code) => transform(code, minified) }] : [],
  });
  await bundle.write({
    dir: folder,
    entryFileNames: "entry.js",
    chunkFileNames: "[name].js",
    hoistTransitiveImports: false,
    manualChunks(id, { getModuleInfo }) {
      if (fileOf.size === 0) divide(getModuleInfo, count, fileOf);
      return fileOf.get(id);
    },
  });
  await bundle.close();
  return join(folder, "entry.js");
}

/** Names the file of each module. They are in the order of execution, so a file imports only those before it. */
function divide(getModuleInfo: GetModuleInfo, count: number, fileOf: Map<string, string>): void {
  const modules = inOrder(entry, getModuleInfo);
  const sizeOf = (id: string) => getModuleInfo(id)?.code?.length ?? 0;
  const total = modules.reduce((sum, id) => sum + sizeOf(id), 0);
  let before = 0;
  for (const id of modules) {
    // By the middle of the module, so that the last one is in the last file, and a large one does not fill two.
    fileOf.set(id, `part-${Math.floor((count * (before + sizeOf(id) / 2)) / total)}`);
    before += sizeOf(id);
  }
}

function inOrder(id: string, getModuleInfo: GetModuleInfo, seen = new Set<string>()): string[] {
  if (seen.has(id)) return [];
  seen.add(id);
  const info = getModuleInfo(id);
  if (info === null || info.isExternal) return [];
  return [...info.importedIds.flatMap((imported) => inOrder(imported, getModuleInfo, seen)), id];
}
