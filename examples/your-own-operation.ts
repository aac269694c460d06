/**
 * Calls an endpoint that this library does not know, with the same credentials, errors and retries: first to see what
 * comes back, then with schemas.
 * `npx tsx examples/your-own-operation.ts`
 */
import { defineOperation, ServiceApi } from "serviceapi";
import * as z from "zod";

// Stands in for the service and prints the request.
const service: typeof fetch = async (url, init) => {
  console.log(`POST ${new URL(String(url)).pathname} ${init?.body}`);
  return Response.json({ status: "SUCCESS", statusCode: "200", utr: "000000000001" });
};
const api = new ServiceApi({
  baseUrl: "https://api.example.com",
  clientId: "demo-client",
  clientSecret: "demo-secret",
  fetch: service,
  // `payouts` is an area of our own. Without this entry its paths are directly below `baseUrl`.
  pathPrefixes: { payouts: "v2" },
});

// A first try: a name and a path. It is sent once, because nobody has said that a retry is harmless.
const firstTry = defineOperation({ name: "payouts.status", area: "payouts", path: "payout/status" });
console.log("fields:", Object.keys(await api.send(firstTry, { transactionId: "TXN1" })).join(", "));

// The same for production: checked params, a checked response, and retries.
const payoutStatus = defineOperation({
  name: "payouts.status",
  area: "payouts",
  path: "payout/status",
  params: z.object({ transactionId: z.string().min(1) }),
  body: z.looseObject({ status: z.string(), utr: z.optional(z.string()) }),
  essential: ["status"],
  retry: "safe",
});
const { data, clientReferenceId } = await api.send(payoutStatus, { transactionId: "TXN1" }).withResponse();
console.log(`${clientReferenceId?.length} characters of reference, UTR ${data.utr}`);
