/**
 * Measures the size of a user's bundle, minified and gzipped, from the built package: at start, and loaded later (ky,
 * with the first retry). Fails if it exceeds the budget.
 *
 *   npx tsx scripts/size.ts
 */
import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type OutputFile } from "esbuild";

/** Kilobytes. Of "serviceapi", zod/mini with its compiler and eventsource-parser are 17. */
const budgets: ReadonlyArray<{ readonly entry: string; readonly limit: number; readonly without: readonly string[] }> =
  [
    { entry: "serviceapi", limit: 67.5, without: ["parse5", "htmlparser2", "temporal", "tldts", "__emulator"] },
    { entry: "serviceapi/verification", limit: 23, without: ["parse5", "htmlparser2"] },
    { entry: "serviceapi/flights", limit: 57.5, without: ["htmlparser2"] },
    { entry: "serviceapi/webhooks", limit: 17.4, without: ["globalThis.fetch", "NetworkError", "ipaddr"] },
  ];

let failed = false;
const table = await Promise.all(
  budgets.map(async ({ entry, limit, without }) => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: `export * from "${entry}";`, resolveDir: "." },
      bundle: true,
      minify: true,
      splitting: true,
      format: "esm",
      platform: "neutral",
      external: ["node:*"],
      outdir: "out",
      write: false,
      metafile: true,
      logLevel: "error",
      // Without the paths of tsconfig.json, which point to the source.
      tsconfigRaw: {},
    });
    const atStart = loadedAtStart(metafile);
    const isAtStart = ({ path }: { path: string }) => atStart.has(relative(".", path));
    const start = outputFiles.filter(isAtStart);
    const later = outputFiles.filter((file) => !isAtStart(file));
    const stowaways = without.filter((word) => start.some(({ text }) => text.includes(word)));
    if (kilobytes(start) > limit || stowaways.length > 0) failed = true;
    return {
      entry,
      "KB gzipped": kilobytes(start),
      budget: limit,
      later: kilobytes(later),
      "must not hold": stowaways.join(" ") || "✓",
    };
  }),
);
console.table(table);
if (failed) process.exitCode = 1;

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

function kilobytes(files: readonly OutputFile[]): number {
  const bytes = files.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0);
  return Number((bytes / 1024).toFixed(1));
}
