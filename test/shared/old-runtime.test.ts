import { ConfigurationError, ServiceApi } from "serviceapi";
import { Client } from "serviceapi/core";
import { createEmulator } from "serviceapi/emulator";
import { sign, Webhooks } from "serviceapi/webhooks";
import { expect, it, onTestFinished, vi } from "vitest";

/** test/consumers/old-node does so on real ones. */
it.each([
  ["ServiceApi", () => new ServiceApi()],
  ["Client", () => new Client()],
  ["Webhooks", () => new Webhooks()],
  ["createEmulator", () => createEmulator()],
])("%s refuses a Node older than 22, and names its version", (_, create) => {
  withoutResolvers();
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(`serviceapi needs Node 22.12 or later; this is ${process.version}.`);
});

it("sign refuses it too, and rejects instead of throwing", async () => {
  withoutResolvers();
  await expect(sign({ status: "SUCCESS" }, "none")).rejects.toThrow("serviceapi needs Node 22.12 or later");
});

it.each([
  ["no `process`", undefined],
  ["the `process` of a bundler, without a version", { env: {} }],
  ["the `process` of a bundler, whose version is empty", { env: {}, version: "" }],
])("names what is missing in an old browser with %s", (_, stand) => {
  withoutResolvers();
  vi.stubGlobal("process", stand);
  expect(() => new Client({ dangerouslyAllowBrowser: true })).toThrow(
    "serviceapi needs `Promise.withResolvers`, which this runtime does not have. Use a newer browser or runtime.",
  );
});

function withoutResolvers(): void {
  const { withResolvers } = Promise;
  onTestFinished(() => {
    Promise.withResolvers = withResolvers;
  });
  Reflect.deleteProperty(Promise, "withResolvers");
}
