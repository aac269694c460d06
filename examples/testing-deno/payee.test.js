/**
 * Tests with Deno. The emulator needs no permission.
 *
 *   deno test examples/testing-deno
 */
import assert from "node:assert/strict";
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";

const emulator = createEmulator({ pace: 0 });
const settings = { baseUrl: "https://emulator.example", clientId: "demo-client", clientSecret: "demo-secret" };
const api = new ServiceApi({ ...settings, fetch: emulator.fetch });
const find = () => api.verification.findVpas({ vpa_mobile: "9876543210", consent: "Y" });

/** Each test begins with an emulator that remembers nothing. */
const test = (name, run) =>
  Deno.test(name, async () => {
    emulator.reset();
    await run();
  });

test("a scripted response", async () => {
  emulator.on("verification.findVpas", { name: "ASHA EXAMPLE", vpaList: ["asha@examplebank"] });
  assert.equal((await find()).vpa, "asha@examplebank");
});

test("a refusal", async () => {
  emulator.on("verification.findVpas", "not_found", { times: 1 });
  await assert.rejects(() => find().then(String), { name: "NotFoundError" });
  assert.deepEqual(emulator.unused, []);
});

test("a stream", async () => {
  emulator.on("ai.stream", ["Take the ", "early train."]);
  assert.equal(await api.ai.stream({ user: { text: "How?" } }).finalText(), "Take the early train.");
});
