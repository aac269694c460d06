import { describe, expect, it, vi } from "vitest";
import { transportOf } from "../../src/client.ts";
import { TimeoutError } from "../../src/errors/index.ts";
import {
  book,
  type ClientEvent,
  type ClientOptions,
  createResponse,
  fareQuote,
  fareRule,
  findVpas,
  type RequestOptions,
} from "../../src/index.ts";
import { sleep } from "../../src/shared/promises.ts";
import { clientOf, failureOf, nowhere } from "../support/client.ts";
import { block, later, movedTime, stopClock } from "../support/clock.ts";
import { gate } from "../support/gate.ts";
import { loadLaterParts } from "../support/later-parts.ts";
import { ifNotProcessed, made, never, safe } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { answers, drips, reply, startServer, startTcpServer, succeeds } from "../support/server.ts";

import { countTimers } from "../support/timers.ts";

const stalls = () => startServer(stalls);
const once = { maxRetries: 0 };

/** A client of a server, and a clock that stands still until the headers of a response are there: then time passes. */
function clientWithClock(server: { readonly url: string }, milliseconds: number, passed = () => {}) {
  stopClock("setTimeout", "clearTimeout", "performance");
  const fetch = async (...args: Parameters<typeof globalThis.fetch>) => {
    const response = await globalThis.fetch(...args);
    setImmediate(() => {
      vi.advanceTimersByTime(milliseconds);
      passed();
    });
    return response;
  };
  return clientOf(server, { fetch });
}

describe("the deadline of one attempt covers headers and body", () => {
  it("expires when no headers arrive", async () => {
    const server = await startServer(stalls);
    const error = await failureOf(clientOf(server).send(never, {}, { timeout: 1_000 }), TimeoutError);
    expect(error).toMatchObject({ deadline: "attempt", phase: "headers", timeout: 1_000 });
    expect(error).toMatchObject({ attempts: 1, outcome: "unknown" });
    expect(error.message).toMatch(
      /^test\.never: no response within 1000 ms \(`timeout`\), waiting for the response\. It may have been carried out/,
    );
    expect(server.requests).toHaveLength(1);
    await server.idle();
  });

  it("expires when the body stalls", async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"status":');
    });
    const call = clientWithClock(server, 400).send(safe, {}, { timeout: 400, ...once });
    const error = await failureOf(call, TimeoutError);
    expect(error).toMatchObject({ deadline: "attempt", phase: "body", outcome: "unknown", isRetryable: true });
    expect(error.message).toMatch(/reading the response\. It is safe to retry\.$/);
    await server.idle();
  });

  it("is not extended by a body that drips", async () => {
    const server = await startServer(drips);
    const call = clientWithClock(server, 400).send(safe, {}, { timeout: 400, ...once });
    expect(await failureOf(call, TimeoutError)).toMatchObject({ deadline: "attempt", phase: "body" });
    await server.idle();
  });

  it("is not extended by headers that drip", async () => {
    const server = await startTcpServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
      const timer = setInterval(() => socket.write("a"), 5);
      socket.on("close", () => clearInterval(timer));
    });
    const error = await failureOf(clientOf(server).send(safe, {}, { timeout: 60, ...once }), TimeoutError);
    expect(error).toMatchObject({ deadline: "attempt", phase: "headers" });
    await server.idle();
  });

  it("is not restarted by headers that arrive late", async () => {
    stopClock();
    const fetch = () => sleep(400).then(() => new Response(new ReadableStream()));
    const api = clientOf(nowhere, { fetch });
    const startedAt = movedTime();
    const failure = failureOf(api.send(never, {}, { timeout: 600 }), TimeoutError).then((error) => ({
      error,
      time: movedTime() - startedAt,
    }));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await failure).toMatchObject({ error: { deadline: "attempt", phase: "body" }, time: 600 });
  });

  it("restarts with each attempt", async () => {
    let n = 0;
    const fetch = () =>
      ++n === 3 ? Promise.resolve(Response.json({ status: "SUCCESS", n })) : new Promise<Response>(() => {});
    const api = clientOf(nowhere, { fetch });
    await loadLaterParts();
    stopClock();
    const call = api.send(safe, {}, { timeout: 300 }).withResponse();
    await vi.advanceTimersByTimeAsync(650);
    expect(await call).toMatchObject({ data: { status: "SUCCESS", n: 3 }, attempts: 3 });
  });

  it("names no earlier failure as its cause, unless it ends the pause after it", async () => {
    const { api } = await serve((response, _request, n) => {
      if (n === 1) reply(response, 503, { status: "FAILED" });
    });
    const error = await failureOf(api.send(safe, {}, { timeout: 300, maxRetries: 1 }), TimeoutError);
    expect(error).toMatchObject({ deadline: "attempt", phase: "headers", attempts: 2 });
    expect(error).not.toHaveProperty("cause", expect.anything());
  });

  it("is not disturbed by a `fetch` that ignores its signal and fails then", async () => {
    let fail = (_error: Error) => {};
    const late = new Promise<Response>((_resolve, reject) => {
      fail = reject;
    });
    const api = clientOf(nowhere, { fetch: () => late });
    await failureOf(api.send(never, {}, { timeout: 30 }), TimeoutError);
    fail(new Error("late"));
    await expect(late).rejects.toThrow("late");
  });

  it("also ends a body that ignores it", async () => {
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    const api = clientOf(nowhere, { fetch: async () => new Response(body) });
    stopClock();
    const failure = failureOf(api.send(never, {}, { timeout: 30 }), TimeoutError);
    await vi.advanceTimersByTimeAsync(30);
    expect(await failure).toMatchObject({ phase: "body" });
  });
});

describe("the deadline of the whole call", () => {
  it("covers all attempts", async () => {
    const fetch = vi.fn(() => new Promise<Response>(() => {}));
    const api = clientOf(nowhere, { fetch });
    await loadLaterParts();
    stopClock();
    const call = api.send(safe, {}, { timeout: 100, totalTimeout: 350, maxRetries: 99 });
    const error = await later(350, failureOf(call, TimeoutError));
    expect(error).toMatchObject({ deadline: "total", timeout: 350, outcome: "unknown", isRetryable: false });
    expect(error.message).toContain("within 350 ms (`totalTimeout`)");
    expect(fetch.mock.calls.length).toBeGreaterThan(1);
  });

  it("comes before that of an attempt that ends at the same time: the call is not retried", async () => {
    stopClock();
    const api = clientOf(nowhere, { fetch: () => new Promise(() => {}) });
    const failure = failureOf(api.send(safe, {}, { timeout: 300, totalTimeout: 300 }), TimeoutError);
    await vi.advanceTimersByTimeAsync(300);
    expect(await failure).toMatchObject({ deadline: "total", attempts: 1, isRetryable: false });
  });

  it("does not wait for a retry after its end: the call fails immediately", async () => {
    const { api } = await serve(answers(503, { status: "FAILED" }), { retryDelay: () => 60_000, totalTimeout: 30_000 });
    await expect(api.send(safe, {})).rejects.toMatchObject({ kind: "unavailable", attempts: 1 });
  });

  it("does not say that nothing was sent if it ends in the pause after a refusal", async () => {
    const suspend = ({ type }: ClientEvent) => {
      if (type === "retry") block(600);
    };
    const { server, api } = await serve(answers(429, { status: "FAILED" }), {
      retryDelay: () => 50,
      totalTimeout: 500,
      onEvent: suspend,
    });
    const error = await failureOf(api.send(ifNotProcessed, {}), TimeoutError);
    expect(error).toMatchObject({ deadline: "total", phase: "backoff", attempts: 1, outcome: "rejected" });
    expect(error.cause).toMatchObject({ kind: "rate_limited" });
    expect(error.message).toMatch(/waiting to retry\. Nothing was done\.$/);
    expect(server.requests).toHaveLength(1);
  });
});

describe("false disables a timeout", () => {
  it("timeout: false and totalTimeout: false set no timer", async () => {
    const timers = countTimers();
    let during = Number.NaN;
    const api = clientOf(nowhere, {
      fetch: async () => {
        during = timers();
        return Response.json({ status: "SUCCESS" });
      },
    });
    for (const limits of [{}, { timeout: false }, { totalTimeout: false }] as const) {
      await api.send(safe, {}, limits);
      expect(during).toBe(1);
    }
    await api.send(safe, {}, { timeout: false, totalTimeout: false });
    expect(during).toBe(0);
  });

  it("maxRetries: 0 sends once", async () => {
    const { server, api } = await serve(answers(503, {}));
    await expect(api.send(safe, {}, { maxRetries: 0 })).rejects.toMatchObject({ attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the deadlines of the document's operations", () => {
  it.each([
    [findVpas, 30_000],
    [fareQuote, 60_000],
    [fareRule, 60_000],
    [book, 180_000],
    [createResponse, 120_000],
    [made(), 60_000],
  ])("%#: %o", (operation, timeout) => {
    expect(operation.timeout).toBe(timeout);
  });

  it("apply if neither the client nor the call sets one, the call before the client", async () => {
    const server = await startServer(stalls);
    const own = made({ timeout: 30, retry: "never" });
    expect((await failureOf(clientOf(server).send(own, {}), TimeoutError)).timeout).toBe(30);
    expect((await failureOf(clientOf(server, { timeout: 31 }).send(own, {}), TimeoutError)).timeout).toBe(31);
    const call = clientOf(server, { timeout: 31 }).send(own, {}, { timeout: 32 });
    expect((await failureOf(call, TimeoutError)).timeout).toBe(32);
  });

  it("are not shortened by the client for a call that is sent once: a slow booking would be unknown", async () => {
    const server = await startServer(stalls);
    const timeoutOf = async (
      retry: "never" | "ifNotProcessed" | "safe",
      client: ClientOptions,
      own?: RequestOptions,
    ) => {
      const call = clientOf(server, { maxRetries: 0, ...client }).send(made({ timeout: 60, retry }), {}, own);
      return (await failureOf(call, TimeoutError)).timeout;
    };
    expect(await timeoutOf("never", { timeout: 20 })).toBe(60);
    expect(await timeoutOf("never", { timeout: 20 }, { timeout: undefined })).toBe(60);
    expect(await timeoutOf("never", { timeout: 20 }, { timeout: 21 })).toBe(21);
    expect(await timeoutOf("never", { timeout: 70 })).toBe(70);
    expect(await timeoutOf("never", { timeout: false, totalTimeout: 80 })).toBe(80);
    expect(await timeoutOf("ifNotProcessed", { timeout: 20 })).toBe(20);
    expect(await timeoutOf("safe", { timeout: 20 })).toBe(20);
  });
});

describe("a deadline runs only while the library waits for the network", () => {
  it.each([safe, ifNotProcessed, never])("a call that nobody awaits is not sent again: $name", async (operation) => {
    const server = await startServer(succeeds);
    const passed = gate();
    const call = clientWithClock(server, 500, passed.open).send(operation, {}, { timeout: 300 });
    await passed.opened;
    expect(await call).toEqual({ status: "SUCCESS" });
    expect(server.requests).toHaveLength(1);
  });

  it("but the call as a whole ends, and closes its connection, even if nobody ever asks", async () => {
    const { server, api } = await serve(drips);
    const timers = countTimers();
    api.send(never, {}, { timeout: false, totalTimeout: 1_000 });
    await server.received(1);
    await server.idle();
    expect(timers()).toBe(0);
  });

  it("a queue takes no time of the call, and gives none back", async () => {
    stopClock();
    const clientSecret = () => sleep(400).then(() => "test-secret");
    const fetch = () => new Promise<Response>(() => {});
    const transport = transportOf(clientOf(nowhere, { clientSecret, fetch }));
    const startedAt = movedTime();
    const call = transport.send(
      never,
      {},
      { timeout: false, totalTimeout: 600 },
      { beforeSending: () => sleep(1_000) },
    );
    const failure = failureOf(call, TimeoutError).then((error) => ({ error, time: movedTime() - startedAt }));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await failure).toMatchObject({ error: { deadline: "total", phase: "headers" }, time: 1_600 });
  });

  it("its remaining time counts for the body once somebody asks for it", async () => {
    const { server, api } = await serve(drips);
    const call = api.send(never, {}, { timeout: 300 });
    await server.received(1);
    await failureOf(call, TimeoutError);
  });
});
