/** Small POSTs per second of one process, from 1 to 1,024 at once, and its memory at 1,024. */
import { type Contestant, repeat, rotate } from "../measure.ts";
import { ours, peers } from "../post.ts";
import { lookUp } from "../suites/small.ts";
import type { PartResult } from "./curves.ts";
import { curvesOf, memoryOver, perSecond } from "./sample.ts";

const numbersAtOnce = Array.from({ length: 11 }, (_, i) => 2 ** i);
const shown = ["serviceapi", "serviceapi/node", "fetch", "node:http"];

export async function run(base: string): Promise<PartResult> {
  const all = [...ours(`${base}/small`, lookUp), ...peers(`${base}/small`, lookUp)];
  const contestants = all.filter(({ name }) => shown.includes(name));
  const curves = await curvesOf(numbersAtOnce, (atOnce) => {
    const take = ({ run }: Contestant) => perSecond(run, Math.max(400, 4 * atOnce), atOnce);
    return rotate(contestants, take, { warmUp: 2, rounds: 9, seconds: 15 });
  });
  const memory = await memoryOver("1,024 calls", () => repeat(5_000, 1_024, async () => contestants[0]?.run()));
  return { panels: [{ title: "Calls per second", axis: "at once", isLogarithmic: true, curves }], memory: [memory] };
}
