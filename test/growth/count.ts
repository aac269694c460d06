/**
 * A program that counts what the work of a file costs at 1, 4 and 16 times its size: how much of the source runs, for V8
 * counts each block, and how much the built-in functions read. It prints a line of JSON for each work, with its faults.
 *
 * A count is the same on every machine, unlike a time. It needs a process without the optimizing compilers: V8 leaves out
 * functions that they inline.
 */
import { Session } from "node:inspector/promises";
import { elements } from "./built-ins.ts";

/** Prepares work on an input of a given size: a length, or a number of elements. */
export type Making = (size: number) => () => unknown;

/** Work whose cost is in proportion to its size from a given one on. */
export interface Work {
  readonly size: number;
  readonly make: Making;
  /** The sizes to compare, as multiples. Default: 4 and 16. */
  readonly multiples?: readonly number[];
}

/** Cost of a function of the source that only a large input reaches: it runs few times, whatever the size. */
const once = 5_000;

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

const { works } = (await import(process.argv[2] ?? "")) as { works: Readonly<Record<string, Work>> };
// The first time, modules are loaded and schemas compiled.
for (const { make, size } of Object.values(works)) await make(size)();
await costOf(() => () => {}, 0);
for (const [name, work] of Object.entries(works))
  process.stdout.write(`${JSON.stringify({ name, faults: await faultsOf(work) })}\n`);

/** Half as much again is room for logarithms and rounding; quadratic work costs 4 and 16 times as much as it may. */
async function faultsOf({ make, size, multiples = [4, 16] }: Work): Promise<readonly string[]> {
  const costs = await costOf(make, size);
  const faults: string[] = [];
  for (const times of multiples) {
    for (const [name, cost] of await costOf(make, times * size)) {
      const before = costs.get(name) ?? 0;
      if (cost > 1.5 * times * (before + once))
        faults.push(`${name}: ${before}, and ${cost} for ${times} times the size`);
    }
  }
  return faults;
}

/** Returns the characters of source that run in each function, and the elements that each built-in function reads. */
async function costOf(make: Making, size: number): Promise<ReadonlyMap<string, number>> {
  await make(size)();
  const costs = new Map(elements);
  elements.clear();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const scripts = result.filter(({ url }) => url.startsWith("file:") && !/\/test\/growth\/[^/]+$/.test(url));
  for (const { url, functions } of scripts) {
    for (const { functionName, ranges } of functions) {
      let cost = 0;
      // A block follows the one that it is in. It is left out if it runs as often.
      const around: typeof ranges = [];
      for (const range of ranges) {
        while ((around.at(-1)?.endOffset ?? Number.POSITIVE_INFINITY) < range.endOffset) around.pop();
        cost += (range.count - (around.at(-1)?.count ?? 0)) * (range.endOffset - range.startOffset);
        around.push(range);
      }
      const name = `${url} ${functionName} at ${ranges[0]?.startOffset}`;
      costs.set(name, (costs.get(name) ?? 0) + cost);
    }
  }
  return costs;
}
