// Express 5. Run: SERVICEAPI_WEBHOOK_SECRET=… npx tsx examples/webhooks-express/server.ts
import express from "express";
import { nodeHandler } from "serviceapi/node";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature" })],
  store: memoryStore(), // one process; for more, redisStore or postgresStore (docs/stores.md)
  findOrder: "none",
  onFailure: (error, { phase }) => console.error(phase, error),
});

const app = express();
// Before express.json(): the signature is over the raw body.
app.post(
  "/webhooks/payouts",
  nodeHandler(
    webhooks.handler({
      SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
      FAILED: (event) => balances.delete(event.client_referenceId),
      REJECTED: (event) => balances.delete(event.client_referenceId),
    }),
  ),
);
app.use(express.json());
const port = Number(process.env.PORT ?? 3000);
app.listen(port).once("listening", () => console.log(`Listening on http://localhost:${port}/webhooks/payouts`));
