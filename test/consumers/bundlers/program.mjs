/** What an application does with every entry point that runs wherever `fetch` does. It throws at the first surprise. */
import { Ai, isServiceApiError, ServiceApi } from "serviceapi";
import { checkCallbackUrl, checkCallbackUrlLive } from "serviceapi/callback-url";
import { Client } from "serviceapi/core";
import { createEmulator } from "serviceapi/emulator";
import { checkout, memoryJournal } from "serviceapi/flights";
import { fareRuleText } from "serviceapi/flights/rule-text";
import { postgresJournal, postgresStore, redisStore } from "serviceapi/stores";
import { journalSuite, storeSuite } from "serviceapi/testing";
import { findVpas } from "serviceapi/verification";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";
import { ipAllowList } from "serviceapi/webhooks/ip";

/** @param {{ hasNode: boolean, adapters?: ((handler: any) => unknown)[] }} runtime Whether it has Node's modules. */
export async function runProgram({ hasNode, adapters }) {
  const emulator = createEmulator({ pace: 0 });
  const options = {
    baseUrl: "https://emulator.example",
    clientId: "demo-client",
    clientSecret: "demo-secret",
    fetch: emulator.fetch,
    // The secret is the emulator's.
    dangerouslyAllowBrowser: true,
  };
  const api = new ServiceApi(options);
  await call(api, emulator);
  await stream(api, options);
  await quote(api, emulator);
  await receive(adapters);
  await stores();
  await listen(emulator, hasNode);
  equal("the callback URL", checkCallbackUrl("http://10.0.0.1/hook", { brandDomain: "example.in" }).ok, false);
  equal("fareRuleText", fareRuleText("<b>Adult</b><ul><li>INR 3000</li></ul>"), "Adult\n• INR 3000");
  return "done";
}

async function call(api, emulator) {
  const params = { vpa_mobile: "6000000001", consent: "Y" };
  equal("vpaList", (await api.verification.findVpas(params)).vpaList.length, 3);
  // The parts that are loaded later: ky with the first retry, zod with the first value that does not pass.
  emulator.on("verification.findVpas", "unavailable", { times: 1 });
  equal("after a retry", (await api.verification.findVpas(params)).vpaList.length, 3);
  equal("requests", emulator.requests.length, 3);
  const error = await api.verification.findVpas({ vpa_mobile: "1", consent: "Y" }).catch((error) => error);
  equal("isServiceApiError", isServiceApiError(error), true);
  equal("kind", error.kind, "request_validation");
  equal("issues", error.issues.length > 0, true);
}

async function stream(api, options) {
  let text = "";
  for await (const piece of api.ai.stream({ user: { text: "hello" } }).textStream) text += piece;
  equal("the text of a stream", text.includes("> hello"), true);
  const response = api.ai.stream({ user: { text: "hello" } }).toResponse({ format: "text" });
  equal("toResponse()", await response.text(), text);
  const core = new Client(options);
  equal("Client", (await core.send(findVpas, { vpa_mobile: "6000000001", consent: "Y" })).vpaList.length, 3);
  equal("Ai", await new Ai(core).stream({ user: { text: "hello" } }).finalText(), text);
}

async function quote(api, emulator) {
  const trip = checkout(api, emulator.seedSearch(), { journal: memoryJournal() });
  equal("quote()", (await trip.quote()).data.result.length > 0, true);
}

async function receive(adapters = []) {
  const webhooks = new Webhooks({
    auth: [hmac({ header: "x-signature", secrets: ["secret"] })],
    store: memoryStore(),
    findOrder: "none",
  });
  const paid = [];
  const handler = webhooks.handler({ SUCCESS: (event) => paid.push(event.utr), FAILED() {}, REJECTED() {} });
  const delivery = await webhooks.sign({
    status: "SUCCESS",
    client_referenceId: "order-1",
    transactionId: "TXN1",
    txn_amount: 1500.5,
    utr: "123456789012",
  });
  const post = async (headers) => {
    const request = new Request("https://shop.example/hook", { method: "POST", headers, body: delivery.body });
    return (await (await handler(request)).json()).status;
  };
  equal("a signed delivery", await post(delivery.headers), "SUCCESS");
  equal("its redelivery", await post(delivery.headers), "DUPLICATE");
  equal("a wrong signature", await post({ ...delivery.headers, "x-signature": "00" }), "FAILED");
  equal("the payouts", paid.length, 1);
  for (const adapt of adapters) equal("an adapter", typeof adapt(handler), "function");
  equal("ipAllowList", typeof ipAllowList(["203.0.113.0/24"]).check, "function");
}

async function stores() {
  for (const { run } of journalSuite(() => memoryJournal())) await run();
  const [first] = storeSuite(() => memoryStore());
  await first.run();
  for (const create of [postgresJournal, postgresStore, redisStore]) equal("it", typeof create, "function");
}

async function listen(emulator, hasNode) {
  if (hasNode) {
    const server = await emulator.listen();
    const response = await fetch(server.url);
    await response.text();
    await server.close();
    equal("listen()", response.status, 404);
    return;
  }
  for (const use of [
    () => emulator.listen(),
    () => checkCallbackUrlLive("https://example.in/hook", { brandDomain: "example.in" }),
  ]) {
    const error = await use().catch((error) => error);
    equal("what needs Node", error.kind, "configuration");
  }
}

function equal(what, actual, expected) {
  if (actual !== expected) throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}
