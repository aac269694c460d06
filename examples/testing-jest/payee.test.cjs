/**
 * Tests with Jest, in CommonJS. `testEnvironment` must be "node", which is Jest's default.
 *
 *   npx jest examples/testing-jest
 */
const { ServiceApi } = require("serviceapi");
const { createEmulator, signedDelivery } = require("serviceapi/emulator");
const { hmac, memoryStore, Webhooks } = require("serviceapi/webhooks");

const emulator = createEmulator({ pace: 0 });
const settings = { baseUrl: "https://emulator.example", clientId: "demo-client", clientSecret: "demo-secret" };
const api = new ServiceApi({ ...settings, fetch: emulator.fetch });
const find = (client = api) => client.verification.findVpas({ vpa_mobile: "9876543210", consent: "Y" });

beforeEach(() => emulator.reset());
afterEach(() => jest.restoreAllMocks());

test("a scripted response", async () => {
  emulator.on("verification.findVpas", { name: "ASHA EXAMPLE", vpaList: ["asha@examplebank"] });
  await expect(find()).resolves.toMatchObject({ name: "ASHA EXAMPLE", vpa: "asha@examplebank", count: 1 });
});

test("a refusal", async () => {
  emulator.on("verification.findVpas", "not_found", { times: 1 });
  await expect(find()).rejects.toMatchObject({ name: "NotFoundError" });
  expect(emulator.unused).toEqual([]);
});

test("a stream", async () => {
  emulator.on("ai.stream", ["Take the ", "early train."]);
  await expect(api.ai.stream({ user: { text: "How?" } }).finalText()).resolves.toBe("Take the early train.");
});

test("code that makes its own client: replace the global fetch", async () => {
  const spy = jest.spyOn(globalThis, "fetch").mockImplementation(emulator.fetch);
  await find(new ServiceApi(settings));
  expect(spy).toHaveBeenCalledTimes(1);
});

test("a webhook", async () => {
  const auth = hmac({ header: "x-signature", secrets: ["a secret of at least a few words"] });
  const credit = jest.fn();
  const webhooks = new Webhooks({ auth: [auth], store: memoryStore(), findOrder: () => 8500 });
  const handler = webhooks.handler({ SUCCESS: credit, FAILED() {}, REJECTED() {} });
  const response = await handler(await signedDelivery({ auth, client_referenceId: "order-17", amount: 8500 }));
  expect(await response.json()).toMatchObject({ status: "SUCCESS", client_referenceId: "order-17" });
  expect(credit).toHaveBeenCalledTimes(1);
});
