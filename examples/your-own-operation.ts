/**
 * Calls an endpoint that this library does not know, with the same credentials, errors and retries.
 * `npx tsx examples/your-own-operation.ts`
 */
import { defineOperation, ServiceApi } from "serviceapi";
import * as z from "zod";

const payoutStatus = defineOperation({
  name: "payouts.status",
  area: "verification",
  path: "payout/status",
  params: z.object({ transactionId: z.string().min(1) }),
  body: z.looseObject({ status: z.string(), utr: z.optional(z.string()) }),
  essential: ["status"],
  retry: "safe",
});

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
});

const { data, clientReferenceId } = await api.send(payoutStatus, { transactionId: "TXN1" }).withResponse();
console.log(`${clientReferenceId?.length} characters of reference, UTR ${data.utr}`);
