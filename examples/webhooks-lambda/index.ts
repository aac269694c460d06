// AWS Lambda behind API Gateway (v1 or v2) or a function URL.

import { lambdaHandler } from "serviceapi/node";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature" })],
  store: memoryStore(), // to try it out: processes share a redisStore or postgresStore (docs/stores.md)
  findOrder: "none",
  onFailure: (error, { phase }) => console.error(phase, error),
});

export const handler = lambdaHandler(
  webhooks.handler({
    SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
    FAILED: (event) => balances.delete(event.client_referenceId),
    REJECTED: (event) => balances.delete(event.client_referenceId),
  }),
);
