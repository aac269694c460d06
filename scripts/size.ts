/**
 * Measures the size of a user's bundle, minified and gzipped, from the built package: at start, and loaded later. Fails
 * if the start exceeds the budget.
 *
 *   npx tsx scripts/size.ts
 */
import { bundle, gzippedKilobytes } from "./bundle.ts";

interface Budget {
  readonly code: string;
  readonly limit: number;
  /** Words that must not be in the bundle. */
  readonly without?: readonly string[];
}

const core = `export { Client } from "serviceapi/core"; export { findVpas } from "serviceapi/verification";`;

/** Kilobytes at start. Later come ky (9) with the first retry, and zod (8) with the first value that does not pass. */
const budgets: readonly Budget[] = [
  {
    code: `export * from "serviceapi";`,
    limit: 54.2,
    without: ["parse5", "htmlparser2", "temporal", "tldts", "__emulator"],
  },
  { code: core, limit: 27.5 },
  { code: `${core} export { Ai } from "serviceapi/ai";`, limit: 34.9 },
  { code: `export * from "serviceapi/flights";`, limit: 60.4, without: ["htmlparser2"] },
  {
    code: `export * from "serviceapi/webhooks";`,
    limit: 19.9,
    without: ["globalThis.fetch", "NetworkError", "ipaddr"],
  },
  { code: `export { RateLimitError } from "serviceapi";`, limit: 2 },
  { code: `export { isServiceApiError } from "serviceapi";`, limit: 2 },
  // A helper from among checks and schemas, which a bundler has to know to be without effect.
  { code: `export { readMoney } from "serviceapi/flights";`, limit: 1 },
];

let failed = false;
const table = await Promise.all(
  budgets.map(async ({ code, limit, without = [] }) => {
    const { start, later } = await bundle(code);
    const stowaways = without.filter((word) => start.some(({ text }) => text.includes(word)));
    if (gzippedKilobytes(start) > limit || stowaways.length > 0) failed = true;
    return {
      bundle: code.replaceAll(/export |from |[;"{}]/g, "").replaceAll(/ +/g, " "),
      "KB gzipped": gzippedKilobytes(start),
      budget: limit,
      later: gzippedKilobytes(later),
      "must not hold": stowaways.join(" ") || "✓",
    };
  }),
);
console.table(table);
if (failed) process.exitCode = 1;
