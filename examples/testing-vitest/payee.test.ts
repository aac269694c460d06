/**
 * Tests with Vitest.
 *
 *   npx vitest run examples/testing-vitest
 */
import { setupServer } from "msw/node";
import { ServiceApi } from "serviceapi";
import { createEmulator, sample, signedDelivery } from "serviceapi/emulator";
import { emulatorHandlers } from "serviceapi/msw";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findPayee } from "../testing/payee.ts";

const emulator = createEmulator({ pace: 0, now: "2026-11-20T06:00:00Z" });
const settings = { baseUrl: "https://emulator.example", clientId: "demo-client", clientSecret: "demo-secret" };
const api = new ServiceApi({ ...settings, fetch: emulator.fetch });

beforeEach(() => emulator.reset());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("findPayee", () => {
  it("returns a response of yours", async () => {
    emulator.on("verification.findVpas", { name: "ASHA EXAMPLE", vpaList: ["asha@examplebank"] });
    expect(await findPayee("9876543210", api)).toEqual({ name: "ASHA EXAMPLE", vpa: "asha@examplebank" });
  });

  it("returns undefined if no UPI ID is linked", async () => {
    emulator.on("verification.findVpas", "not_found", { times: 1 });
    expect(await findPayee("9876543210", api)).toBeUndefined();
    expect(emulator.unused).toEqual([]);
  });

  it("retries, without the pause", async () => {
    vi.useFakeTimers();
    emulator.on("*", "unavailable", { times: 1 });
    const payee = findPayee("9876543210", api);
    await vi.waitFor(() => expect(emulator.requests).toHaveLength(2), 10_000); // moves the fake time
    expect(await payee).toMatchObject({ vpa: "9876543210@demoupi" });
  });

  it("shows that it is waiting", async () => {
    emulator.on("verification.findVpas", { name: "LATE" }, { delay: 5_000 });
    const payee = findPayee("9876543210", api);
    await vi.waitFor(() => expect(emulator.requests).toHaveLength(1));
    await emulator.clock.advance(5_000); // of the emulator's clock, in no time
    expect(await payee).toMatchObject({ name: "LATE" });
  });
});

it("replaces the global fetch of code that makes its own client", async () => {
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(emulator.fetch);
  await findPayee("9876543210", new ServiceApi(settings));
  expect(spy).toHaveBeenCalledOnce();
});

it("works through Mock Service Worker", async () => {
  const server = setupServer(...emulatorHandlers(emulator, { baseUrl: settings.baseUrl }));
  server.listen();
  try {
    expect(await findPayee("9876543210", new ServiceApi(settings))).toMatchObject({ vpa: "9876543210@demoupi" });
  } finally {
    server.close();
  }
});

it("needs no emulator for code that takes a body", () => {
  const quote = sample("flights.fareQuote", "success-domestic-oneway-lcc");
  expect(quote.data.result[0]?.fare.total_fare).toBe(3967.75);
});

it("receives a webhook once", async () => {
  const auth = hmac({ header: "x-signature", secrets: ["a secret of at least a few words"] });
  const credit = vi.fn();
  const webhooks = new Webhooks({ auth: [auth], store: memoryStore(), findOrder: () => 8500 });
  const handler = webhooks.handler({ SUCCESS: credit, FAILED: () => {}, REJECTED: () => {} });
  for (const status of ["SUCCESS", "DUPLICATE"]) {
    const response = await handler(await signedDelivery({ auth, client_referenceId: "order-17", amount: 8500 }));
    expect(await response.json()).toMatchObject({ status, client_referenceId: "order-17" });
  }
  expect(credit).toHaveBeenCalledOnce();
});
