/**
 * `npm run fuzz [-- --minutes 5] [name …]`: runs the properties of test/fuzz with random inputs, on all cores, until the
 * time is over or one breaks. An input that breaks one is kept in test/fuzz/found, and `npm test` tries it again.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "5" } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error("--minutes must be a number above 0.");
const files = readdirSync("test/fuzz")
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => positionals.length === 0 || positionals.includes(name.replace(".test.ts", "")))
  .map((name) => `test/fuzz/${name}`);
if (files.length === 0) throw new Error(`No file of test/fuzz is called ${positionals.join(" or ")}.`);

const count = files.flatMap((file) => readFileSync(file, "utf8").match(/^ +property\(/gm) ?? []).length;
const cores = Math.min(availableParallelism(), files.length);
const end = Date.now() + minutes * 60_000;
let status = 0;
for (let round = 1; status === 0 && Date.now() < end; round++) {
  // A round gives each property its time, ten seconds at most, and the next one begins with other seeds.
  const each = Math.ceil(Math.min(10_000, Math.max(500, ((end - Date.now()) * cores) / Math.max(count, 1))));
  console.log(`Round ${round}: ${count} properties, ${each} ms each`);
  const env = { ...process.env, SERVICEAPI_FUZZ_MS: String(each) };
  const options = ["run", ...files, "--typecheck.enabled=false"];
  status = spawnSync("vitest", options, { stdio: "inherit", env }).status ?? 1;
}
process.exitCode = status;
