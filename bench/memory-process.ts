/**
 * The process of one measurement of memory, with `--expose-gc`: a new `client`, an `open` stream, or the growth over a
 * `long` stream. It sends the bytes in use (heap and buffers) of one client or stream, or those that were added.
 */
import { setTimeout as sleep } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import ky from "ky";
import OpenAI from "openai";
import { ServiceApi } from "serviceapi";
import Stripe from "stripe";
import { streamContestants } from "./streams.ts";
import { bytesInUse } from "./usage.ts";

const [base = "", what = "", name = "", size = "0"] = process.argv.slice(2);
const apiKey = "bench-secret";

const clients: Readonly<Record<string, () => unknown>> = {
  serviceapi: () => new ServiceApi({ baseUrl: base, clientId: "bench", clientSecret: apiKey }),
  openai: () => new OpenAI({ baseURL: base, apiKey }),
  anthropic: () => new Anthropic({ baseURL: base, apiKey }),
  stripe: () => new Stripe("sk_test_bench"),
  ky: () => ky.create({ prefix: base }),
};

async function bytesOfOneClient(): Promise<number> {
  const make = clients[name];
  if (make === undefined) throw new Error(`unknown client ${name}`);
  const count = 2_000;
  const warm = Array.from({ length: count }, make);
  warm.length = 0;
  const before = await bytesInUse();
  const kept = Array.from({ length: count }, make);
  const bytes = ((await bytesInUse()) - before) / count;
  if (kept.length !== count) throw new Error("they must be kept until here");
  return bytes;
}

function open(path: string): AsyncIterable<unknown> {
  const contestant = streamContestants.find((one) => one.name === name);
  if (contestant === undefined) throw new Error(`unknown contestant ${name}`);
  return contestant.open(base, path);
}

async function started(): Promise<AsyncIterator<unknown>> {
  const iterator = open("open/1")[Symbol.asyncIterator]();
  await iterator.next();
  return iterator;
}

async function bytesOfOneStream(): Promise<number> {
  const count = 300;
  // Whatever is created only once, compiled code included, is created before.
  for (let round = 0; round < 2; round += 1) {
    const warm = await Promise.all(Array.from({ length: count }, started));
    // `ai` reads a stream twice, and its reader waits until both have left.
    await Promise.race([Promise.allSettled(warm.map((iterator) => iterator.return?.())), sleep(500)]);
  }
  const before = await bytesInUse();
  const iterators = await Promise.all(Array.from({ length: count }, started));
  const bytes = ((await bytesInUse()) - before) / count;
  for (const iterator of iterators) iterator.return?.().catch(() => {});
  return bytes;
}

/** The peak of the memory in use, minus the memory in use after the first megabytes. */
async function growthOverStream(): Promise<number> {
  let events = 0;
  let start = 0;
  let most = 0;
  for await (const _event of open(`bytes/${size}`)) {
    events += 1;
    if (events % 5_000 !== 0) continue;
    const now = await bytesInUse();
    if (start === 0) start = now;
    most = Math.max(most, now);
  }
  if (events < Number(size) / 5_000) throw new Error(`${events} events are not all of them`);
  return most - start;
}

const measurements = { client: bytesOfOneClient, open: bytesOfOneStream, long: growthOverStream };
if (!(what in measurements)) throw new Error(`unknown measurement ${what}`);
process.send?.(await measurements[what as keyof typeof measurements]());
