import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { sign } from "serviceapi/webhooks";
import { startOnExpress } from "./on-express.js";
import { startOnFastify } from "./on-fastify.js";
import { credited, refusals, signature } from "./receiver.js";
import { payout } from "./shared/payouts.mjs";
import { variant } from "./shared/variants.mjs";

const applications = { Express: () => startOnExpress(true), Fastify: startOnFastify };

for (const [name, start] of Object.entries(applications)) {
  const app = await start();
  const url = await app.getUrl();

  await variant(`${name}: a delivery, its repeat, an altered one`, async () => {
    const delivery = await sign(payout(`po-${name}`), signature);
    strictEqual(await deliver(url, { ...delivery, body: delivery.body.replace("1500.5", "1500.50") }), "FAILED");
    deepStrictEqual([credited, refusals.splice(0).length], [[], 1]);
    strictEqual(await deliver(url, delivery), "SUCCESS");
    strictEqual(await deliver(url, delivery), "DUPLICATE");
    deepStrictEqual(credited.splice(0), [`po-${name}`]);
  });

  await variant(`${name}: a stream, relayed by toResponse()`, async () => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/chat`, { method: "POST", headers, body: JSON.stringify({ text: "नमस्ते" }) });
    match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    match(await response.text(), /event: response_completed\ndata: .*> नमस्ते/);
  });

  if (name === "Fastify") {
    await variant("Fastify: nodeHandler refuses the reply before any work", async () => {
      const delivery = await sign(payout("po-mistaken"), signature);
      const response = await fetch(`${url}/mistaken`, { method: "POST", ...delivery });
      deepStrictEqual([response.status, credited], [500, []]);
    });
  }
  await app.close();
}

await variant("Express without rawBody: refused, with advice", async () => {
  const app = await startOnExpress(false);
  strictEqual(await deliver(await app.getUrl(), await sign(payout("po-parsed"), signature)), "FAILED");
  await app.close();
  deepStrictEqual(credited, []);
  match(refusals.splice(0).join(), /rawBody/);
});

async function deliver(url: string, { headers, body }: { headers: Record<string, string>; body: string }) {
  const response = await fetch(`${url}/webhooks/payouts`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return ((await response.json()) as { status: string }).status;
}
