// Next.js app router: put this at app/webhooks/payouts/route.ts. Redis, because there is more than one process.
import { Redis } from "ioredis";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";
import { redisStore } from "serviceapi/webhooks/redis";

const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [process.env.WEBHOOK_SECRET ?? "example secret"] })],
  store: process.env.REDIS_URL ? redisStore(new Redis(process.env.REDIS_URL)) : memoryStore(),
  expectedPayout: "none",
});

const balances = new Map<string, number>();

export const POST = webhooks.handler({
  SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
  FAILED: (event) => balances.delete(event.client_referenceId),
});
