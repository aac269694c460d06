/**
 * Tests with the test runner of Node.
 *
 *   node --import tsx --test examples/testing-node/payee.test.ts
 */
import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { ServiceApi } from "serviceapi";
import { createEmulator, signedDelivery } from "serviceapi/emulator";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";
import { findPayee } from "../testing/payee.ts";

const emulator = createEmulator({ pace: 0 });
const settings = { baseUrl: "https://emulator.example", clientId: "demo-client", clientSecret: "demo-secret" };
const api = new ServiceApi({ ...settings, fetch: emulator.fetch });

beforeEach(() => emulator.reset());

test("a response of yours", async () => {
  emulator.on("verification.findVpas", { name: "ASHA EXAMPLE", vpaList: ["asha@examplebank"] });
  assert.deepEqual(await findPayee("9876543210", api), { name: "ASHA EXAMPLE", vpa: "asha@examplebank" });
});

test("a refusal", async () => {
  emulator.on("verification.findVpas", "not_found", { times: 1 });
  assert.equal(await findPayee("9876543210", api), undefined);
  assert.deepEqual(emulator.unused, []);
});

test("a stream", async () => {
  emulator.on("ai.stream", ["Take the ", "early train."]);
  assert.equal(await api.ai.stream({ user: { text: "How?" } }).finalText(), "Take the early train.");
});

test("code that makes its own client: replace the global fetch", async (context) => {
  const calls = context.mock.method(globalThis, "fetch", emulator.fetch).mock;
  await findPayee("9876543210", new ServiceApi(settings));
  assert.equal(calls.callCount(), 1);
});

test("a retry, without its pause", async () => {
  emulator.on("*", "unavailable", { times: 1 });
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    // `then` starts the call: a call that nobody waits for plans no retry.
    const payee = findPayee("9876543210", api).then((found) => found);
    while (emulator.requests.length < 2) {
      await new Promise((resolve) => setImmediate(resolve));
      mock.timers.tick(1_000);
    }
    assert.equal((await payee)?.vpa, "9876543210@demoupi");
  } finally {
    mock.timers.reset();
  }
});

test("a webhook", async () => {
  const auth = hmac({ header: "x-signature", secrets: ["a secret of at least a few words"] });
  const credited: string[] = [];
  const webhooks = new Webhooks({ auth: [auth], store: memoryStore(), findOrder: () => 8500 });
  const handler = webhooks.handler({
    SUCCESS: (event) => void credited.push(event.client_referenceId),
    FAILED: () => {},
    REJECTED: () => {},
  });
  for (const status of ["SUCCESS", "DUPLICATE"]) {
    const response = await handler(await signedDelivery({ auth, client_referenceId: "order-17", amount: 8500 }));
    assert.equal((await response.json()).status, status);
  }
  assert.deepEqual(credited, ["order-17"]);
});
