/**
 * The service, in a separate process: the emulator, which knows what was received, booked and delivered. It does what
 * the soak asks for by message.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createEmulator } from "../../src/emulator/emulator.ts";
import type { Emulator } from "../../src/emulator/types.ts";
import { isObject } from "../../src/shared/json.ts";
import { amount, signature } from "./receiver.ts";
import { type Ask, acknowledgedBy, type Received, type ServiceTruth } from "./service-process.ts";

const emulator = createEmulator({ pace: 5, webhook: { retrySchedule: [1_000, 3_000, 6_000], ackTimeout: 3_000 } });
const server = await emulator.listen({ port: 0 });
const received: Received[] = [];
/** The URL that each payout goes to. */
const targets = new Map<string, string>();
let last: unknown;
const collecting = setInterval(collect, 200);

/** The emulator forgets its oldest requests, so they are counted all the time. */
function collect(): void {
  const { requests } = emulator;
  for (const { operation, body } of requests.slice(requests.lastIndexOf(last as (typeof requests)[number]) + 1)) {
    if (operation !== undefined) received.push({ operation, reference: referenceIn(operation, body) });
  }
  last = requests.at(-1);
}

/** A quote is recognized by its search. */
function referenceIn(operation: string, body: unknown): string {
  if (!isObject(body)) return "";
  if (operation === "flights.fareQuote") return String(body.trace_id);
  const { client_referenceId, clientData } = body;
  return String(client_referenceId ?? (isObject(clientData) ? clientData.client_id : ""));
}

const acts: { [Act in Ask["act"]]: (ask: Extract<Ask, { act: Act }>) => unknown } = {
  rules: async ({ responses, operation = "*" as const, within }) => {
    const active = responses.map(([name, times]) => emulator.on(operation, name as "unavailable", { times }));
    const left = () => active.reduce((sum, { remaining }) => sum + remaining, 0);
    const all = left();
    for (const until = Date.now() + within; left() > 0 && Date.now() < until; ) await sleep(20);
    return all - left();
  },
  payout: async ({ reference, status, to, plan }) => {
    targets.set(reference, to);
    deliverTo(to);
    await emulator.payout({ client_referenceId: reference, outcome: status, amount, plan });
  },
  advance: async ({ duration }) => {
    await emulator.clock.advance(duration);
    return emulator.clock.now() - Date.now();
  },
  finish: async () => {
    await emulator.clock.runToEnd();
    const events = new Map(emulator.deliveries.map(({ client_referenceId, event }) => [client_referenceId, event]));
    const left = events.entries();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (const [reference, event] of left) await redeliver(event, targets.get(reference) ?? "");
      }),
    );
  },
  truth: (): ServiceTruth => {
    collect();
    const deliveries = emulator.deliveries.map(({ client_referenceId, attempts }) => ({
      reference: client_referenceId,
      statuses: attempts.map(acknowledgedBy),
    }));
    return { received, bookings: emulator.bookings, deliveries };
  },
  stop: async () => {
    clearInterval(collecting);
    await server.close();
    process.disconnect();
  },
};

function deliverTo(to: string): void {
  emulator.deliverTo(to, { auth: signature });
}

/** Fires a notification until it is acknowledged, as the service operator would on request. */
async function redeliver(event: Parameters<Emulator["fire"]>[0], to: string): Promise<void> {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    deliverTo(to);
    const { problem } = await emulator.fire(event);
    if (problem === undefined) return;
  }
}

process.on("message", async ({ id, ...ask }: Ask & { readonly id: number }) => {
  const act = acts[ask.act] as (ask: Ask) => unknown;
  const reply = await Promise.resolve(act(ask)).then(
    (result) => ({ result }),
    (error) => ({ error: String(error) }),
  );
  if (process.connected) process.send?.({ id, ...reply });
});
process.send?.({ url: server.url });
