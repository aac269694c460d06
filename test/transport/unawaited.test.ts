import { afterEach, beforeEach, expect, it } from "vitest";
import { type ClientEvent, ServiceApi } from "../../src/index.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => process.off("unhandledRejection", note));

it("a call that nobody awaits is no unhandled rejection, and its failure is told to onEvent", async () => {
  let resolve: (event: ClientEvent) => void = () => {};
  const promise = new Promise<ClientEvent>((take) => {
    resolve = take;
  });
  const api = new ServiceApi({
    baseUrl: "https://api.example.com",
    clientId: "a",
    clientSecret: "a-secret",
    maxRetries: 0,
    fetch: () => Promise.reject(new TypeError("no network")),
    onEvent: (event) => {
      if (event.type === "error") resolve(event);
    },
  });
  const call = api.verification.findVpas({ consent: "Y", vpa_mobile: "6000000001" });
  expect(await promise).toMatchObject({ type: "error", operation: "verification.findVpas", kind: "connection" });
  // Rejections are looked at after a turn of the event loop.
  await new Promise((turn) => setImmediate(turn));
  expect(unhandled).toEqual([]);
  await expect(call).rejects.toMatchObject({ name: "ConnectionError" });
});

it("a call that was refused before it was sent rejects when it is awaited later", async () => {
  const api = new ServiceApi({ baseUrl: "https://api.example.com", clientId: "a", clientSecret: "a-secret" });
  const call = api.verification.findVpas({ consent: "Y", vpa_mobile: "1" });
  await new Promise((turn) => setImmediate(turn));
  expect(unhandled).toEqual([]);
  await expect(call).rejects.toMatchObject({ name: "RequestValidationError" });
});
