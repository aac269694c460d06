import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { variant } from "./shared/variants.mjs";

for (const [name, file] of [
  ["ESM", "esm.test.mjs"],
  ["CommonJS", "commonjs.test.cjs"],
]) {
  await variant(name, () =>
    promisify(execFile)(process.execPath, ["--test", file]).catch(({ stdout }) => {
      throw stdout;
    }),
  );
}
