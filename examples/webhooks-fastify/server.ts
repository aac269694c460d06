// Fastify 5. Run: SERVICEAPI_WEBHOOK_SECRET=… npx tsx examples/webhooks-fastify/server.ts
import Fastify from "fastify";
import { fastifyWebhook } from "serviceapi/node";
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

const app = Fastify();
await app.register(fastifyWebhook(handler, "/webhooks/payouts"));
const port = Number(process.env.PORT ?? 3000);
await app.listen({ port });
console.log(`Listening on http://localhost:${port}/webhooks/payouts`);
