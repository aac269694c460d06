import { ConfigurationError, ServiceApi } from "serviceapi";
import { Client } from "serviceapi/core";
import { Webhooks } from "serviceapi/webhooks";
import { expect, it, onTestFinished } from "vitest";

/** test/consumers/old-node does so on real ones. */
it.each([
  ["ServiceApi", () => new ServiceApi()],
  ["Client", () => new Client()],
  ["Webhooks", () => new Webhooks()],
])("%s refuses a Node older than 22, and names its version", (_, create) => {
  const { withResolvers } = Promise;
  onTestFinished(() => {
    Promise.withResolvers = withResolvers;
  });
  Reflect.deleteProperty(Promise, "withResolvers");
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(`serviceapi needs Node 22.12 or later; this is ${process.version}.`);
});
