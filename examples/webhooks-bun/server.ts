// Bun. Run: bun examples/webhooks-bun/server.ts
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

/** Stands in for Bun's own types, so that this file also checks without them. */
declare const Bun: {
  serve(options: { port: number; fetch: (request: Request, server: BunServer) => Promise<Response> }): unknown;
};
interface BunServer {
  requestIP(request: Request): { readonly address: string } | null;
}

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

const port = Number(process.env.PORT ?? 3000);
Bun.serve({
  port,
  fetch: (request, server) => handler(request, { remoteAddress: server.requestIP(request)?.address }),
});
console.log(`Listening on http://localhost:${port}/`);
