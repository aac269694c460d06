import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { AbortError, ServiceApiError, TimeoutError } from "../../src/errors/index.ts";
import { defineOperation } from "../../src/index.ts";
import { clientOf, errorOf, failureOf, nowhere } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { collectGarbage } from "../support/gc.ts";
import { type Fields, ifNotProcessed, never, safe } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { type Answer, answers, drips, inTurn, reply, reset, stalls, startServer, succeeds } from "../support/server.ts";

import { countTimers } from "../support/timers.ts";

describe("a listener or timer never outlives its call", () => {
  const ends: Record<string, Answer> = {
    "a success": succeeds,
    "a success after retries": inTurn(answers(503, {}), answers(503, {}), succeeds),
    "a refusal": answers(404, { status: "FAILED" }),
    "retries in vain": answers(503, { status: "FAILED" }),
    "a reset": reset,
    "a web page": answers(200, "<html></html>"),
    "a redirect": answers(302, "", { location: "https://other.example" }),
  };

  it.each(Object.entries(ends))("after %s", async (_case, answer) => {
    const { api } = await serve(answer);
    const { signal } = new AbortController();
    const timers = countTimers();
    await api.send(safe, {}, { signal }).catch(() => {});
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(timers()).toBe(0);
  });

  it.each([
    ["a request that breaks a rule", "1", {}],
    ["a missing credential", "6000000001", { clientSecret: () => "" }],
    ["a base address that doubles the prefix", "6000000001", { pathPrefixes: { verification: "api" } }],
  ])("after %s", async (_case, vpa_mobile, options) => {
    const { signal } = new AbortController();
    const timers = countTimers();
    const api = clientOf({ url: "https://api.example.com/api" }, options);
    const error = await errorOf(api.verification.findVpas({ vpa_mobile, consent: "Y" }, { signal }));
    expect(ServiceApiError.isInstance(error) && error.outcome).toBe("notSent");
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(timers()).toBe(0);
  });

  it("after a timeout, nor does its socket", async () => {
    const { server, api } = await serve(drips);
    const { signal } = new AbortController();
    const timers = countTimers();
    await failureOf(api.send(never, {}, { signal, timeout: 30 }), TimeoutError);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    await server.idle();
    expect(timers()).toBe(0);
  });

  it("while a call runs there is one listener, whatever the number of attempts", async () => {
    const { signal } = new AbortController();
    const counts: number[] = [];
    const { api } = await serve((response, _request, n) => {
      counts.push(getEventListeners(signal, "abort").length);
      reply(response, n < 3 ? 503 : 200, { status: "SUCCESS" });
    });
    await api.send(safe, {}, { signal });
    expect(counts).toEqual([1, 1, 1]);
  });
});

describe("the caller's signal", () => {
  it("that is already aborted: nothing is sent, and no request is reported", async () => {
    const events: string[] = [];
    const { server, api } = await serve(answers(200, {}), { onEvent: ({ type }) => events.push(type) });
    const error = await failureOf(api.send(never, {}, { signal: AbortSignal.abort("too late") }), AbortError);
    expect(error).toMatchObject({ outcome: "notSent", attempts: 0, reason: "too late", isRetryable: false });
    expect(error.message).toBe("test.never: aborted by the caller before it was sent.");
    expect(events).toEqual(["error"]);
    expect(server.requests).toHaveLength(0);
    expect(server.sockets.size).toBe(0);
  });

  it("that is aborted right after the call: nothing is sent either", async () => {
    const server = await startServer(answers(200, {}));
    const controller = new AbortController();
    const call = clientOf(server).send(never, {}, { signal: controller.signal });
    controller.abort();
    expect(await failureOf(call, AbortError)).toMatchObject({ outcome: "notSent", attempts: 0 });
    await clientOf(server).send(never, {});
    expect(server.requests).toHaveLength(1);
  });

  it("that is aborted because a deadline ran out does not hide the deadline", async () => {
    const controller = new AbortController();
    const api = clientOf(nowhere, {
      fetch: (_url, init) =>
        new Promise(() => init?.signal?.addEventListener("abort", () => controller.abort("too late"))),
    });
    const call = api.send(never, {}, { signal: controller.signal, totalTimeout: 30 });
    expect(await failureOf(call, TimeoutError)).toMatchObject({ deadline: "total" });
  });

  it.each([safe, ifNotProcessed, never])("while waiting for the headers: $name", async (operation) => {
    const { server, api } = await serve(stalls);
    const controller = new AbortController();
    const failure = failureOf(api.send(operation, {}, { signal: controller.signal }), AbortError);
    await server.received(1);
    controller.abort();
    expect(await failure).toMatchObject({ phase: "headers", outcome: "unknown", attempts: 1 });
    await server.idle();
    expect(server.requests).toHaveLength(1);
  });

  it("while reading the body", async () => {
    const reading = gate();
    const controller = new AbortController();
    const { server, api } = await serve(drips, {
      async fetch(url, init) {
        const response = await fetch(url, init);
        reading.open();
        return response;
      },
    });
    const failure = failureOf(api.send(safe, {}, { signal: controller.signal }), AbortError);
    await reading.opened;
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await failure).toMatchObject({ phase: "body", outcome: "unknown" });
    await server.idle();
  });

  it("that is aborted after the response changes nothing", async () => {
    const { api } = await serve();
    const controller = new AbortController();
    const call = api.send(safe, {}, { signal: controller.signal });
    await call;
    controller.abort();
    expect(await call).toEqual({ status: "SUCCESS" });
  });

  it("ends the call even after garbage collection, in 20 of 20 runs (nodejs/undici#3644)", async () => {
    const { server, api } = await serve(drips);
    for (let run = 0; run < 20; run++) {
      const controller = new AbortController();
      const failure = failureOf(api.send(safe, {}, { signal: controller.signal }), AbortError);
      await server.received(run + 1);
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
      controller.abort();
      expect(await failure).toMatchObject({ name: "AbortError" });
    }
    await server.idle();
  });

  it("keeps no operation that the application has dropped: it may define one for each call", async () => {
    const { api } = await serve();
    const dropped: WeakRef<object>[] = [];
    for (let index = 0; index < 20; index++) {
      const operation = defineOperation({ name: `test.${index}`, area: "test", path: `p/${index}`, retry: "safe" });
      dropped.push(new WeakRef(operation));
      await api.send(operation, {});
    }
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(dropped.filter((operation) => operation.deref() !== undefined).length).toBeLessThanOrEqual(1);
  });

  it("a deadline, too, ends the call after garbage collection", async () => {
    const { server, api } = await serve(drips);
    const failure = failureOf(api.send(never, {}, { timeout: 1_500 }), TimeoutError);
    await server.received(1);
    collectGarbage();
    await failure;
    await server.idle();
  });

  it("an abort beats a retry that had been decided", async () => {
    const controller = new AbortController();
    const retryDelay = () => {
      controller.abort();
      return 0;
    };
    const { server, api } = await serve(answers(503, {}), { retryDelay });
    await failureOf(api.send(safe, {}, { signal: controller.signal }), AbortError);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a `fetch` of the caller's own that ignores the signal", () => {
  it.each([
    ["an abort", "stream"],
    ["a deadline", "stream"],
    ["a deadline", "call"],
    ["an abort", "call"],
  ])("cancels the body of a response that arrives after %s: a %s", async (end, kind) => {
    const asked = gate();
    const answer = gate<Response>();
    const cancelled = gate();
    const controller = new AbortController();
    const api = clientOf(nowhere, {
      fetch: () => {
        asked.open();
        return answer.opened;
      },
    });
    const options = { signal: controller.signal, maxRetries: 0, ...(end === "a deadline" ? { timeout: 20 } : {}) };
    const call =
      kind === "stream" ? api.ai.stream({ user: { text: "Hello" } }, options).finalText() : api.send(safe, {}, options);
    const failure = errorOf(call);
    await asked.opened;
    if (end === "an abort") controller.abort();
    expect(await failure).toBeInstanceOf(end === "an abort" ? AbortError : TimeoutError);
    answer.open(new Response(new ReadableStream({ cancel: () => cancelled.open() })));
    await cancelled.opened;
  });
});

describe("many simultaneous calls", () => {
  it("each gets its own response", async () => {
    const { api } = await serve((response, request) =>
      reply(response, 200, { status: "SUCCESS", ...JSON.parse(request.body) }),
    );
    const sent: Fields[] = Array.from({ length: 200 }, (_, n) => ({ n }));
    const answers = await Promise.all(sent.map((params) => api.send(safe, params)));
    expect(answers.map(({ n }) => n)).toEqual(sent.map(({ n }) => n));
    expect(new Set(answers.map((answer) => answer.client_referenceId)).size).toBe(200);
  });
});
