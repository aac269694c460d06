/**
 * The service, in a separate process: the emulator, which knows what was received, booked and delivered. It does what
 * the soak asks for by message.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery } from "../../src/emulator/deliveries/types.ts";
import {
  createEmulator,
  type OperationName,
  type PayoutRequest,
  type ResponseName,
} from "../../src/emulator/emulator.ts";
import { isObject } from "../../src/shared/json.ts";
import {
  type Acknowledgement,
  acknowledgedBy,
  type Payout,
  type Received,
  type ServiceTruth,
} from "./accounts/truth.ts";
import { serveAsks, settingsOf } from "./asks.ts";
import { bookingLimit } from "./calls.ts";
import { createChance } from "./chance.ts";
import { amount, signature } from "./receiver.ts";

type Request = Pick<(typeof emulator.requests)[number], "operation" | "path" | "headers" | "body">;

const { ackTimeout } = settingsOf<{ readonly ackTimeout: number }>();
const emulator = createEmulator({
  pace: 5,
  webhook: { to: deliver, auth: signature, retrySchedule: [1_000, 3_000, 6_000], ackTimeout },
});
const server = await emulator.listen({ port: 0 });
const received: Received[] = [];
const rows = new Set<Delivery>();
const acknowledgements: Acknowledgement[] = [];
/** The URL that each payout goes to. */
const targets = new Map<string, string>();
let last: unknown;
const collecting = setInterval(collect, 200);

/** The emulator forgets its oldest requests and deliveries, so they are collected all the time. */
function collect(): void {
  const { requests, deliveries } = emulator;
  for (const request of requests.slice(requests.lastIndexOf(last as (typeof requests)[number]) + 1)) {
    const { operation, headers } = request;
    if (operation !== undefined && !(ours in headers)) received.push({ operation, reference: referenceIn(request) });
  }
  last = requests.at(-1);
  for (const row of deliveries) rows.add(row);
}

/** A quote has no reference. */
function referenceIn({ operation, headers, body }: Request): string {
  if (operation === "flights.fareQuote") return `${headers["x-attempt"]}q`;
  const { client_referenceId, clientData } = Object(body);
  return String(client_referenceId ?? (isObject(clientData) ? clientData.client_id : ""));
}

/** The header of the requests below. */
const ours = "x-attempt-withheld";

/** Makes the booking, and keeps the response to itself. */
async function bookAnyway({ path, headers, body }: Request): Promise<void> {
  const sent = { ...headers, "client-secret": "soak", [ours]: "yes" };
  await emulator.fetch(`${server.url}${path}`, { method: "POST", headers: sent, body: JSON.stringify(body) });
}

/** Of fifty bookings, those that end otherwise than with their response: in doubt, or ruled out. */
const fates: Readonly<Record<string, readonly [times: number, respond: (request: Request) => unknown]>> = {
  "dropped before it was made": [3, () => "reset"],
  "dropped after it was made": [3, () => "reset-after"],
  "made, and a gateway's 502": [
    2,
    async (request) => {
      await bookAnyway(request);
      return new Response("<html>", { status: 502, headers: { "content-type": "text/html" } });
    },
  ],
  // Longer than the timeout of an attempt.
  "made after the client had gone": [2, () => sleep(2_200, {})],
  "made, and the response came late": [2, () => "slow:2200"],
  "made, and no response": [1, () => "no-response-after"],
  "refused: authentication": [2, () => "authentication"],
  "refused: balance": [1, () => "insufficient_balance"],
  "refused: invalid": [1, () => "invalid"],
};
const chance = createChance(Date.now());
const met: Record<string, number> = {};
let next: string[] = [];

emulator.on("flights.book", async (_, request) => {
  if (ours in request.headers) return undefined;
  if (next.length === 0) {
    const bad = Object.entries(fates).flatMap(([name, [times]]) => Array.from({ length: times }, () => name));
    next = chance.shuffle([...bad, ...Array.from({ length: 50 - bad.length }, () => "")]);
  }
  const name = next.pop() ?? "";
  const response = await fates[name]?.[1](request);
  // A machine may be slow, but nobody waits any longer for this booking.
  if (Date.now() - Number(request.headers["x-attempt-at"]) > bookingLimit) return "reset";
  met[name] = (met[name] ?? 0) + 1;
  return response as ResponseName<"flights.book"> | undefined;
});

/** Delivers to the URL of the payout, and notes when it was acknowledged. */
async function deliver(request: globalThis.Request): Promise<Response> {
  const { method, headers, signal } = request;
  const body = await request.text();
  const reference: string = JSON.parse(body).client_referenceId;
  const url = targets.get(reference) ?? "";
  const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
  const acknowledgement = await response.text();
  const [, status] = /"status":"(SUCCESS|DUPLICATE)"/.exec(acknowledgement) ?? [];
  if (status !== undefined) acknowledgements.push({ reference, isFirst: status === "SUCCESS", at: Date.now() });
  return new Response(acknowledgement, response);
}

interface Meeting {
  readonly responses: readonly (readonly [name: ResponseName, times: number])[];
  readonly operation?: OperationName | "*" | undefined;
  readonly within: number;
}

const acts = {
  url: () => server.url,
  /** Makes requests meet rules, and returns how many have met them when all have, or after `within` milliseconds. */
  async meet({ responses, operation = "*" as const, within }: Meeting): Promise<number> {
    const active = responses.map(([name, times]) => emulator.on(operation, name as "unavailable", { times }));
    const left = () => active.reduce((sum, { remaining }) => sum + remaining, 0);
    const all = left();
    for (const until = Date.now() + within; left() > 0 && Date.now() < until; ) await sleep(20);
    return all - left();
  },
  /** Returns two results of a search for the same flight, at the same time. */
  search: () => [emulator.seedSearch(), emulator.seedSearch()] as const,
  bookings: () => emulator.bookings,
  /** Resolves after the first attempt. */
  async payout({ reference, status, to, plan }: Omit<Payout, "store"> & { to: string; plan: PayoutRequest["plan"] }) {
    targets.set(reference, to);
    await emulator.payout({ client_referenceId: reference, outcome: status, amount, plan });
  },
  /** Moves the clock, and returns by how many milliseconds it is ahead of real time. */
  async advance(duration: number): Promise<number> {
    await emulator.clock.advance(duration);
    return emulator.clock.now() - Date.now();
  },
  /** Makes all retries that are due, and redelivers each payout until it is acknowledged, as the operator would on request. */
  async redeliverAll() {
    await emulator.clock.runToEnd();
    collect();
    const events = new Map([...rows].map(({ client_referenceId, event }) => [client_referenceId, event])).values();
    const redeliver = async () => {
      for (const event of events) {
        for (let attempt = 0; attempt < 8; attempt += 1) {
          const { problem } = await emulator.fire(event);
          if (problem === undefined) break;
        }
      }
    };
    await Promise.all(Array.from({ length: 32 }, redeliver));
  },
  truth(): ServiceTruth {
    collect();
    const deliveries = [...rows].map(({ client_referenceId, attempts }) => ({
      reference: client_referenceId,
      statuses: attempts.map(acknowledgedBy),
    }));
    const fatesMet = Object.keys(fates).map((name) => ({ name, hits: met[name] ?? 0 }));
    return { received, bookings: emulator.bookings, deliveries, acknowledgements, fates: fatesMet };
  },
  async stop() {
    clearInterval(collecting);
    await server.close();
    process.disconnect();
  },
};
export type ServiceActs = typeof acts;
serveAsks(acts);
