// node:http. Run: SERVICEAPI_WEBHOOK_SECRET=… npx tsx examples/webhooks-node-http/server.ts
import { createServer } from "node:http";
import { nodeHandler } from "serviceapi/node";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature" })],
  store: memoryStore(), // one process; for more, redisStore or postgresStore (docs/stores.md)
  findOrder: "none",
  onFailure: (error, { phase }) => console.error(phase, error),
});

const receive = nodeHandler(
  webhooks.handler({
    SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
    FAILED: (event) => balances.delete(event.client_referenceId),
    REJECTED: (event) => balances.delete(event.client_referenceId),
  }),
);

const port = Number(process.env.PORT ?? 3000);
createServer((request, response) => {
  if (request.url === "/webhooks/payouts") void receive(request, response);
  else response.writeHead(404).end();
})
  .listen(port)
  .once("listening", () => console.log(`Listening on http://localhost:${port}/webhooks/payouts`));
