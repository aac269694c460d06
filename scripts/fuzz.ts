/**
 * `npm run fuzz [-- --minutes 5] [name …] [--save]`: runs the properties of test/fuzz with random inputs, on all cores,
 * until the time is over or one breaks, and counts the inputs. An input that breaks one is kept in test/fuzz/found, and
 * `npm test` tries it again. `--save` writes the counts of a run of all properties into docs/security.md.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { conditions, markdownTable, replacePart } from "./saved-results.ts";

/** Number of inputs of a property in one round, as test/fuzz/property.ts writes it. */
interface Tally {
  readonly file: string;
  readonly property: string;
  readonly inputs: number;
}

const guide = "docs/security.md";
const marks = ["<!-- fuzz: written by `npm run fuzz -- --save` -->", "<!-- end of fuzz -->"] as const;

const { values, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "5" }, save: { type: "boolean", default: false } },
  allowPositionals: true,
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error("--minutes must be a number above 0.");
if (values.save && positionals.length > 0) throw new Error("--save is for a run of all properties, without names.");
const names = readdirSync("test/fuzz")
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => name.replace(".test.ts", ""))
  .filter((name) => positionals.length === 0 || positionals.includes(name));
if (names.length === 0) throw new Error(`No file of test/fuzz is called ${positionals.join(" or ")}.`);
const files = names.map((name) => `test/fuzz/${name}.test.ts`);

const count = files.flatMap((file) => readFileSync(file, "utf8").match(/^ +property\(/gm) ?? []).length;
const cores = Math.min(availableParallelism(), files.length);
const folder = mkdtempSync(join(tmpdir(), "serviceapi-fuzz-"));
const tally = join(folder, "inputs.jsonl");
writeFileSync(tally, "");
const measured = conditions(["src", "test", "scripts"]);
const end = Date.now() + minutes * 60_000;
let status = 0;
for (let round = 1; status === 0 && Date.now() < end; round++) {
  // A round gives each property its time, ten seconds at most, and the next one begins with other seeds.
  const each = Math.ceil(Math.min(10_000, Math.max(500, ((end - Date.now()) * cores) / Math.max(count, 1))));
  console.log(`Round ${round}: ${count} properties, ${each} ms each`);
  const env = { ...process.env, SERVICEAPI_FUZZ_MS: String(each), SERVICEAPI_FUZZ_TALLY: tally };
  const options = ["run", ...files, "--typecheck.enabled=false"];
  status = spawnSync("vitest", options, { stdio: "inherit", env }).status ?? 1;
}
const table = markdownTable([["file of `test/fuzz`", "properties", "inputs"], ...rowsOf(readTally())]).join("\n");
rmSync(folder, { recursive: true });
console.log(table);
if (values.save && status === 0) {
  replacePart(guide, marks, `${measured}: ${minutes} minutes, and no property broke.\n\n${table}`);
}
process.exitCode = status;

function readTally(): readonly Tally[] {
  const lines = readFileSync(tally, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Tally => JSON.parse(line));
}

/** A row for each file that has properties, and one for all of them. */
function rowsOf(tallies: readonly Tally[]): readonly (readonly string[])[] {
  const row = (title: string, of: readonly Tally[]) => [
    title,
    String(new Set(of.map(({ file, property }) => `${file} ${property}`)).size),
    of.reduce((sum, { inputs }) => sum + inputs, 0).toLocaleString("en"),
  ];
  const rows = names.map((name) =>
    row(
      `\`${name}\``,
      tallies.filter(({ file }) => file === name),
    ),
  );
  return [...rows.filter(([, properties]) => properties !== "0"), row("all", tallies)];
}
