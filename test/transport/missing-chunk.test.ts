import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AbortError, ConfigurationError, ServiceUnavailableError } from "../../src/errors/index.ts";
import type { ClientEvent } from "../../src/index.ts";
import { clientOf, failureOf } from "../support/client.ts";
import { ifNotProcessed, never, safe } from "../support/operations.ts";
import { answers, startServer } from "../support/server.ts";
import { throws } from "../support/throws.ts";

const busy = () => startServer(answers(503, { status: "FAILED", message: "busy" }));

beforeEach(() => {
  vi.doMock("../../src/transport/retries.ts", throws(new Error("ENOENT: no such file: retries-ABC123.js")));
});
afterEach(() => {
  vi.doUnmock("../../src/transport/retries.ts");
});

it("a deployment that lacks the chunk of the retries ends in the error of the first attempt, which says so", async () => {
  const events: ClientEvent[] = [];
  const server = await busy();
  const call = clientOf(server, { onEvent: (event) => events.push(event) }).send(safe, {});
  const error = await failureOf(call, ServiceUnavailableError);
  expect(error).toMatchObject({ attempts: 1, httpStatus: 503, isRetryable: true, serviceMessage: "busy" });
  expect(error.message).toContain("busy");
  expect(error.message).toMatch(/ It was not retried: the module of the retries could not be loaded\. Restart .*\.$/);
  expect(error.message).toContain("in a bundle of one file, make the call in a function and not at the top level.");
  expect(error.stack).toContain(error.message);
  expect(server.requests).toHaveLength(1);
  // No retry is announced that is not made.
  expect(events.map(({ type }) => type)).toEqual(["request", "response", "error"]);
});

it("a runtime without the `Request` that ky needs ends in the error of the service as well", async () => {
  vi.doUnmock("../../src/transport/retries.ts");
  vi.stubGlobal("Request", undefined);
  const server = await busy();
  const error = await failureOf(clientOf(server).send(safe, {}), ServiceUnavailableError);
  expect(error).toMatchObject({ attempts: 1, serviceMessage: "busy" });
  expect(error.message).toMatch(/ It was not retried: this runtime lacks what ky needs, such as `Request`\.$/);
});

it("a call may be aborted while what explains its refusal is loaded", async () => {
  const controller = new AbortController();
  vi.doMock("../../src/transport/errors/response.ts", () => {
    controller.abort("left");
    return new Promise(() => {});
  });
  const { signal } = controller;
  const error = await failureOf(clientOf(await busy()).send(ifNotProcessed, {}, { signal }), AbortError);
  expect(error).toMatchObject({ attempts: 1, outcome: "unknown", reason: "left" });
  vi.doUnmock("../../src/transport/errors/response.ts");
});

it("a call that is aborted while the chunk is missing ends in the abort", async () => {
  const controller = new AbortController();
  const server = await busy();
  const onEvent = (event: ClientEvent) => event.type === "response" && queueMicrotask(() => controller.abort());
  const error = await failureOf(
    clientOf(server, { onEvent }).send(safe, {}, { signal: controller.signal }),
    AbortError,
  );
  expect(error.attempts).toBe(1);
});

it("a refusal that nothing can explain is an error that says so, and claims nothing", async () => {
  vi.doMock("../../src/transport/errors/response.ts", throws(new Error("ENOENT: no such file: response-ABC123.js")));
  const server = await busy();
  const client = clientOf(server);
  const error = await failureOf(client.send(ifNotProcessed, {}), ConfigurationError);
  expect(error).toMatchObject({ outcome: "unknown", attempts: 1, isRetryable: false });
  expect(error.message).toMatch(/HTTP 503, and what explains it could not be loaded\. Restart .* look it up by its/);
  expect((await failureOf(client.send(never, {}), ConfigurationError)).outcome).toBe("notSent");
  expect((await client.send(ifNotProcessed, {}).asResponse()).status).toBe(503);
  expect(server.requests).toHaveLength(2);
  vi.doUnmock("../../src/transport/errors/response.ts");
  await failureOf(client.send(ifNotProcessed, {}), ServiceUnavailableError);
});

it("a call that is sent once is not sent without the module that judges its refusal", async () => {
  vi.doMock("../../src/transport/refusals/proof.ts", throws(new Error("ENOENT: no such file: proof-ABC123.js")));
  const server = await busy();
  const error = await failureOf(clientOf(server).send(never, {}), ConfigurationError);
  expect(error).toMatchObject({ outcome: "notSent" });
  expect(error.message).toContain("could not be loaded. Nothing was sent.");
  expect(server.requests).toHaveLength(0);
  vi.doUnmock("../../src/transport/refusals/proof.ts");
  expect((await failureOf(clientOf(server).send(never, {}), ServiceUnavailableError)).outcome).toBe("unknown");
});
