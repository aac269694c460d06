import { getEventListeners } from "node:events";
import { request as send } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import {
  BookingOutcomeUnknownError,
  type ClientOptions,
  ConfigurationError,
  NotFoundError,
  quoteToken,
  UnexpectedResponseError,
} from "../../src/index.ts";
import { clientOf, errorOf, failureOf, sample } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { ifNotProcessed, never, safe } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { type Answer, answers } from "../support/server.ts";

type Fetch = NonNullable<ClientOptions["fetch"]>;

/** A `fetch` in the manner of node-fetch: its responses have a body that is a stream of Node. */
const nodeStreams = ((url: string, init: { body: string; headers: Record<string, string>; signal: AbortSignal }) =>
  new Promise((resolve, reject) => {
    const { body, headers, signal } = init;
    const request = send(url, { method: "POST", headers, signal, agent: false }, (message) => {
      const pairs = Object.entries(message.headers).map(([name, value]) => [name, String(value)]);
      resolve({
        status: message.statusCode,
        statusText: "",
        url,
        headers: pairs,
        body: message,
      });
    });
    request.on("error", reject).end(body);
  })) as unknown as Fetch;

const booking = { trace_id: "00000000-aaaa-4bbb-8ccc-000000000001", token: quoteToken("q"), passengers: [] };
const unchecked = { validation: { request: "off" } } as const;
const booked = sample("flight/book/success-full-service-held");

async function clientWith(fetch: Fetch, answer: Answer, options: ClientOptions = {}) {
  const { server, api } = await serve(answer, { fetch, maxRetries: 0, ...options });
  return { api: api, server };
}

describe("a `fetch` whose responses have a stream of Node as their body, as those of node-fetch", () => {
  it("books, and the PNR arrives", async () => {
    const { api, server } = await clientWith(nodeStreams, answers(200, booked));
    const call = api.flights.book(booking, unchecked);
    expect(await call).toEqual(booked);
    expect((await call.withResponse()).response.status).toBe(200);
    expect(server.requests).toHaveLength(1);
  });

  it("gets the typed error of a refusal", async () => {
    const { api } = await clientWith(nodeStreams, answers(404, { status: "FAILED" }));
    await failureOf(api.send(safe, {}), NotFoundError);
  });

  it("is held to `maxResponseBytes`, and its body is closed", async () => {
    const closed = gate();
    const answer: Answer = (response) => {
      response.on("close", closed.open);
      response.writeHead(200).write("x".repeat(64));
    };
    const { api } = await clientWith(nodeStreams, answer, { maxResponseBytes: 10 });
    expect(await errorOf(api.send(safe, {}), UnexpectedResponseError)).toMatchObject({ reason: "tooLarge" });
    await closed.opened;
  });

  it("streams", async () => {
    const events = sample<readonly object[]>("ai/stream-empty-output.events");
    const { api } = await clientWith(nodeStreams, (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    });
    const received: unknown[] = [];
    for await (const event of api.ai.stream({ user: { text: "Hi" } })) received.push(event);
    expect(received).toHaveLength(events.length);
  });

  it("hands out a `Response` for asResponse()", async () => {
    const { api } = await clientWith(nodeStreams, answers(418, { a: 1 }, { "x-a": "b" }));
    const response = await api.send(safe, {}).asResponse();
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.headers.get("x-a"), await response.json()]).toEqual([418, "b", { a: 1 }]);
  });
});

describe("a mock of `fetch` that returns less than a `Response`", () => {
  const bodyOfWeb = () => new Response(JSON.stringify(booked)).body;
  const mocks: Readonly<Record<string, object>> = {
    "a body of the web, and no headers": { status: 200, body: bodyOfWeb() },
    "a body of the web, and headers that are an object": { status: 200, headers: {}, body: bodyOfWeb() },
    "json() alone": { status: 200, json: async () => booked },
    "text() alone": { status: 200, headers: {}, text: async () => JSON.stringify(booked) },
    "json(), and null as its body": { ok: true, status: 200, body: null, json: () => booked },
  };

  it.each(Object.entries(mocks))("is read if it has %s: a booking's PNR arrives", async (_has, mock) => {
    const { api } = await clientWith((async () => mock) as unknown as Fetch, () => {});
    expect(await api.flights.book(booking, unchecked)).toEqual(booked);
  });

  it.each<[string, HeadersInit | object | undefined, string | null]>([
    ["no headers", undefined, null],
    ["an object", { "x-request-id": "r-1" }, "r-1"],
    ["a list of pairs", [["x-request-id", "r-1"]], "r-1"],
    ["a `Map`", new Map([["x-request-id", "r-1"]]), "r-1"],
    ["those of the web", new Headers({ "x-request-id": "r-1" }), "r-1"],
    ["`get` alone, of which nothing can be read", { get: () => "r-1" }, null],
  ])("has its headers in asResponse(), and the ID of the request, from %s", async (_case, headers, id) => {
    for (const body of [bodyOfWeb, () => undefined]) {
      const fetch = (async () => ({ status: 200, headers, body: body(), json: () => booked })) as unknown as Fetch;
      const api = clientOf({ url: "https://service.example" }, { fetch });
      const response = await api.send(safe, {}).asResponse();
      expect([...response.headers].filter(([name]) => name !== "content-type")).toEqual(
        id === null ? [] : [["x-request-id", id]],
      );
      expect(await response.json()).toEqual(booked);
      expect((await api.send(safe, {}).withResponse()).requestId).toBe(id ?? undefined);
    }
  });

  it("has the fields of a `Response` that it lacks, or its own", async () => {
    const returned = async (mock: object) => {
      const fetch = (async () => ({ json: () => booked, ...mock })) as unknown as Fetch;
      const response = await clientOf({ url: "https://service.example" }, { fetch }).send(safe, {}).asResponse();
      return [response.status, response.ok, response.statusText, response.url, response.redirected];
    };
    expect(await returned({ status: 200 })).toEqual([200, true, "", "", false]);
    const own = { status: 418, statusText: "Teapot", url: "https://service.example/a" };
    expect(await returned(own)).toEqual([418, false, "Teapot", "https://service.example/a", false]);
  });

  it("that says that it was redirected is refused, as a `Response` is", async () => {
    const { api } = await clientWith(
      (async () => ({ status: 200, redirected: true, json: () => booked })) as unknown as Fetch,
      () => {},
    );
    expect((await errorOf(api.send(safe, {}))).message).toContain("the service redirects");
  });

  it.each<[string, (end: () => void) => object]>([
    ["a stream of Node", (end) => new Readable({ read: () => {}, destroy: end })],
    [
      "an iterable",
      (end) => ({
        async *[Symbol.asyncIterator]() {
          try {
            for (;;) yield "{";
          } finally {
            end();
          }
        },
      }),
    ],
  ])("has %s as its body, which ends when the reader of asResponse() leaves", async (_case, bodyWith) => {
    const ended = gate();
    const body = bodyWith(() => ended.open());
    const { api } = await clientWith((async () => ({ status: 200, body })) as unknown as Fetch, () => {});
    const reader = (await api.send(safe, {}).asResponse()).body?.getReader();
    if (!(body instanceof Readable)) expect((await reader?.read())?.value).toEqual(new TextEncoder().encode("{"));
    await reader?.cancel();
    await ended.opened;
  });

  it("may return its response without a promise", async () => {
    const { api } = await clientWith((() => Response.json(booked)) as unknown as Fetch, () => {});
    expect(await api.flights.book(booking, unchecked)).toEqual(booked);
  });

  it("may have a stream of the web as its body, which is cancelled with the call", async () => {
    const cancelled = gate();
    const pulled = gate();
    const body = new ReadableStream(
      { pull: () => pulled.open(), cancel: () => cancelled.open() },
      { highWaterMark: 0 },
    );
    const { api } = await clientWith((async () => ({ status: 200, body })) as unknown as Fetch, () => {});
    const stream = api.ai.stream({ user: { text: "Hi" } });
    const text = stream.finalText();
    await pulled.opened;
    stream.abort();
    await cancelled.opened;
    await expect(text).rejects.toMatchObject({ name: "AbortError" });
  });

  const readBefore = Response.json(booked);
  void readBefore.text();
  const beingRead = Response.json(booked);
  beingRead.body?.getReader();
  const unreadable: readonly [string, unknown, RegExp][] = [
    ["nothing to read", { status: 200 }, /`fetch` must return a `body` that can be read, .*; it returned undefined/],
    ["a parsed body", { status: 200, body: booked }, /`fetch` must return a `body` .*; it returned object/],
    ["no status", { ok: true, json: async () => booked }, /`fetch` must return a `status`; it returned undefined/],
    ["a status that is a string", { status: "200", headers: new Headers(), body: bodyOfWeb() }, /`status`.* string/],
    ["no response", undefined, /`fetch` must return a response; it returned undefined/],
    ["a string", "a string", /`fetch` must return a response; it returned string/],
    ["a `Response` that was read before", readBefore, /body was read before\. Read `response\.clone\(\)` to log it/],
    ["a `Response` that is being read", beingRead, /body was read before\. .* return a new one for each call\./],
    ["a mock that says so", { status: 200, bodyUsed: true, json: async () => booked }, /body was read before/],
  ];

  it.each(unreadable)("that returns %s is named, and the outcome is unknown", async (_case, returned, message) => {
    const { api } = await clientWith((async () => returned) as unknown as Fetch, () => {});
    const atOnce = clientOf({ url: "https://service.example" }, { fetch: (() => returned) as unknown as Fetch });
    expect((await failureOf(atOnce.send(safe, {}), ConfigurationError)).message).toMatch(message);
    for (const operation of [safe, ifNotProcessed, never]) {
      const error = await failureOf(api.send(operation, {}), ConfigurationError);
      expect(error.message).toMatch(message);
      expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
    }
    const { signal } = new AbortController();
    const stream = api.ai.stream({ user: { text: "Hi" } }, { signal });
    const [text, response] = await Promise.allSettled([stream.finalText(), stream.finalResponse()]);
    expect(text).toEqual(response);
    const error = await failureOf(stream.finalText(), ConfigurationError);
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
    expect(stream.state).toBe("failed");
    expect(getEventListeners(signal, "abort")).toEqual([]);
    const { cause } = await failureOf(api.flights.book(booking, unchecked), BookingOutcomeUnknownError);
    expect(cause).toMatchObject({ name: "ConfigurationError", message: expect.stringMatching(message) });
  });
});
