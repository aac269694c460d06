import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { variant } from "./shared/variants.mjs";

const bun = "node_modules/@oven/bun-linux-x64/bin/bun";
if (!existsSync(bun)) {
  console.log(JSON.stringify({ variant: "Bun 1.4", result: "skipped", output: "installed for Linux x64 alone" }));
} else {
  await variant("Bun 1.4", () =>
    promisify(execFile)(bun, ["test"]).catch(({ stdout, stderr }) => {
      throw `${stdout}${stderr}`;
    }),
  );
}
