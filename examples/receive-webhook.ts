/**
 * Receives a payout notification, verifies it, processes it once and acknowledges it (§6).
 * `npx tsx examples/receive-webhook.ts`
 */
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";
import { connect } from "./connect.ts";

const orders = new Map([["order-17", 8500]]);
const ledger = new Map<string, number>();
const auth = [hmac({ header: "x-signature", secrets: ["a-secret-of-the-partner-panel"] })];

const webhooks = new Webhooks({ auth, store: memoryStore(), findOrder: (reference) => orders.get(reference) });

// `export const POST = …` in a Next.js route; `app.post("/payouts", (c) => handler(c.req.raw))` in Hono.
const handler = webhooks.handler({
  SUCCESS: (event) => ledger.set(event.client_referenceId, event.txn_amount),
  FAILED: (event) => ledger.delete(event.client_referenceId),
  REJECTED: (event) => ledger.delete(event.client_referenceId),
});

// The emulator delivers it twice, as the service does if an acknowledgement is lost.
const { emulator } = connect();
emulator?.deliverTo(handler, { auth });
for (let delivery = 1; delivery <= 2; delivery++) {
  const sent = await emulator?.payout({ client_referenceId: "order-17", amount: 8500, outcome: "SUCCESS" });
  console.log(`delivery ${delivery}: acknowledged ${sent?.attempts[0]?.status}`);
}
console.log(`order-17 credited with ₹${ledger.get("order-17")}`);
