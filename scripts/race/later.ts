/** Delivers everything again after the store's clock moved by 100 days: beyond the 90 days of Redis and memory. */
import { sign, Webhooks } from "../../src/webhooks/index.ts";
import type { Lab } from "./lab.ts";
import { signature } from "./receiver.ts";

const days = 100;

/** The number of references whose effect happened again. */
export interface Later {
  /** With an `findOrder` that says that the order is settled. */
  readonly settled: number;
  /** With the store alone. */
  readonly unguarded: number;
}

export async function redeliverLater(references: readonly string[], lab: Lab): Promise<Later> {
  await lab.advance(days);
  return { settled: await redeliver(references, lab, true), unguarded: await redeliver(references, lab, false) };
}

async function redeliver(references: readonly string[], lab: Lab, settled: boolean): Promise<number> {
  const again = new Set<string>();
  const handler = new Webhooks({
    auth: [signature],
    store: lab.store,
    findOrder: () => ({ amount: 1, settled }),
  }).handler({
    SUCCESS: (event) => again.add(event.client_referenceId),
    FAILED: () => {},
    REJECTED: () => {},
    onFailure: (error) => console.error(error),
  });
  const left = references.values();
  const deliver = async (): Promise<void> => {
    for (const client_referenceId of left) {
      const event = { status: "SUCCESS", client_referenceId, transactionId: "T", txn_amount: 1, utr: "U" };
      await handler.receive(await sign(event, signature));
    }
  };
  await Promise.all(Array.from({ length: 32 }, deliver));
  return again.size;
}
