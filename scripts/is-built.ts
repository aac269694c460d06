/**
 * Exits with code 0 if `dist` is as new as all that it is made from, so that suites that run one after another build once.
 */
import { globSync, statSync } from "node:fs";

/** The build begins with the first and ends with the second. */
const builtAt = Math.min(
  ...["dist/index.js", "sbom.json"].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0),
);
// The folders too: a file that was removed changes their time.
const sources = [
  "package-lock.json",
  "package.json",
  "tsconfig.json",
  "tsup.config.ts",
  ...globSync("{src,scripts}/**"),
];
if (sources.some((source) => statSync(source).mtimeMs > builtAt)) process.exitCode = 1;
