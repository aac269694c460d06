import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import {
  ApiError,
  NotFoundError,
  RateLimitError,
  type ServiceApiError,
  ServiceUnavailableError,
  UnexpectedResponseError,
} from "../../src/errors/index.ts";
import type { ClientOptions, StreamOptions } from "../../src/index.ts";
import { completed, initiated } from "../ai/events.ts";
import { sse, streamFrom } from "../ai/support.ts";
import { errorOf, failureOf } from "../support/client.ts";
import { collect } from "../support/collect.ts";
import { collectGarbage } from "../support/gc.ts";
import { serve } from "../support/serve.ts";
import { type Answer, answers, reply, reset } from "../support/server.ts";

import { countTimers } from "../support/timers.ts";

const whole: Answer = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(sse(initiated()) + sse(completed("")));
};

async function streaming(answer: Answer, client: ClientOptions = {}, options: StreamOptions = {}) {
  const { server, api } = await serve(answer, client);
  return { server, stream: api.ai.stream({ user: { text: "Hello" } }, options) };
}

describe("a stream's call ends with its headers", () => {
  it("and so do its deadlines: none is left running", async () => {
    const timers = countTimers();
    const { stream, server } = await streamFrom((response) => response.write(sse(initiated())), {
      timeout: 5_000,
      totalTimeout: 6_000,
    });
    await stream.ready();
    expect(timers()).toBe(0);
    stream.abort();
    await server.idle();
  });

  it("and leaving the stream ends the connection, even after garbage collection and while the body is being read", async () => {
    const { stream, server } = await streamFrom((response) => response.write(sse(initiated())));
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    const reading = reader.next();
    collectGarbage();
    await reader.return();
    expect(await reading).toEqual({ done: true, value: undefined });
    await server.idle();
  });

  it("and is reported step by step under the name and the reference of the stream", async () => {
    const events: unknown[] = [];
    const { stream } = await streaming(whole, { onEvent: (event) => events.push(event) });
    await collect(stream);
    const call = { operation: "ai.stream", clientReferenceId: stream.clientReferenceId };
    expect(events).toMatchObject(["request", "response", "stream"].map((type) => ({ type, ...call })));
  });
});

describe("a refusal never becomes a stream", () => {
  it.each<[string, Answer, abstract new (...args: never[]) => ServiceApiError]>([
    ["HTTP 404", answers(404, { status: "FAILED" }), NotFoundError],
    ["HTTP 500", answers(500, { status: "FAILED" }), ServiceUnavailableError],
    ["HTTP 307", answers(307, "", { location: "https://other.example" }), ApiError],
    ["a web page under HTTP 502", answers(502, "<html></html>"), UnexpectedResponseError],
  ])("%s", async (_case, answer, errorClass) => {
    const timers = countTimers();
    const { signal } = new AbortController();
    const { server, stream } = await streaming(answer, {}, { signal });
    await failureOf(stream.finalText(), errorClass);
    expect(server.requests).toHaveLength(1);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(timers()).toBe(0);
  });
});

describe("a stream is retried only if no work was done", () => {
  it("after 429, and after 503 with Retry-After", async () => {
    const { server, stream } = await streaming((response, request, n) => {
      if (n === 1) reply(response, 429, {});
      else if (n === 2) reply(response, 503, {}, { "retry-after": "0" });
      else whole(response, request, n);
    });
    await collect(stream);
    expect(server.requests).toHaveLength(3);
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
  });

  it.each<[string, Answer]>([
    ["503 without it", answers(503, {})],
    ["a reset", reset],
  ])("not after %s", async (_case, answer) => {
    const { server, stream } = await streaming(answer);
    await errorOf(stream.finalText());
    expect(server.requests).toHaveLength(1);
  });

  it("nor more often than maxRetries says", async () => {
    const { server, stream } = await streaming(answers(429, {}), {}, { maxRetries: 1 });
    await failureOf(stream.finalText(), RateLimitError);
    expect(server.requests).toHaveLength(2);
  });
});
