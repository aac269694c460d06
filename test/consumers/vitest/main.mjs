import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { variant } from "./shared/variants.mjs";

for (const environment of ["node", "jsdom"]) {
  await variant(environment, () =>
    promisify(execFile)(process.execPath, [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--environment",
      environment,
    ]).catch(({ stdout, stderr }) => {
      throw `${stdout}${stderr}`;
    }),
  );
}
