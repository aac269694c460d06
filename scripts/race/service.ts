/** The service's side of the race: every reference three times, in random order, each with the retries of §6.4. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Acknowledgement, sign } from "../../src/webhooks/index.ts";
import type { Fleet } from "./fleet.ts";
import type { Lab } from "./lab.ts";
import { signature } from "./receiver.ts";

const inFlight = 64;
/** Milliseconds before each of the three retries: a few seconds, but together longer than a lease. */
const retryAfter = [1_000, 2_000, 4_000];

export async function deliverAll(
  references: readonly string[],
  fleet: Fleet,
  lab: Lab,
  count: (what: string) => void,
): Promise<void> {
  const queue = shuffle(references.flatMap((reference) => [reference, reference, reference]));
  const open = new Set<Promise<void>>();
  const retries: Promise<void>[] = [];

  const attempt = async (reference: string, number: number): Promise<void> => {
    const status = await deliver(reference, fleet, lab, count);
    if (status === "SUCCESS" || status === "DUPLICATE") return;
    const pause = retryAfter[number];
    if (pause === undefined) count("marked Failed Delivery");
    // Retries are not limited to a number at a time.
    else retries.push(sleep(pause * (0.5 + Math.random())).then(() => attempt(reference, number + 1)));
  };

  for (const reference of queue) {
    const delivery: Promise<void> = attempt(reference, 0).finally(() => open.delete(delivery));
    open.add(delivery);
    if (open.size >= inFlight) await Promise.race(open);
  }
  await Promise.all(open);
  // Each retry may add another.
  for (let next = retries.shift(); next !== undefined; next = retries.shift()) await next;
}

/** Delivers by hand what was given up without an effect, as its operator would. */
export async function deliverFailed(
  references: readonly string[],
  fleet: Fleet,
  lab: Lab,
  count: (what: string) => void,
): Promise<void> {
  const effects = await lab.effects();
  for (const reference of references.filter((each) => !effects.has(each))) {
    for (let attempt = 0; attempt < 20; attempt++) {
      const status = await deliver(reference, fleet, lab, count);
      if (status === "SUCCESS" || status === "DUPLICATE") break;
      await sleep(500);
    }
  }
}

async function deliver(reference: string, fleet: Fleet, lab: Lab, count: (what: string) => void): Promise<string> {
  const event = { status: "SUCCESS", client_referenceId: reference, transactionId: "T", txn_amount: 1, utr: "U" };
  const { headers, body } = await sign(event, signature);
  const startedAt = performance.now();
  let acknowledgement: Acknowledgement;
  try {
    const response = await fetch(fleet.pick(), { method: "POST", headers, body, signal: AbortSignal.timeout(7_000) });
    acknowledgement = (await response.json()) as Acknowledgement;
  } catch {
    count("no response");
    return "none";
  }
  const { status } = acknowledgement;
  count(`acknowledged ${status}`);
  if (performance.now() - startedAt > 7_000) count("acknowledged too late");
  if (status !== "FAILED" && !(await lab.isCommitted(reference))) count("acknowledged before the commit");
  return status;
}

function shuffle<T>(values: T[]): T[] {
  for (let i = values.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [values[i], values[j]] = [values[j] as T, values[i] as T];
  }
  return values;
}
