// Koa 3. Run: SERVICEAPI_WEBHOOK_SECRET=… npx tsx examples/webhooks-koa/server.ts
import Koa from "koa";
import { koaHandler } from "serviceapi/node";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature" })],
  store: memoryStore(), // one process; for more, redisStore or postgresStore (docs/stores.md)
  findOrder: "none",
  onFailure: (error, { phase }) => console.error(phase, error),
});

const receive = koaHandler(
  webhooks.handler({
    SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
    FAILED: (event) => balances.delete(event.client_referenceId),
    REJECTED: (event) => balances.delete(event.client_referenceId),
  }),
);

const app = new Koa();
// Before any body parser: the signature is over the raw body.
app.use((context, next) => (context.path === "/webhooks/payouts" ? receive(context) : next()));
const port = Number(process.env.PORT ?? 3000);
app.listen(port).once("listening", () => console.log(`Listening on http://localhost:${port}/webhooks/payouts`));
