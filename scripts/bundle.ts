import { builtinModules } from "node:module";
import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type OutputFile } from "esbuild";

/** The bundle of a user's module, minified: the files that it loads at start, and those that it loads later. */
export interface Bundle {
  readonly start: readonly OutputFile[];
  readonly later: readonly OutputFile[];
}

/** Bundles a module as a user of the built package would. */
export async function bundle(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: "." },
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["import"],
    external: ["node:*", ...builtinModules],
    outdir: "out",
    write: false,
    metafile: true,
    logLevel: "error",
    // Without the paths of tsconfig.json, which point to the source.
    tsconfigRaw: {},
  });
  const atStart = loadedAtStart(metafile);
  const isAtStart = ({ path }: OutputFile) => atStart.has(relative(".", path));
  return { start: outputFiles.filter(isAtStart), later: outputFiles.filter((file) => !isAtStart(file)) };
}

/** Kilobytes of files after gzip. */
export function gzippedKilobytes(files: readonly OutputFile[]): number {
  const bytes = files.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0);
  return Number((bytes / 1024).toFixed(1));
}

/** Returns the chunks that the entry point imports, directly or indirectly. */
function loadedAtStart({ outputs }: Metafile): ReadonlySet<string> {
  const seen = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === "import-statement") visit(path);
  };
  for (const [name, { entryPoint }] of Object.entries(outputs)) if (entryPoint === "<stdin>") visit(name);
  return seen;
}
