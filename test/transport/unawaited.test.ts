import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type ClientEvent,
  type ClientOptions,
  type FareQuoteParams,
  type RequestOptions,
  ServiceApi,
} from "../../src/index.ts";
import type { safe } from "../support/operations.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => process.off("unhandledRejection", note));

it("a call that is not awaited is not an unhandled rejection, and onEvent receives its failure", async () => {
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
    const api = new ServiceApi({
      baseUrl: "https://api.example.com",
      clientId: "a",
      clientSecret: "a-secret",
      fetch: () => Promise.reject(new TypeError("not expected")),
      onEvent: (event) => events.push(event),
      log: { level: "info", logger: { error: write, warn: write, info: write, debug: write } },
      ...options,
    });
    api.flights.fareQuote(body, own);
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
