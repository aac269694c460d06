// Fastify 5. Run: WEBHOOK_SECRET=… npx tsx examples/webhooks-fastify/server.ts
import Fastify from "fastify";
import { hmac, Webhooks } from "serviceapi/webhooks";
import { fastifyWebhook } from "serviceapi/webhooks/node";

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [process.env.WEBHOOK_SECRET ?? "example secret"] })],
  expectedPayout: "none",
});

const handler = webhooks.handler({
  SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
  FAILED: (event) => balances.delete(event.client_referenceId),
});

const app = Fastify();
await app.register(fastifyWebhook(handler, "/webhooks/payouts"));
await app.listen({ port: Number(process.env.PORT ?? 3000) });
