/** Warns before a run if the build is older than the source: the project `built` uses it. */
import { globSync, statSync } from "node:fs";

const builtAt = statSync("dist/index.js", { throwIfNoEntry: false })?.mtimeMs ?? 0;

export default function setup(): void {
  const newer = globSync("src/**/*.ts").find((file) => statSync(file).mtimeMs > builtAt);
  if (newer !== undefined) console.warn(`dist/ is older than ${newer}: npm run build, or some tests run the old code.`);
}
