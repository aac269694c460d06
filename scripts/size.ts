/**
 * Measures the size of a user's bundle, minified and gzipped, from the built package: at start, and loaded later (ky, with
 * the first retry). Fails if it exceeds the budget.
 *
 *   npx tsx scripts/size.ts
 */
import { bundle, gzippedKilobytes } from "./bundle.ts";

/** Kilobytes. Of "serviceapi", zod/mini with its compiler and eventsource-parser are 17. */
const budgets: ReadonlyArray<{ readonly entry: string; readonly limit: number; readonly without: readonly string[] }> =
  [
    { entry: "serviceapi", limit: 67.5, without: ["parse5", "htmlparser2", "temporal", "tldts", "__emulator"] },
    { entry: "serviceapi/verification", limit: 23, without: ["parse5", "htmlparser2"] },
    { entry: "serviceapi/flights", limit: 57.5, without: ["htmlparser2"] },
    { entry: "serviceapi/webhooks", limit: 17.5, without: ["globalThis.fetch", "NetworkError", "ipaddr"] },
  ];

let failed = false;
const table = await Promise.all(
  budgets.map(async ({ entry, limit, without }) => {
    const { start, later } = await bundle(`export * from "${entry}";`);
    const stowaways = without.filter((word) => start.some(({ text }) => text.includes(word)));
    if (gzippedKilobytes(start) > limit || stowaways.length > 0) failed = true;
    return {
      entry,
      "KB gzipped": gzippedKilobytes(start),
      budget: limit,
      later: gzippedKilobytes(later),
      "must not hold": stowaways.join(" ") || "✓",
    };
  }),
);
console.table(table);
if (failed) process.exitCode = 1;
