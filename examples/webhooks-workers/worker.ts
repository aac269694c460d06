// Cloudflare Workers. Run: npx wrangler dev examples/webhooks-workers/worker.ts
import { hmac, memoryStore, type RequestContext, type WebhookHandler, Webhooks } from "serviceapi/webhooks";

interface Env {
  readonly SERVICEAPI_WEBHOOK_SECRET?: string;
}

// Once an isolate, not once a request: the key is prepared here, and the memory store lives here.
// An application of more than one isolate keeps its claims in a Durable Object: see docs/stores.md.
let handler: WebhookHandler | undefined;

function makeHandler(env: Env): WebhookHandler {
  const balances = new Map<string, number>();
  const webhooks = new Webhooks({
    auth: [hmac({ header: "x-signature", secrets: [() => env.SERVICEAPI_WEBHOOK_SECRET ?? ""] })],
    store: memoryStore(), // one isolate; for more, a Durable Object (docs/stores.md)
    findOrder: "none",
    onFailure: (error, { phase }) => console.error(phase, error),
  });
  return webhooks.handler({
    SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
    FAILED: (event) => balances.delete(event.client_referenceId),
    REJECTED: (event) => balances.delete(event.client_referenceId),
  });
}

export default {
  fetch(request: Request, env: Env, context: RequestContext): Promise<Response> {
    handler ??= makeHandler(env);
    return handler(request, context);
  },
};
