// Next.js, app router, which takes the built package: in a clone, first npm ci && npm run build in its root
// Run here: npm ci && npm run build && SERVICEAPI_WEBHOOK_SECRET=… npm start
import { after } from "next/server";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature" })],
  store: memoryStore(), // to try it out: processes share a redisStore or postgresStore (docs/stores.md)
  findOrder: "none",
  onFailure: (error, { phase }) => console.error(phase, error),
});

const handler = webhooks.handler({
  SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
  FAILED: (event) => balances.delete(event.client_referenceId),
  REJECTED: (event) => balances.delete(event.client_referenceId),
});

// Work that outlives its response ends before the process does: Next.js waits for what `after` has.
export const POST = (request: Request) => handler(request, { waitUntil: after });
