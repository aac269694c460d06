/** Signed payout notifications, each of another reference, for the receivers of the bench. */
import { createHmac } from "node:crypto";

export interface Delivery {
  readonly headers: Record<string, string>;
  readonly body: Buffer<ArrayBuffer>;
}

export const secret = "bench secret of a usual length, 40 chars";

export function deliveryOf(client_referenceId: string): Delivery {
  const event = {
    status: "SUCCESS",
    statusCode: "200",
    transactionId: "TXN202611210000000001",
    client_referenceId,
    txn_amount: 1500.5,
    acknowledged: "1",
    utr: "432112345678",
    description: "Amount settled and credited to the beneficiary account named in the request. ".repeat(2).trim(),
  };
  const body = Buffer.from(JSON.stringify(event));
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return { headers: { "content-type": "application/json", "x-signature": signature }, body };
}

/** Differs between processes, which share a store. */
let lastNumber = process.pid * 100_000_000;

export function newDeliveries<Item>(make: (delivery: Delivery) => Item): { fill(count: number): void; take(): Item } {
  const items: Item[] = [];
  return {
    fill(count) {
      while (items.length < count) {
        lastNumber += 1;
        items.push(make(deliveryOf(`01JD5Q${String(lastNumber).padStart(16, "0")}BENCH`)));
      }
    },
    take() {
      const item = items.pop();
      if (item === undefined) throw new Error("no delivery was prepared");
      return item;
    },
  };
}
