/**
 * A cold start: the CPU of a whole process that imports a library and ends, to that of an empty script; and of one that
 * also makes a call and reads its response. A process is new for each slice. The package is also imported in fewer
 * files, which says whether the number of files or the code costs the time. With the compile cache
 * (`NODE_COMPILE_CACHE`), the warm-up fills it, as the second start of an application finds it.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { firstCalls, importing, imports } from "../cold-scripts.ts";
import { writeInFiles } from "../few-files.ts";
import { type Figure, figuresOf, rotate, type Slice } from "../measure.ts";
import { cores, nodeOn } from "../processes.ts";

interface Program {
  readonly name: string;
  readonly file: string;
  readonly cache?: string;
}

const execute = promisify(execFile);
const empty = "an empty script";

export async function run(base: string): Promise<Figure[]> {
  // Inside the project, so that packages are found.
  const folder = await mkdtemp(join(import.meta.dirname, "../.cold-"));
  try {
    return [...(await importedIn(folder)), ...(await firstResponses(folder, `${base}/small`))];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function importedIn(folder: string): Promise<Figure[]> {
  const inFiles = async (name: string, count: number, minify = false) => {
    const file = await writeInFiles(join(folder, name), count, { minify });
    return [`serviceapi, in ${name}`, importing(file)] as const;
  };
  const scripts = [
    ...Object.entries(imports),
    await inFiles("1 file", 1),
    await inFiles("1 minified file", 1, true),
    await inFiles("2 files", 2),
    await inFiles("3 files", 3),
  ];
  const contestants = await programs(folder, "import", scripts);
  const all = await rotate(contestants, take, { warmUp: 1, rounds: 12, floor: empty });
  return figuresOf({ measure: "import", unit: "ms", floor: empty }, all);
}

async function firstResponses(folder: string, base: string): Promise<Figure[]> {
  const contestants = await programs(folder, "call", Object.entries(firstCalls(base)));
  const all = await rotate(contestants, take, { warmUp: 2, rounds: 12, floor: "fetch" });
  return figuresOf({ measure: "first response", unit: "ms", floor: "fetch" }, all);
}

function programs(folder: string, prefix: string, scripts: readonly (readonly [string, string])[]): Promise<Program[]> {
  return Promise.all(
    scripts.map(async ([name, code], number) => {
      const file = join(folder, `${prefix}-${number}.mjs`);
      await writeFile(file, code);
      return { name, file, ...(name.endsWith("compile cache") && { cache: join(folder, `cache-${number}`) }) };
    }),
  );
}

async function take({ file, cache }: Program): Promise<Slice> {
  const [command, ...args] = nodeOn(cores.client);
  const env = { ...process.env, ...(cache && { NODE_COMPILE_CACHE: cache }) };
  const startedAt = performance.now();
  const { stdout } = await execute(command, [...args, file], { env });
  const cpu = Number(stdout);
  if (!(cpu > 0)) throw new Error(`${file} printed ${stdout}`);
  return { value: cpu, idle: Math.max(0, performance.now() - startedAt - cpu), preempted: 0 };
}
