/**
 * What a user's bundle pays, minified and gzipped, measured on what was built. Fails beyond the budget.
 *
 *   npx tsx scripts/size.ts
 */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Kilobytes. Of "serviceapi", ky, zod/mini with its compiler and eventsource-parser are 26. */
const budgets: ReadonlyArray<{ readonly entry: string; readonly limit: number; readonly without: readonly string[] }> =
  [
    { entry: "serviceapi", limit: 73, without: ["parse5", "htmlparser2", "temporal", "tldts", "__emulator"] },
    { entry: "serviceapi/verification", limit: 24, without: ["parse5", "htmlparser2"] },
    { entry: "serviceapi/flights", limit: 55, without: ["htmlparser2"] },
    { entry: "serviceapi/webhooks", limit: 17, without: ["globalThis.fetch", "NetworkError", "ipaddr"] },
  ];

let failed = false;
const table = await Promise.all(
  budgets.map(async ({ entry, limit, without }) => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from "${entry}";`, resolveDir: "." },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      external: ["node:*"],
      write: false,
      logLevel: "error",
      // Without the paths of tsconfig.json, which lead to the source.
      tsconfigRaw: {},
    });
    const [file] = outputFiles;
    const code = file?.text ?? "";
    const kilobytes = gzipSync(code).byteLength / 1024;
    const stowaways = without.filter((word) => code.includes(word));
    if (kilobytes > limit || stowaways.length > 0) failed = true;
    return {
      entry,
      "KB gzipped": Number(kilobytes.toFixed(1)),
      budget: limit,
      "must not hold": stowaways.join(" ") || "✓",
    };
  }),
);
console.table(table);
if (failed) process.exitCode = 1;
