/** A script that makes 3,000 calls on one signal, and prints what there is while they run and what they leave behind. */
import { createHook } from "node:async_hooks";
import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { ServiceApi } from "../../src/index.ts";
import { collectGarbage } from "../support/gc.ts";

const [body, status] = process.argv.slice(2);
const timers = new Set<number>();
createHook({
  init(id, type) {
    if (type === "Timeout") timers.add(id);
  },
  destroy(id) {
    timers.delete(id);
  },
}).enable();

const api = new ServiceApi({
  baseUrl: "https://api.example.com",
  clientId: "a",
  clientSecret: "a-secret",
  fetch: async () => new Response(body, { status: Number(status), headers: { "content-type": "application/json" } }),
});
const { signal } = new AbortController();
const counts = () => ({ timers: timers.size, listeners: getEventListeners(signal, "abort").length });

/** Bytes of all that cannot be collected. */
async function heapUsed(): Promise<number> {
  // Not once: what a finalizer releases is collected the next time.
  for (let i = 0; i < 3; i++) {
    collectGarbage();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}

const request = { vpa_mobile: "6000000001", consent: "Y" } as const;
const outcomes: Record<string, number> = {};
let during = counts();
let halfway = 0;
for (let round = 0; round < 30; round++) {
  if (round === 15) halfway = await heapUsed();
  const calls = Array.from({ length: 100 }, () => api.verification.findVpas(request, { signal }));
  during = counts();
  for (const call of await Promise.allSettled(calls)) {
    const outcome = call.status === "fulfilled" ? "succeeded" : call.reason.name;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
}
// Node reports the end of a timer one turn later.
await turn();
const after = counts();
console.log(JSON.stringify({ outcomes, during, after, keptBytes: ((await heapUsed()) - halfway) / 1_500 }));
