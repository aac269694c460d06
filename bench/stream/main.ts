/**
 * Measures the cost of a stream, compared with its floor (`fetch`, eventsource-parser, `JSON.parse`), openai and anthropic:
 *
 *   npm run bench:stream
 *
 * Each round begins with another contestant, so that a busy machine and the previous contestant disturb all alike. The
 * result is the median of the rounds' ratios to the floor.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Contestant, contestants } from "./contestants.ts";

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const server = fork(path("server.ts"));
const [port] = (await once(server, "message")) as [number];
const base = `http://127.0.0.1:${port}`;

const warmUp = 5;
const rounds = 15;
const eventsPerStream = 2_000;
const streamsPerRound = 20;

async function drain(events: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _event of events) count++;
  return count;
}

/** Microseconds of CPU for one event. */
async function cpuPerEvent(contestant: Contestant): Promise<number> {
  const before = process.cpuUsage();
  let events = 0;
  for (let i = 0; i < streamsPerRound; i++) events += await drain(contestant(base, `events/${eventsPerStream}`));
  const { user, system } = process.cpuUsage(before);
  if (events !== streamsPerRound * (eventsPerStream + 2)) throw new Error(`${events} events are not all of them`);
  return (user + system) / events;
}

/** Milliseconds from the call to its first event on an open connection, for each of a hundred calls. */
async function firstEvents(contestant: Contestant): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < 100; i++) {
    const startedAt = performance.now();
    const iterator = contestant(base, "events/1")[Symbol.asyncIterator]();
    await iterator.next();
    times.push(performance.now() - startedAt);
    while (!(await iterator.next()).done);
  }
  return times;
}

/** Returns the bytes that a child process measures. */
async function inChild(name: string, what: string): Promise<number> {
  const child = fork(path("memory.ts"), [base, name, what], { execArgv: [...process.execArgv, "--expose-gc"] });
  const [bytes] = (await once(child, "message")) as [number];
  child.kill();
  return bytes;
}

function quantile(numbers: readonly number[], share: number): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;
}

function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

async function compare<T>(measure: (contestant: Contestant) => Promise<T>): Promise<Map<string, T[]>> {
  const results = new Map<string, T[]>(Object.keys(contestants).map((name) => [name, []]));
  const entries = Object.entries(contestants);
  for (let round = 0; round < warmUp + rounds; round++) {
    for (let i = 0; i < entries.length; i++) {
      const [name, contestant] = entries[(round + i) % entries.length] as (typeof entries)[number];
      const result = await measure(contestant);
      if (round >= warmUp) results.get(name)?.push(result);
    }
  }
  return results;
}

function table(results: Map<string, number[]>, show: (median: number) => string): void {
  const floor = results.get("floor") ?? [];
  for (const [name, numbers] of results) {
    const ratio = median(numbers.map((number, i) => number / (floor[i] ?? Number.NaN)));
    console.log(`  ${name.padEnd(22)} ${show(median(numbers)).padStart(28)}   ${ratio.toFixed(2)} × floor`);
  }
}

console.log(
  `\nEvents (${rounds} rounds of ${streamsPerRound} streams of ${eventsPerStream}), goal: at most 1.25 × floor`,
);
table(await compare(cpuPerEvent), (us) => `${Math.round(1e6 / us).toLocaleString("en")} events/s of CPU`);

const first = [...(await compare(firstEvents))];
for (const [share, words] of [
  [0.5, "the median, goal: at most 1.3 × floor"],
  [0.95, "the slowest of 20"],
] as const) {
  console.log(`\nFirst event of ${rounds} rounds of 100 calls, ${words}`);
  const rounded = first.map(([name, times]) => [name, times.map((round) => quantile(round, share))] as const);
  table(new Map(rounded), (ms) => `${ms.toFixed(2)} ms`);
}

console.log("\n500 open streams, memory of one (heap and buffers), goal: at most 1.15 × floor");
const open = new Map<string, number[]>();
for (const name of Object.keys(contestants)) {
  open.set(name, [await inChild(name, "open"), await inChild(name, "open"), await inChild(name, "open")]);
}
table(open, (bytes) => `${(bytes / 1024).toFixed(1)} KiB`);

console.log("\nGrowth of memory over a stream of 200 MB, goal: none");
for (const name of ["floor", "serviceapi"]) {
  console.log(`  ${name.padEnd(22)} ${((await inChild(name, "long")) / 1_048_576).toFixed(1).padStart(23)} MiB`);
}

server.kill();
