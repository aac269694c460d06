// Hono, here on Node. Run: SERVICEAPI_WEBHOOK_SECRET=… npx tsx examples/webhooks-hono/server.ts
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature" })],
  store: memoryStore(), // one process; for more, redisStore or postgresStore (docs/stores.md)
  findOrder: "none",
  onFailure: (error, { phase }) => console.error(phase, error),
});

const handler = webhooks.handler({
  SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
  FAILED: (event) => balances.delete(event.client_referenceId),
  REJECTED: (event) => balances.delete(event.client_referenceId),
});

const app = new Hono();
app.post("/webhooks/payouts", (context) => handler(context.req.raw));
const port = Number(process.env.PORT ?? 3000);
serve({ fetch: app.fetch, port }, () => console.log(`Listening on http://localhost:${port}/webhooks/payouts`));
