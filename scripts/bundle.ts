import { builtinModules } from "node:module";
import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type OutputFile } from "esbuild";
import { reachableFrom } from "./reachable.ts";

/** The bundle of a user's module, minified: the files that it loads at start, and those that it loads later. */
export interface Bundle {
  readonly start: readonly OutputFile[];
  readonly later: readonly OutputFile[];
}

/** Bundles a module as a user of the built package would. */
export async function bundle(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await buildModule(contents, true);
  const reached = reachedFrom(metafile, ["import-statement"]);
  const everything = reachedFrom(metafile, ["import-statement", "dynamic-import"]);
  // One file if nothing is loaded later: esbuild splits for every import() that it has seen, also in code that it
  // drops.
  if (reached.size === everything.size) {
    return { start: await inOneFile(contents), later: [] };
  }
  const isIn = (files: ReadonlySet<string>) => (file: OutputFile) => files.has(relative(".", file.path));
  const start = outputFiles.filter(isIn(reached));
  return { start, later: outputFiles.filter((file) => isIn(everything)(file) && !start.includes(file)) };
}

/** Bundles a module with all that it may load later, as a bundler without splitting does. */
export async function inOneFile(contents: string): Promise<readonly OutputFile[]> {
  return (await buildModule(contents, false)).outputFiles;
}

/** The bytes of each source in a bundle: of what is loaded at the start, and of all of it in one file. */
export async function sizesBySource(contents: string): Promise<Record<"eager" | "whole", ReadonlyMap<string, number>>> {
  const [split, { metafile: whole }] = await Promise.all([buildModule(contents, true), buildModule(contents, false)]);
  const isEager = reachedFrom(split.metafile, ["import-statement"]);
  const sizes = ({ outputs }: Metafile, isCounted: (file: string) => boolean) => {
    const inputs = Object.entries(outputs).flatMap(([file, { inputs }]) =>
      isCounted(file) ? Object.entries(inputs) : [],
    );
    return new Map(inputs.map(([source, { bytesInOutput }]) => [source, bytesInOutput]));
  };
  return { eager: sizes(split.metafile, (file) => isEager.has(file)), whole: sizes(whole, () => true) };
}

function buildModule(contents: string, splitting: boolean) {
  return build({
    stdin: { contents, resolveDir: "." },
    bundle: true,
    minify: true,
    splitting,
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
}

/** Kilobytes of files after gzip. */
export function gzippedKilobytes(files: readonly OutputFile[]): number {
  const bytes = files.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0);
  return Number((bytes / 1024).toFixed(1));
}

/** Returns the files that are reached from the entry point by imports of these kinds. */
function reachedFrom({ outputs }: Metafile, kinds: readonly string[]): ReadonlySet<string> {
  const entry = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === "<stdin>");
  const importedBy = (name: string) => (outputs[name]?.imports ?? []).filter(({ kind }) => kinds.includes(kind));
  return reachableFrom(entry, (name) => importedBy(name).map(({ path }) => path));
}
