import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import {
  AbortError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  ServiceUnavailableError,
  TimeoutError,
  UnexpectedResponseError,
} from "../../src/errors/index.ts";
import type { ClientEvent, ClientOptions, StreamOptions } from "../../src/index.ts";
import { checkOptions, streamRules } from "../../src/options.ts";
import { callbackError } from "../../src/transport/errors/details.ts";
import { apiError, unexpectedResponseError } from "../../src/transport/errors/response.ts";
import { summarize } from "../../src/transport/redact.ts";
import { Transport } from "../../src/transport/transport.ts";
import { failureOf, signalled } from "../support/client.ts";
import { movedTime, stopClock } from "../support/clock.ts";
import { collectGarbage } from "../support/gc.ts";
import { ifNotProcessed, safe } from "../support/operations.ts";
import { expectNoSecret, secret } from "../support/secrets.ts";
import { type Answer, deadAddress, drip, reply, reset, startServer } from "../support/server.ts";
import { countTimers } from "../support/timers.ts";

const how = { accept: "text/event-stream, application/json" };
const drips: Answer = (response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  drip(response);
};

async function opening(answer: Answer, options: ClientOptions = {}) {
  const server = await startServer(answer);
  const transport = new Transport({
    baseUrl: server.url,
    clientId: "test-client",
    clientSecret: secret,
    retryDelay: () => 0,
    ...options,
  });
  return { server, open: (given: StreamOptions = {}) => transport.open(ifNotProcessed, requestWith(given), how) };
}

function requestWith(options: StreamOptions) {
  return () => ({ params: {}, options: () => checkOptions("test", options, streamRules) });
}

describe("a stream's call is open once its headers are there", () => {
  it("its body unread, with what the receiver needs to know", async () => {
    stopClock("performance");
    const { server, open } = await opening(drips, { stream: { idleTimeout: 5 } });
    const call = await open({ stream: { eventTimeout: 6 } });
    expect(call.progress).toMatchObject({ attempts: 1 });
    expect(call.clientReferenceId).toBe(JSON.parse(server.requests[0]?.body ?? "").client_referenceId);
    expect(call.options).toMatchObject({ stream: { idleTimeout: 5, eventTimeout: 6 } });
    expect(call.response.bodyUsed).toBe(false);
    expect(call.startedAt).toBe(movedTime());
    expect(server.requests[0]?.headers.accept).toBe(how.accept);
    expectNoSecret(call.response);
    call.scope.cancelAttempt();
    await server.idle();
  });

  it("the deadlines of the call end there: none is left running", async () => {
    const timers = countTimers();
    const { open } = await opening(drips);
    const call = await open({ timeout: 5_000, totalTimeout: 6_000 });
    expect(timers()).toBe(0);
    call.scope.cancelAttempt();
  });

  it("there is no deadline for the whole unless one is set", async () => {
    const { open } = await opening(() => {});
    const error = await failureOf(open({ timeout: 30 }), TimeoutError);
    expect(error).toMatchObject({ deadline: "attempt", phase: "headers" });
  });

  it("stream.timeout runs from the call on: before the headers it is the call's, and from then on the receiver's", async () => {
    const timers = countTimers();
    const { open } = await opening(() => {});
    const error = await failureOf(open({ stream: { timeout: 30 } }), TimeoutError);
    expect(error).toMatchObject({ deadline: "stream", phase: "headers", timeout: 30 });
    const { open: openDrips } = await opening(drips);
    const call = await openDrips({ stream: { timeout: 5_000 } });
    expect(call.options.stream?.timeout).toBe(5_000);
    expect(timers()).toBe(0);
    call.scope.cancelAttempt();
  });

  it("its scope goes on for the caller's signal, without a deadline, until the receiver closes it", async () => {
    const { server, open } = await opening(drips);
    const controller = new AbortController();
    const { signal } = controller;
    const { scope } = await open({ signal });
    expect([getEventListeners(signal, "abort").length, scope.remaining]).toEqual([1, Number.POSITIVE_INFINITY]);
    const { call: stop, called } = signalled();
    scope.onCancel(stop);
    controller.abort("left");
    await called;
    expect(scope.cancellation).toEqual({ by: "caller", reason: "left" });
    scope.close();
    expect(getEventListeners(signal, "abort")).toEqual([]);
    await server.idle();
  });

  it("the end of its attempt ends the connection, even after garbage collection and while the body is being read", async () => {
    const { server, open } = await opening(drips);
    const call = await open();
    const reader = call.response.body?.getReader();
    await reader?.read();
    const reading = (async () => {
      while (!(await reader?.read())?.done);
    })();
    reading.catch(() => {});
    collectGarbage();
    call.scope.cancelAttempt();
    await reader?.cancel().catch(() => {});
    await server.idle();
  });

  it("reports to onEvent in the name of the call", async () => {
    const events: ClientEvent[] = [];
    const { open } = await opening(drips, { onEvent: (event) => events.push(event) });
    const call = await open();
    call.reporter?.report({ type: "resolved", attempts: 1, duration: 1 });
    call.scope.cancelAttempt();
    expect(events.map(({ type }) => type)).toEqual(["request", "response", "resolved"]);
    expect(events.at(-1)).toMatchObject({
      operation: "test.ifNotProcessed",
      clientReferenceId: call.clientReferenceId,
    });
  });

  it("creates the errors for problems that the receiver finds in the body", async () => {
    const { open } = await opening((response) => reply(response, 200, "x"));
    const call = await open();
    const refusal = apiError(call, call.response, { status: "FAILED", status_code: "404", message: "gone" });
    expect(refusal).toBeInstanceOf(NotFoundError);
    expect(refusal).toMatchObject({
      httpStatus: 200,
      serviceMessage: "gone",
      clientReferenceId: call.clientReferenceId,
    });
    const unexpected = unexpectedResponseError(call, call.response, { reason: "html", text: "<html>" });
    expect(unexpected).toBeInstanceOf(UnexpectedResponseError);
    expect(unexpected).toMatchObject({ reason: "html", preview: "<html>", body: "<html>" });
    const misconfigured = callbackError(call, new TypeError(`no body: ${secret}`));
    expect(misconfigured).toBeInstanceOf(ConfigurationError);
    expect(misconfigured).toMatchObject({ outcome: "unknown", clientReferenceId: call.clientReferenceId });
    expectNoSecret(misconfigured);
    const summary = summarize(new TypeError("terminated", { cause: new Error(secret) }), call.secrets);
    expect(summary?.message).toBe("TypeError: terminated ← Error: [redacted]");
    expectNoSecret(summary);
    expect(summarize(undefined, call.secrets)).toBeUndefined();
    call.scope.cancelAttempt();
  });
});

describe("a refusal never becomes an open call", () => {
  it.each<[string, Answer, typeof ApiError]>([
    ["404", (response) => reply(response, 404, { status: "FAILED" }), NotFoundError],
    ["500", (response) => reply(response, 500, { status: "FAILED" }), ServiceUnavailableError],
    ["307", (response) => reply(response, 307, "", { location: "https://other.example" }), ApiError],
  ])("HTTP %s", async (_status, answer, errorClass) => {
    const timers = countTimers();
    const { server, open } = await opening(answer);
    const { signal } = new AbortController();
    await failureOf(open({ signal }), errorClass);
    expect(server.requests).toHaveLength(1);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(timers()).toBe(0);
  });

  it("a web page under HTTP 502", async () => {
    const { open } = await opening((response) => reply(response, 502, "<html></html>"));
    await failureOf(open(), UnexpectedResponseError);
  });

  it("no connection", async () => {
    const transport = new Transport({
      baseUrl: deadAddress,
      clientId: "test-client",
      clientSecret: secret,
      maxRetries: 0,
    });
    await failureOf(transport.open(ifNotProcessed, requestWith({}), how), ConnectionError);
  });

  it("an abort while waiting", async () => {
    const { server, open } = await opening(() => {});
    const controller = new AbortController();
    const failure = failureOf(open({ signal: controller.signal }), AbortError);
    await server.received(1);
    controller.abort();
    await failure;
    await server.idle();
  });

  it("an option that a stream does not have", async () => {
    const { open } = await opening(drips);
    await failureOf(open({ idle: 5 } as never), ConfigurationError);
  });
});

describe("a stream is retried only if no work was done", () => {
  it("after 429, and after 503 with Retry-After", async () => {
    const { server, open } = await opening((response, request, n) => {
      if (n === 1) reply(response, 429, {});
      else if (n === 2) reply(response, 503, {}, { "retry-after": "0" });
      else drips(response, request, n);
    });
    const call = await open();
    expect(call.progress.attempts).toBe(3);
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
    call.scope.cancelAttempt();
  });

  it.each<[string, Answer]>([
    ["503 without it", (response) => reply(response, 503, {})],
    ["a reset", (response) => reset(response)],
  ])("not after %s", async (_case, answer) => {
    const { server, open } = await opening(answer);
    await open().catch(() => {});
    expect(server.requests).toHaveLength(1);
  });

  it("nor more often than maxRetries says", async () => {
    const { server, open } = await opening((response) => reply(response, 429, {}));
    await failureOf(open({ maxRetries: 1 }), RateLimitError);
    expect(server.requests).toHaveLength(2);
  });

  it("the operation's class decides, not the stream", async () => {
    const server = await startServer((response, request, n) =>
      n === 1 ? reset(response) : drips(response, request, n),
    );
    const transport = new Transport({
      baseUrl: server.url,
      clientId: "test-client",
      clientSecret: secret,
      retryDelay: () => 0,
    });
    const call = await transport.open(safe, requestWith({}), how);
    expect(call.progress.attempts).toBe(2);
    call.scope.cancelAttempt();
  });
});
