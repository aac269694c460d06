/**
 * Exits with code 0 if `dist` is as new as all that it is made from, so that suites that run one after another build once.
 */
import { globSync, statSync } from "node:fs";

const timeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
/** A build writes the first when it begins (tsup.config.ts), and the second when it has ended. */
const [begun, ended] = [timeOf("reports/build-begun"), timeOf("sbom.json")];
// The folders too: a file that was removed changes their time.
const sources = [
  "package-lock.json",
  "package.json",
  "tsconfig.json",
  "tsup.config.ts",
  ...globSync("{src,scripts}/**"),
];
if (ended < begun || timeOf("dist/index.js") === 0 || sources.some((file) => timeOf(file) > begun))
  process.exitCode = 1;
