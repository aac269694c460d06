import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { variant } from "./shared/variants.mjs";

const deno = "node_modules/@deno/linux-x64-glibc/deno";
const args = ["test", "journeys_test.ts", "--no-prompt", "--cached-only", "--allow-net=127.0.0.1", "--allow-read=."];
if (!existsSync(deno)) {
  console.log(JSON.stringify({ variant: "Deno 2.9", result: "skipped", output: "installed for Linux x64 alone" }));
} else {
  await variant("Deno 2.9", () =>
    promisify(execFile)(deno, args, { env: { ...process.env, DENO_DIR: ".deno" } }).catch(({ stdout, stderr }) => {
      throw `${stdout}${stderr}`;
    }),
  );
}
