/**
 * What a stream costs beside its floor (`fetch`, eventsource-parser, `JSON.parse`), openai and anthropic, in one run:
 *
 *   npm run bench:stream
 *
 * Rounds alternate, so that a busy machine disturbs all alike; the median of their ratios to the floor is what counts.
 * openai and anthropic read through their own stream classes alone, without the rest of their clients.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Contestant, contestants } from "./contestants.ts";

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const server = fork(path("server.ts"));
const [port] = (await once(server, "message")) as [number];
const base = `http://127.0.0.1:${port}`;

const rounds = 15;
const eventsPerStream = 2_000;
const streamsPerRound = 5;

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
  if (events !== streamsPerRound * (eventsPerStream + 2)) throw new Error(`${events} events are not all`);
  return (user + system) / events;
}

/** Milliseconds from the call to its first event, on a connection that is open. */
async function firstEvent(contestant: Contestant): Promise<number> {
  let sum = 0;
  for (let i = 0; i < 40; i++) {
    const startedAt = performance.now();
    const iterator = contestant(base, "events/1")[Symbol.asyncIterator]();
    await iterator.next();
    sum += performance.now() - startedAt;
    while (!(await iterator.next()).done);
  }
  return sum / 40;
}

/** What a child process of its own measures: bytes. */
async function inChild(name: string, what: string): Promise<number> {
  const child = fork(path("memory.ts"), [base, name, what], { execArgv: [...process.execArgv, "--expose-gc"] });
  const [bytes] = (await once(child, "message")) as [number];
  child.kill();
  return bytes;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function compare(measure: (contestant: Contestant) => Promise<number>): Promise<Map<string, number[]>> {
  const results = new Map<string, number[]>(Object.keys(contestants).map((name) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [name, contestant] of Object.entries(contestants)) {
      const result = await measure(contestant);
      if (round >= 0) results.get(name)?.push(result);
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

console.log("\nFirst event, goal: at most 1.3 × floor");
table(await compare(firstEvent), (ms) => `${ms.toFixed(2)} ms`);

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
