/**
 * `npm run fuzz [-- --minutes 5] [name …] [--save]`: runs the properties of test/fuzz with random inputs, on all cores,
 * until the time is over or one breaks, and counts the inputs. An input that breaks one is kept in test/fuzz/found, and
 * `npm test` tries it again; the seed of one that blocks its process is run once more to find it. `--save` writes the
 * total of a run of all properties into docs/security.md.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { type Found, writeFound } from "../test/fuzz/found.ts";
import { conditions, replacePart } from "./saved-results.ts";

/** A property in one round, as test/fuzz/property.ts writes it: when it begins, and when it has ended. */
interface Tally {
  readonly file: string;
  readonly property: string;
  readonly seed: number;
  readonly pid: number;
  /** Number of inputs; undefined when it begins. */
  readonly inputs?: number;
}

const { values, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "5" }, save: { type: "boolean", default: false } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error("--minutes must be a number above 0.");
if (values.save && positionals.length > 0) throw new Error("--save is for a run of all properties, without names.");
const counts = globSync("test/fuzz/*.test.ts")
  .map((file) => ({ file, count: (readFileSync(file, "utf8").match(/^ +property\(/gm) ?? []).length }))
  .filter(({ count }) => count > 0)
  .filter(({ file }) => positionals.length === 0 || positionals.includes(basename(file, ".test.ts")));
if (counts.length === 0) throw new Error(`No file of test/fuzz is called ${positionals.join(" or ")}.`);
const files = counts.map(({ file }) => file);
const count = counts.reduce((sum, one) => sum + one.count, 0);
const cores = Math.min(availableParallelism(), files.length);
const folder = mkdtempSync(join(tmpdir(), "serviceapi-fuzz-"));
const tally = join(folder, "inputs.jsonl");
writeFileSync(tally, "");
const measured = conditions(["src", "test", "scripts"]);
const end = Date.now() + minutes * 60_000;
let status = 0;
for (let round = 1; status === 0 && Date.now() < end; round++) {
  // A round gives each property its time, ten seconds at most, and the next one begins with other seeds.
  const each = Math.ceil(Math.min(10_000, Math.max(500, ((end - Date.now()) * cores) / count)));
  console.log(`Round ${round}: ${count} properties, ${each} ms each`);
  const env = { ...process.env, SERVICEAPI_FUZZ_MS: String(each), SERVICEAPI_FUZZ_TALLY: tally };
  const options = ["run", ...files];
  // An input that blocks its process lets no timeout of the tests fire. One process may run all properties.
  const timeout = each * count + 180_000;
  status = spawnSync("vitest", options, { stdio: "inherit", env, timeout }).status ?? 1;
  if (status !== 0) for (const blocked of endBlocked(tally)) keepBlocking(blocked, each);
}
const tallies = readTally(tally);
rmSync(folder, { recursive: true });
const properties = new Set(tallies.map(({ file, property }) => `${file} ${property}`)).size;
const inputs = tallies.reduce((sum, one) => sum + (one.inputs ?? 0), 0).toLocaleString("en");
const total = `${properties} properties and ${inputs} inputs in ${minutes} minutes`;
console.log(total);
if (values.save && status === 0)
  replacePart("docs/security.md", "fuzz", `${measured}: ${total}, and no property broke.`);
process.exitCode = status;

function readTally(path: string): readonly Tally[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Tally => JSON.parse(line));
}

/** Ends the processes of the properties that have begun and not ended, and returns these. */
function endBlocked(path: string): readonly Tally[] {
  const keyOf = ({ file, property, pid }: Tally) => `${file} ${property} ${pid}`;
  const lines = readTally(path);
  const ended = new Set(lines.filter(({ inputs }) => inputs !== undefined).map(keyOf));
  const blocked = lines.filter((line) => !ended.has(keyOf(line)));
  for (const { pid } of blocked) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended with vitest.
    }
  }
  return blocked;
}

/** Tries the inputs of a seed again, each written down before it is tried: the last one is the one that blocks. */
function keepBlocking({ file, property, seed }: Tally, each: number): void {
  console.error(`${file}: "${property}" did not end (seed ${seed}). Trying its inputs again.`);
  const latest = join(folder, "latest.json");
  const second = join(folder, "second.jsonl");
  writeFileSync(second, "");
  const env = {
    ...process.env,
    SERVICEAPI_FUZZ_MS: String(3 * each),
    SERVICEAPI_FUZZ_TALLY: second,
    SERVICEAPI_FUZZ_SEED: String(seed),
    SERVICEAPI_FUZZ_LATEST: latest,
  };
  const name = property.replaceAll(/[^\w ]/g, ".");
  const options = ["run", `test/fuzz/${file}.test.ts`, "-t", name];
  spawnSync("vitest", options, { stdio: "ignore", env, timeout: 3 * each + 60_000 });
  if (endBlocked(second).length === 0) {
    console.error("It ended this time.");
  } else if (!existsSync(latest)) {
    console.error("Making its first input already does not end.");
  } else {
    const input = JSON.parse(readFileSync(latest, "utf8")) as Found;
    console.error(`Kept in test/fuzz/found/${writeFound(input)}.`);
  }
}
