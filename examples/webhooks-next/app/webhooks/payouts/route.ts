// Next.js, app router. Run here: npm ci && npm run build && WEBHOOK_SECRET=… npm start
import { hmac, Webhooks } from "serviceapi/webhooks";

// The claims are in memory, which does for one process. Several share a store: see docs/stores.md.
const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [process.env.WEBHOOK_SECRET ?? "example secret"] })],
  expectedPayout: "none",
});

export const POST = webhooks.handler({
  SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
  FAILED: (event) => balances.delete(event.client_referenceId),
});
