/**
 * Tests with Bun.
 *
 *   bun test examples/testing-bun
 */
import { beforeEach, expect, spyOn, test } from "bun:test";
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";

const emulator = createEmulator({ pace: 0 });
const settings = { baseUrl: "https://emulator.example", clientId: "demo-client", clientSecret: "demo-secret" };
const api = new ServiceApi({ ...settings, fetch: emulator.fetch });
const find = async (client = api) => client.verification.findVpas({ vpa_mobile: "9876543210", consent: "Y" });

beforeEach(() => emulator.reset());

test("a scripted response", async () => {
  emulator.on("verification.findVpas", { name: "ASHA EXAMPLE", vpaList: ["asha@examplebank"] });
  expect(await find()).toMatchObject({ name: "ASHA EXAMPLE", vpa: "asha@examplebank", count: 1 });
});

test("a refusal", async () => {
  emulator.on("verification.findVpas", "not_found", { times: 1 });
  expect(find()).rejects.toMatchObject({ name: "NotFoundError" });
});

test("a stream", async () => {
  emulator.on("ai.stream", ["Take the ", "early train."]);
  expect(await api.ai.stream({ user: { text: "How?" } }).finalText()).toBe("Take the early train.");
});

test("code that makes its own client: replace the global fetch", async () => {
  const spy = spyOn(globalThis, "fetch").mockImplementation(emulator.fetch);
  await find(new ServiceApi(settings));
  expect(spy).toHaveBeenCalledTimes(1);
  spy.mockRestore();
});
