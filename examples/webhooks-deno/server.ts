// Deno, which takes the built package: in a clone, first npm ci && npm run build
// Run: deno run --allow-net --allow-env examples/webhooks-deno/server.ts
import { hmac, memoryStore, type RequestContext, Webhooks } from "serviceapi/webhooks";

/** Stands in for Deno's own types, so that this file also checks without them. */
declare const Deno: {
  readonly env: { get(name: string): string | undefined };
  serve(options: { port: number }, handler: (request: Request, info: RequestContext) => Promise<Response>): unknown;
};

const balances = new Map<string, number>();
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature" })],
  store: memoryStore(), // one process; for more, redisStore or postgresStore (docs/stores.md)
  findOrder: "none",
  onFailure: (error, { phase }) => console.error(phase, error),
});

Deno.serve(
  { port: Number(Deno.env.get("PORT") ?? 3000) },
  webhooks.handler({
    SUCCESS: (event) => balances.set(event.client_referenceId, event.txn_amount),
    FAILED: (event) => balances.delete(event.client_referenceId),
    REJECTED: (event) => balances.delete(event.client_referenceId),
  }),
);
