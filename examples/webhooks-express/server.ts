// Express 5. Run: WEBHOOK_SECRET=… npx tsx examples/webhooks-express/server.ts
import express from "express";
import { hmac, Webhooks } from "serviceapi/webhooks";
import { nodeHandler } from "serviceapi/webhooks/node";

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [process.env.WEBHOOK_SECRET ?? "example secret"] })],
  expectedPayout: "none",
});

const app = express();
// Before express.json(): the signature is over the raw body.
app.post(
  "/webhooks/payouts",
  nodeHandler(
    webhooks.handler({
      SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
      FAILED: (event) => balances.delete(event.client_referenceId),
    }),
  ),
);
app.use(express.json());
app.listen(Number(process.env.PORT ?? 3000));
