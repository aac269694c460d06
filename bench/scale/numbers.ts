/** `findMany` over 50,000 numbers, beside as many requests by `fetch`: numbers per second, and the memory. */
import { ServiceApi } from "serviceapi";
import { findMany } from "serviceapi/verification";
import { peers } from "../post.ts";
import { lookUp } from "../suites/small.ts";
import type { PartResult } from "./curves.ts";
import { memoryOver, perSecond, rounded } from "./sample.ts";

const total = 50_000;
const atOnce = 64;

export async function run(base: string): Promise<PartResult> {
  const api = new ServiceApi({ baseUrl: `${base}/number`, clientId: "bench", clientSecret: "bench-secret" });
  // So high that the pace sets no timers, which would end it at a request in a millisecond.
  const options = { consent: "Y", concurrency: atOnce, perSecond: Number.MAX_VALUE } as const;
  const results = findMany(api, mobiles(), options)[Symbol.asyncIterator]();
  const fetched = peers(`${base}/number`, lookUp).find(({ name }) => name === "fetch");
  const points = { findMany: [], fetch: [] } as Record<"findMany" | "fetch", { x: number; y: number }[]>;
  const readOne = async () => {
    const { value } = await results.next();
    if (value?.kind !== "found") throw new Error("a number was not found");
  };
  let done = 0;
  const memory = await memoryOver("findMany", async () => {
    done += total / 10;
    const [ours, theirs] = [
      await perSecond(readOne, total / 10, 1),
      await perSecond(() => fetched?.run(), total / 10, atOnce),
    ];
    points.findMany.push({ x: done, y: rounded(ours.value) });
    points.fetch.push({ x: done, y: rounded(theirs.value) });
  });
  const curves = Object.entries(points).map(([name, all]) => ({ name: `${name}, 64 at once`, points: all }));
  return { panels: [{ title: "Numbers per second", axis: "numbers looked up", curves }], memory: [memory] };
}

/** One at a time, so that a list of them does not count as memory of `findMany`. */
function* mobiles(): Generator<string> {
  for (let i = 0; i < total; i += 1) yield String(6_000_000_000 + i);
}
