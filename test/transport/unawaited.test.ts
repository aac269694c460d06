import { beforeEach, expect, it, onTestFinished } from "vitest";
import {
  type ClientEvent,
  type ClientOptions,
  type FareQuoteParams,
  type RequestOptions,
  ServiceApi,
} from "../../src/index.ts";
import { clientOf, nowhere } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import type { safe } from "../support/operations.ts";
import { watchUnhandled } from "../support/unhandled.ts";

let unhandled: readonly unknown[];
beforeEach(() => {
  unhandled = watchUnhandled();
});

it.each<[string, () => Promise<Response>, object]>([
  ["a connection", () => Promise.reject(new TypeError("no network")), { kind: "connection" }],
  ["a refusal", async () => Response.json({ status: "FAILED" }, { status: 404 }), { kind: "not_found" }],
])(
  "a call that is not awaited is not an unhandled rejection, and onEvent receives its failure: %s",
  async (_case, fetch, failure) => {
    const failed = gate<ClientEvent>();
    const onEvent = (event: ClientEvent) => event.type === "error" && failed.open(event);
    const api = clientOf(nowhere, { maxRetries: 0, fetch, onEvent });
    // A call that nobody awaits holds its response until its deadline.
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const call = api.verification.findVpas({ consent: "Y", vpa_mobile: "6000000001" }, { signal: controller.signal });
    expect(await failed.opened).toMatchObject({ operation: "verification.findVpas", ...failure });
    // Rejections are looked at after a turn of the event loop.
    await new Promise((turn) => setImmediate(turn));
    expect(unhandled).toEqual([]);
    await expect(call).rejects.toMatchObject(failure);
  },
);

it("a call that was refused before it was sent rejects when it is awaited later", async () => {
  const call = clientOf(nowhere).verification.findVpas({ consent: "Y", vpa_mobile: "1" });
  await new Promise((turn) => setImmediate(turn));
  expect(unhandled).toEqual([]);
  await expect(call).rejects.toMatchObject({ name: "RequestValidationError" });
  await expect(call.withResponse()).rejects.toMatchObject({ name: "RequestValidationError" });
});

const params = { trace_id: "T", token: "S", client_referenceId: "ref-1" };

it.each<[string, ClientOptions, FareQuoteParams, RequestOptions?]>([
  ["request_validation", {}, { ...params, token: "" }],
  ["configuration", {}, params, { time_out: 1 } as RequestOptions],
  ["configuration", { clientSecret: () => "" }, params],
  ["configuration", { clientSecret: () => Promise.reject(new Error("vault")) }, params],
  ["abort", { clientSecret: () => new Promise<string>(() => {}) }, params, { signal: AbortSignal.abort() }],
  ["configuration", { baseUrl: "https://api.example.com/api", pathPrefixes: { flights: "api" } }, params],
])(
  "a call that is refused before it is sent is reported to onEvent and the log: %s %#",
  async (kind, options, body, own) => {
    const events: ClientEvent[] = [];
    const lines: unknown[] = [];
    const write = (...line: unknown[]) => lines.push(line);
    const client: ClientOptions = {
      fetch: () => Promise.reject(new TypeError("not expected")),
      onEvent: (event) => events.push(event),
      log: { level: "info", logger: { error: write, warn: write, info: write, debug: write } },
    };
    clientOf(nowhere, { ...client, ...options }).flights.fareQuote(body, own);
    await expect.poll(() => events.length).toBe(1);
    const common = {
      clientReferenceId: "ref-1",
      type: "error",
      kind,
      outcome: "notSent",
      requestId: undefined,
      attempts: 0,
    };
    const duration = expect.toSatisfy((time) => time >= 0 && time < 60_000);
    const callId = expect.stringMatching(/^\w{26}$/);
    expect(events).toEqual([{ callId, operation: "flights.fareQuote", ...common, duration }]);
    const { type: _, ...fields } = common;
    expect(lines).toEqual([["serviceapi flights.fareQuote error", { callId, ...fields, duration }]]);
    expect(unhandled).toEqual([]);
  },
);

it("a call of something that is not an operation is reported, too", async () => {
  const events: ClientEvent[] = [];
  const api = new ServiceApi({ onEvent: (event) => events.push(event) });
  api.send({} as typeof safe, {});
  await new Promise((turn) => setImmediate(turn));
  expect(events).toMatchObject([{ operation: "send", type: "error", kind: "configuration", attempts: 0 }]);
  expect(unhandled).toEqual([]);
});
