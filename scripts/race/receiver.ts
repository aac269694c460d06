/** The receiver under test: a handler that throws, stalls and dies at set rates. */
import { createServer, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeHandler } from "../../src/webhooks/adapters/node.ts";
import { hmac, Webhooks } from "../../src/webhooks/index.ts";
import type { Count } from "./processes.ts";
import type { RacedStore } from "./stores.ts";

export const signature = hmac({ header: "x-signature", secrets: ["the secret of the race"] });

/** The percentage of a handler's runs in which each happens. */
const percent = { throws: 10, stalls: 4, dies: 1 };

/** Shorter than in production, so that the race takes minutes. */
const timing = { ackTimeout: 500, workTimeout: 4_000, claimLease: 5_000 };

export function createReceiver(raced: RacedStore, mayDie: boolean, count: Count): Server {
  const webhooks = new Webhooks({ auth: [signature], findOrder: () => 1, store: raced.store, ...timing });
  const happens = (chance: number) => Math.random() * 100 < chance;
  const run = async (
    reference: string,
    signal: AbortSignal,
    claim: Parameters<RacedStore["takeEffect"]>[1] | undefined,
  ) => {
    count("handler runs");
    if (claim === undefined) throw new Error("SUCCESS runs under a claim");
    if (happens(percent.throws)) {
      count("handlers that threw");
      throw new Error("as planned");
    }
    if (happens(percent.stalls)) {
      count("handlers that stalled");
      await sleep(600 + Math.random() * 1_400, undefined, { signal });
    }
    const moment = mayDie && happens(percent.dies) ? (happens(50) ? "before" : "after") : undefined;
    await raced.takeEffect(reference, claim, (now) => {
      if (now === moment) process.kill(process.pid, "SIGKILL");
    });
  };
  const handler = webhooks.handler({
    SUCCESS: (event, { signal, claim }) => run(event.client_referenceId, signal, claim),
    FAILED: () => {},
    REJECTED: () => {},
  });
  const receive = nodeHandler(handler);
  return createServer((request, response) => void receive(request, response));
}
