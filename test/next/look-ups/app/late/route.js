import { after } from "next/server";
import { memoryStore, Webhooks } from "serviceapi/webhooks";

const webhooks = new Webhooks({
  auth: "none",
  store: memoryStore(),
  findOrder: "none",
  ackTimeout: 1,
  onFailure: (error) => console.error(error.message),
});

/** Takes as long as the service takes to respond. */
async function work() {
  for (const path of ["work", "done"]) await fetch(`${process.env.SERVICEAPI_BASE_URL}/${path}`, { method: "POST" });
}

const handler = webhooks.handler({ SUCCESS: work, FAILED: work, REJECTED: work });

export const POST = (request) => handler(request, { waitUntil: after });
