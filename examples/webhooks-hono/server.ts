// Hono, here on Node. Run: WEBHOOK_SECRET=… npx tsx examples/webhooks-hono/server.ts
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { hmac, Webhooks } from "serviceapi/webhooks";

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [process.env.WEBHOOK_SECRET ?? "example secret"] })],
  expectedPayout: "none",
});

const handler = webhooks.handler({
  SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
  FAILED: (event) => balances.delete(event.client_referenceId),
});

const app = new Hono();
app.post("/webhooks/payouts", (context) => handler(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
