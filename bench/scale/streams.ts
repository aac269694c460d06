/** Streams of one process: events per second of all together, and the memory of those that are open and silent. */
import { repeat, rotate } from "../measure.ts";
import { drain, floor, type StreamContestant, streamContestants } from "../streams.ts";
import { bytesInUse } from "../usage.ts";
import type { PartResult } from "./curves.ts";
import { curvesOf, megabytes, memoryOver, perSecond } from "./sample.ts";

const sizes = [1, 4, 16, 64, 256, 1_000];
const contestants = ["serviceapi", floor].flatMap((name) => streamContestants.filter((one) => one.name === name));
const path = "single/50";
const eventsOfOne = 52;

export async function run(base: string): Promise<PartResult> {
  const rates = await curvesOf(sizes, (size) => {
    const take = async ({ open }: StreamContestant) => {
      const slice = await perSecond(() => drain(open(base, path)), Math.max(100, 2 * size), size);
      return { ...slice, value: slice.value * eventsOfOne };
    };
    return rotate(contestants, take, { warmUp: 2, rounds: 9, seconds: 15 });
  });
  const inMemory = await curvesOf(sizes, (size) => {
    const take = async ({ open }: StreamContestant) => {
      const before = await bytesInUse();
      const silent = Array.from({ length: size }, () => open(base, "open/1")[Symbol.asyncIterator]());
      await Promise.all(silent.map((iterator) => iterator.next()));
      const value = megabytes((await bytesInUse()) - before);
      await Promise.allSettled(silent.map((iterator) => iterator.return?.()));
      return { value, idle: 0, preempted: 0 };
    };
    return rotate(contestants, take, { warmUp: 1, rounds: 3 });
  });
  const readOne = async () => contestants[0] && drain(contestants[0].open(base, path));
  return {
    panels: [
      { title: "Events per second", axis: "streams at once", isLogarithmic: true, curves: rates },
      { title: "Memory of open streams, MB", axis: "open streams", curves: inMemory },
    ],
    memory: [await memoryOver("1,000 streams", () => repeat(2_000, 1_000, readOne))],
  };
}
