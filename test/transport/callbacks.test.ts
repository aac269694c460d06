import { describe, expect, it, vi } from "vitest";
import {
  ConfigurationError,
  InvalidRequestError,
  RequestValidationError,
  ResponseValidationError,
} from "../../src/errors/index.ts";
import type { ClientEvent, ClientOptions } from "../../src/index.ts";
import { bookUnchecked } from "../support/book.ts";
import { clientOf, errorOf, failureOf, nowhere, sample } from "../support/client.ts";
import { made } from "../support/operations.ts";
import { pollute } from "../support/pollute.ts";
import { serve } from "../support/serve.ts";
import { answers, inTurn, startServer } from "../support/server.ts";
import { throws } from "../support/throws.ts";
import { watchUnhandled } from "../support/unhandled.ts";

const refusal = { status: "failed", statusCode: "400", message: "Invalid mobile number format" };

const fail = throws(new Error("a fault of the application"));

describe("functions of the application that the client calls", () => {
  const refusing = async (options: ClientOptions) => {
    const { api } = await serve(answers(400, refusal), options);
    return api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
  };

  it.each([
    ["throws", fail],
    ["gives no kind", () => "constructor" as "invalid"],
    ["gives a list of kinds", () => ["rate_limited"] as never],
    ["leaves it open", () => undefined],
  ])("a classifyError that %s leaves it to the built-in table", async (_name, classifyError) => {
    const error = await failureOf(refusing({ classifyError }), InvalidRequestError);
    expect(error).toMatchObject({ kind: "invalid", outcome: "rejected" });
  });

  it.each([
    ["throws", fail, /`createReference` threw\. Nothing was sent/],
    ["gives an empty text", () => "", /must return a non-empty string/],
    ["gives no text", () => 17 as unknown as string, /must return a non-empty string/],
    ["gives more than the 30 characters of §8", () => "x".repeat(31), /must be at most 30 characters/],
  ])("nothing is sent when createReference %s", async (_name, createReference, message) => {
    const { server, api } = await serve(answers(200, {}), { createReference });
    const call = api.ai.createResponse({ user: { text: "Hello" } });
    const error = await failureOf(call, ConfigurationError);
    expect(error.message).toMatch(message);
    expect(server.requests).toEqual([]);
  });

  it("a reference of any length goes to a flight operation, for which none is documented", async () => {
    const reference = "x".repeat(31);
    const { api } = await serve(answers(400, refusal), { createReference: () => reference });
    const call = api.flights.fareQuote({ trace_id: "t", token: "t" });
    expect((await failureOf(call, InvalidRequestError)).clientReferenceId).toBe(reference);
  });
});

describe("onEvent", () => {
  it("receives the bytes of the request and of the whole response", async () => {
    const events: ClientEvent[] = [];
    const { server, api } = await serve(answers(400, refusal), { onEvent: (event) => events.push(event) });
    await failureOf(api.ai.createResponse({ user: { text: "नमस्ते" } }), InvalidRequestError);
    const [sent] = server.requests;
    expect(events.map(({ type }) => type)).toEqual(["request", "response", "error"]);
    expect(events[0]).toMatchObject({ bytes: Buffer.byteLength(sent?.body ?? "") });
    expect(events[1]).toMatchObject({ httpStatus: 400, bytes: JSON.stringify(refusal).length });
  });

  it("receives no size of a response that the caller reads", async () => {
    const events: ClientEvent[] = [];
    const { api } = await serve(answers(400, refusal), { onEvent: (event) => events.push(event) });
    await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }).asResponse();
    const last = events.findLast(({ type }) => type === "response");
    expect(last).toMatchObject({ httpStatus: 400 });
    expect(last).not.toHaveProperty("bytes");
  });
});

describe("an async function whose result is not awaited", () => {
  it("never ends the process with an unhandled rejection, and counts as returning nothing", async () => {
    const unhandled = watchUnhandled();
    const broken = async () => Promise.reject(new Error("async"));
    const server = await startServer(inTurn(answers(503, "busy"), answers(400, refusal)));
    const options = {
      classifyError: broken,
      retryDelay: broken,
      onEvent: broken,
      log: { logger: { error: broken, warn: broken, info: broken, debug: broken }, level: "debug" },
      maxRetries: 1,
    };
    // retryDelay says nothing: the default pause of up to 500 ms.
    vi.spyOn(Math, "random").mockReturnValueOnce(0);
    const call = clientOf(server, options as unknown as ClientOptions).verification.findVpas({
      vpa_mobile: "6000000001",
      consent: "Y",
    });
    await failureOf(call, InvalidRequestError);
    const { ai } = clientOf(server, { createReference: broken as unknown as () => string });
    await failureOf(ai.createResponse({ user: { text: "Hello" } }), ConfigurationError);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });
});

describe("a response is not lost to what inspects it", () => {
  const deep = `${'{"a":['.repeat(20_000)}${"]}".repeat(20_000)}`;
  it.each([true, false])(
    "a body that nests deeper than the stack of a logger (personal data: %s)",
    async (personalData) => {
      const server = await startServer(
        answers(200, `{"status":"SUCCESS","data":{"result":{"pnr":"ABC123"}},"deep":${deep}}`),
      );
      const logger = { error() {}, warn() {}, info() {}, debug() {} };
      const booking = await bookUnchecked(clientOf(server, { log: { logger, level: "debug", personalData } }));
      expect(booking).toMatchObject({ data: { result: { pnr: "ABC123" } } });
    },
  );

  it("a signal whose listener cannot be removed", async () => {
    const booked = { status: "SUCCESS", data: { result: { pnr: "ABC123" } } };
    const { api } = await serve(answers(200, booked));
    const fail = throws(new TypeError("removeEventListener is not a function"));
    const signal = { aborted: false, addEventListener() {}, removeEventListener: fail } as unknown as AbortSignal;
    const call = bookUnchecked(api, { signal });
    expect(await call).toMatchObject(booked);
    const events = sample<readonly object[]>("ai/stream-empty-output.events");
    const streamed = await startServer((response) => {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    });
    const stream = clientOf(streamed).ai.stream({ user: { text: "Hi" } }, { signal });
    const text = stream.finalText();
    for await (const event of stream) expect(event.event).toMatch(/^response_/);
    await text;
  });

  it("a signal without removeEventListener is refused before anything is sent", async () => {
    const { server, api } = await serve(answers(200, { status: "SUCCESS", pnr: "ABC123" }));
    const signal = { aborted: false, addEventListener() {} } as unknown as AbortSignal;
    const call = api.flights.fareQuote({ trace_id: "t", token: "t" }, { signal });
    expect((await failureOf(call, ConfigurationError)).message).toContain("`signal`");
    expect(server.requests).toEqual([]);
  });

  it("a polluted Object.prototype changes neither what is checked nor where the call goes", async () => {
    const sent: [unknown, unknown][] = [];
    const fetch: ClientOptions["fetch"] = async (url, init) => {
      sent.push([url, JSON.parse(String(init?.body))]);
      return Response.json({ status: "SUCCESS" });
    };
    const api = clientOf(nowhere, { fetch, validation: {}, pathPrefixes: {}, headers: {} });
    pollute({ response: "off", request: "off", flights: "evil", isSuccess: () => true, extraBody: { e: 1 } });
    const options = { extraBody: { mine: 1 }, validation: {} };
    await errorOf(api.flights.fareQuote({ trace_id: "t", token: "t" }, options), ResponseValidationError);
    await errorOf(api.flights.fareQuote({ trace_id: "t" } as never, options), RequestValidationError);
    await errorOf(clientOf(nowhere, { fetch }).send(made({ isSuccess: () => false }), {}));
    const url = "https://api.example.com/flight/fare_quote";
    expect(sent[0]).toEqual([url, { trace_id: "t", token: "t", mine: 1, client_referenceId: expect.any(String) }]);
  });
});

describe("a function of the caller that throws before anything is sent", () => {
  const broken = throws(new TypeError("broken"));
  it.each<[string, Partial<Parameters<typeof made>[0] & object>]>([
    ["the schema of the params", { params: { "~standard": { version: 1, vendor: "by-hand", validate: broken } } }],
    ["normalize", { normalize: broken }],
    ["validateParams", { validateParams: broken }],
  ])("%s: a ConfigurationError, and no request", async (_case, definition) => {
    const { server, api } = await serve();
    const error = await failureOf(api.send(made(definition), {}), ConfigurationError);
    expect(error).toMatchObject({ outcome: "notSent", cause: { message: "TypeError: broken" } });
    expect(server.requests).toHaveLength(0);
  });
});
