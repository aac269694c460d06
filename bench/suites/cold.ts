/**
 * A cold start: the CPU of a whole process that imports a library and ends, over that of an empty script; and of one
 * that also makes a call and reads its response. A process is new for each slice. With the compile cache
 * (`NODE_COMPILE_CACHE`), the warm-up fills it, as the second start of an application finds it.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { firstCalls, imports } from "../cold-scripts.ts";
import { type Figure, figuresOf, plainFigure, rotate, type Slice } from "../measure.ts";
import { cores, nodeOn } from "../processes.ts";
import { median } from "../statistics.ts";

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
    return [...(await overEmpty(folder)), ...(await firstResponses(folder, `${base}/small`))];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The differences to the empty script beside each. */
async function overEmpty(folder: string): Promise<Figure[]> {
  const contestants = await programs(folder, "import", Object.entries(imports));
  const all = await rotate(contestants, take, { warmUp: 1, rounds: 12, floor: empty });
  return all.map(({ name, slices, floors }) => {
    const added = slices.map(({ value }, round) => value - (floors[round]?.value ?? Number.NaN));
    return plainFigure("import", name, median(added), "ms");
  });
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
