/**
 * Measures the size of a user's bundle, minified and gzipped, from the built package: at start, and loaded later. Fails
 * if the start exceeds the budget.
 *
 *   npx tsx scripts/size.ts
 */
import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Metafile, type OutputFile } from "esbuild";

/** Kilobytes at start. Later come ky (9) with the first retry, and zod (8) with the first value that does not pass. */
const budgets: readonly Budget[] = [
  {
    code: `export * from "serviceapi"`,
    limit: 44.5,
    without: ["parse5", "htmlparser2", "temporal", "tldts", "__emulator"],
  },
  { code: `export { Client } from "serviceapi/core"; export { findVpas } from "serviceapi/verification"`, limit: 21 },
  {
    code: `export { Client } from "serviceapi/core"; export { findVpas } from "serviceapi/verification"; export { Ai } from "serviceapi/ai"`,
    limit: 28,
  },
  { code: `export * from "serviceapi/flights"`, limit: 62, without: ["htmlparser2"] },
  { code: `export * from "serviceapi/webhooks"`, limit: 17.5, without: ["globalThis.fetch", "NetworkError", "ipaddr"] },
  { code: `export { RateLimitError } from "serviceapi"`, limit: 2 },
  { code: `export { isServiceApiError } from "serviceapi"`, limit: 2 },
];

interface Budget {
  readonly code: string;
  readonly limit: number;
  /** Words that must not be in the bundle. */
  readonly without?: readonly string[];
}

let failed = false;
const table = await Promise.all(
  budgets.map(async ({ code, limit, without = [] }) => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: code, resolveDir: "." },
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
      bundle: code.replaceAll(/export |from |;/g, "").replaceAll('"', ""),
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
