/** Run by main.ts with `--expose-gc`: the memory of open streams (`open`), or its growth over a long one (`long`). */
import { setTimeout as sleep } from "node:timers/promises";
import { contestants } from "./contestants.ts";

const [base = "", name = "", what = ""] = process.argv.slice(2);
const contestant = contestants[name];
if (contestant === undefined) throw new Error(`unknown contestant ${name}`);
const streams = 500;

async function used(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await sleep(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function open(): Promise<AsyncIterator<unknown>> {
  const iterator = (contestant as NonNullable<typeof contestant>)(base, "open")[Symbol.asyncIterator]();
  await iterator.next();
  return iterator;
}

async function memoryOfOne(): Promise<number> {
  // Everything that is created once, including compiled code, is created before the measurement.
  for (let round = 0; round < 3; round++) {
    const warm = await Promise.all(Array.from({ length: streams }, open));
    await Promise.all(warm.map((iterator) => iterator.return?.()));
  }
  const before = await used();
  const iterators = await Promise.all(Array.from({ length: streams }, open));
  const bytes = ((await used()) - before) / streams;
  for (const iterator of iterators) iterator.return?.().catch(() => {});
  return bytes;
}

/** Returns the peak of the memory in use, minus the memory in use after the first megabytes. */
async function growth(): Promise<number> {
  let events = 0;
  let start = 0;
  let most = 0;
  for await (const _event of (contestant as NonNullable<typeof contestant>)(base, "bytes/200000000")) {
    if (++events % 5_000 !== 0) continue;
    const now = await used();
    if (start === 0) start = now;
    most = Math.max(most, now);
  }
  return most - start;
}

process.send?.(await (what === "open" ? memoryOfOne() : growth()));
