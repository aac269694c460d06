import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { AbortError, ConfigurationError } from "../../src/errors/index.ts";
import type { ClientEvent, ClientOptions } from "../../src/index.ts";
import { clientOf, failureOf } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { collectGarbage } from "../support/gc.ts";
import { made, safe, schemaOf } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { type Answer, answers, drips, inTurn, reply, stalls } from "../support/server.ts";
import { streamOf } from "../support/stream-of.ts";

import { countTimers } from "../support/timers.ts";

const body = { status: "SUCCESS", status_code: "200", data: { n: 1 } };
const whole = answers(200, body, { "x-request-id": "r-1" });
const turns = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

const never = new Promise(() => {});

/** Begins a response, and nothing more. */
const headersAlone: Answer = (response) => response.writeHead(200).flushHeaders();

async function readToEnd(reader: ReadableStreamDefaultReader | undefined): Promise<void> {
  while (!(await reader?.read())?.done);
}

describe("asResponse()", () => {
  it.each([
    ["a success", 200, '{"status":"SUCCESS"}'],
    ["FAILED in a 200", 200, '{"status":"FAILED"}'],
    ["a web page", 200, "<html></html>"],
    ["a refusal", 404, '{"status":"failed"}'],
    ["a success body under 400", 400, '{"status":"SUCCESS"}'],
  ])("resolves for any final status, body unread: %s", async (_case, status, text) => {
    const { server, api } = await serve(answers(status, text));
    const response = await api.send(safe, {}).asResponse();
    expect(response.bodyUsed).toBe(false);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(text);
    expect(server.requests).toHaveLength(1);
  });

  it("retries first what is safe to retry, and resolves for the last status", async () => {
    const { server, api } = await serve(answers(503, "later"));
    const response = await api.send(safe, {}).asResponse();
    expect(response.status).toBe(503);
    expect(await response.text()).toBe("later");
    expect(server.requests).toHaveLength(3);
    await server.idle().catch(() => {});
  });

  it("retries by the status alone, whatever the body says", async () => {
    const { server, api } = await serve((response, _request, n) =>
      reply(response, n === 1 ? 503 : 200, { status: "FAILED", status_code: "400" }),
    );
    const response = await api.send(safe, {}).asResponse();
    expect(response.status).toBe(200);
    expect(server.requests).toHaveLength(2);
  });

  it("retries what `classifyError` calls temporary, and asks it about refusals alone", async () => {
    const asked: number[] = [];
    const classifyError: ClientOptions["classifyError"] = ({ httpStatus }) => {
      asked.push(httpStatus);
      return httpStatus === 400 ? "rate_limited" : undefined;
    };
    const { api } = await serve(inTurn(answers(400, ""), answers(401, "")), { classifyError });
    expect((await api.send(safe, {}).asResponse()).status).toBe(401);
    expect(asked).toEqual([400, 401]);
    const { api: good } = await serve(whole, { classifyError });
    await good.send(safe, {}).asResponse();
    expect(asked).toHaveLength(2);
  });

  it("does not retry a refusal whose Retry-After is too long", async () => {
    const { server, api } = await serve(answers(429, "", { "retry-after": "3600" }));
    expect((await api.send(safe, {}).asResponse()).status).toBe(429);
    expect(server.requests).toHaveLength(1);
  });

  it("does not wait for the body", async () => {
    const { api } = await serve(headersAlone);
    const response = await api.send(safe, {}).asResponse();
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it("checks nothing", async () => {
    const strict = made({ body: schemaOf(() => [{ message: "never right" }]), essential: ["x"] });
    const { api } = await serve(whole);
    expect((await api.send(strict, {}).asResponse()).status).toBe(200);
  });

  it("its deadline ends with the headers", async () => {
    let finish = () => {};
    const { api } = await serve((response) => {
      response.writeHead(200);
      response.flushHeaders();
      finish = () => response.end("late");
    });
    const timers = countTimers();
    const response = await api.send(safe, {}, { timeout: 5_000, totalTimeout: 6_000 }).asResponse();
    expect(timers()).toBe(0);
    finish();
    expect(await response.text()).toBe("late");
  });

  /** A response whose body is on its way, of a call that `controller` can abort. */
  async function dripping() {
    const { server, api } = await serve(drips);
    const controller = new AbortController();
    const response = await api.send(safe, {}, { signal: controller.signal }).asResponse();
    return { server, controller, response };
  }

  it("the caller's abort still governs the body", async () => {
    const { server, controller, response } = await dripping();
    const reading = response.text();
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    await server.idle();
  });

  it("even after garbage collection, in 20 of 20 runs", async () => {
    const { server, api } = await serve(drips);
    for (let run = 0; run < 20; run++) {
      const controller = new AbortController();
      const response = await api.send(safe, {}, { signal: controller.signal }).asResponse();
      const reader = response.body?.getReader();
      await reader?.read();
      await turns();
      collectGarbage();
      const reading = readToEnd(reader);
      controller.abort(new Error("enough"));
      await expect(reading).rejects.toThrow("enough");
    }
    await server.idle();
  });

  it("removes its listener from the signal immediately if there is no body", async () => {
    const { api } = await serve((response) => response.writeHead(204).end());
    const { signal } = new AbortController();
    await api.send(safe, {}, { signal }).asResponse();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it.each<[string, (response: Response) => Promise<unknown>]>([
    ["text()", (response) => response.text()],
    ["json()", (response) => response.json()],
    ["a reader", ({ body }) => readToEnd(body?.getReader())],
    ["a reader that leaves", ({ body }) => body?.getReader().cancel() ?? never],
    ["another Response", ({ body }) => new Response(body).text()],
  ])("removes its listener from the signal when the body has been read: %s", async (_case, read) => {
    const { api } = await serve(whole);
    const { signal } = new AbortController();
    const response = await api.send(safe, {}, { signal }).asResponse();
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await read(response);
    await turns();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("keeps its listener for the copy of a response that has been read", async () => {
    const { server, controller, response } = await dripping();
    const copy = response.clone();
    await copy.body?.getReader().read();
    const reading = response.text();
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    await server.idle();
  });

  it("a reader that releases the body leaves it to the signal", async () => {
    const { api } = await serve(whole);
    const { signal } = new AbortController();
    const response = await api.send(safe, {}, { signal }).asResponse();
    response.body?.getReader().releaseLock();
    await turns();
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    expect(await response.json()).toEqual(body);
  });

  it("removes its listener once a response that nobody reads has been collected", async () => {
    const { signal } = new AbortController();
    const { api } = await serve();
    const drop = async () => {
      for (let call = 0; call < 5; call++) await api.send(safe, {}, { signal }).asResponse();
    };
    await drop();
    await expect
      .poll(() => {
        collectGarbage();
        return getEventListeners(signal, "abort");
      })
      .toHaveLength(0);
  });

  it("an abort before the headers is an AbortError", async () => {
    const { server, api } = await serve(stalls);
    const controller = new AbortController();
    const failure = failureOf(api.send(safe, {}, { signal: controller.signal }).asResponse(), AbortError);
    await server.received(1);
    controller.abort();
    expect(await failure).toMatchObject({ phase: "headers" });
  });
});

describe("the Response of asResponse(), whatever `fetch` returned", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const asReturned = (response: Response, signal?: AbortSignal) =>
    clientOf({ url: "https://service.example" }, { fetch: async () => response })
      .send(safe, {}, { signal })
      .asResponse();

  it("has its chunks, its status, its headers and its URL", async () => {
    const source = streamOf(["one ", "", "two"].map(bytes));
    const response = new Response(source, { status: 201, headers: { "x-a": "1" } });
    Object.defineProperty(response, "url", { value: "https://api.example.com/x" });
    const { status, headers, url, body } = await asReturned(response);
    expect([status, headers.get("x-a"), url]).toEqual([201, "1", "https://api.example.com/x"]);
    const chunks: string[] = [];
    for await (const chunk of body ?? []) chunks.push(new TextDecoder().decode(chunk));
    expect(chunks).toEqual(["one ", "two"]);
  });

  it.each([
    [199, false],
    [200, true],
    [204, true],
    [205, true],
    [299, true],
    [400, false],
    [599, false],
    [600, false],
    [999, false],
  ])("keeps its status, also one that `Response` refuses with a body: %d", async (status, ok) => {
    const odd = Object.defineProperty(new Response("odd"), "status", { value: status });
    const response = await asReturned(odd);
    expect([response.status, response.ok, await response.text()]).toEqual([status, ok, "odd"]);
  });

  it("keeps its status in a copy, too", async () => {
    for (const status of [200, 404, 599]) {
      expect((await asReturned(new Response("x", { status }))).clone().status).toBe(status);
    }
  });

  it("has a body that a reader with its own buffer can read", async () => {
    const { signal } = new AbortController();
    const { body } = await asReturned(new Response("12345678"), signal);
    const reader = body?.getReader({ mode: "byob" });
    for (const part of ["1234", "5678", ""]) {
      const read = await reader?.read(new Uint8Array(4));
      expect(new TextDecoder().decode(read?.value)).toBe(part);
    }
    await turns();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("leaves the memory of a chunk to `fetch`, which may share it with others", async () => {
    const pool = bytes("first and second");
    const source = streamOf([pool.subarray(0, 5), pool.subarray(5)]);
    expect(await (await asReturned(new Response(source))).text()).toBe("first and second");
    expect(pool).toHaveLength(16);
  });

  it("an abort ends the pending read with the caller's reason, and the connection, without a link of `fetch`", async () => {
    const cancel = gate();
    const source = new ReadableStream({ start: (controller) => controller.enqueue(bytes("{")), cancel: cancel.open });
    const controller = new AbortController();
    const reader = (await asReturned(new Response(source), controller.signal)).body?.getReader();
    expect((await reader?.read())?.value).toEqual(bytes("{"));
    const rest = reader?.read();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(rest).rejects.toBe(reason);
    await cancel.opened;
  });

  it("a reader that leaves ends the connection with its reason", async () => {
    const cancel = gate<string>();
    const response = await asReturned(new Response(new ReadableStream({ cancel: cancel.open })));
    await response.body?.cancel("left");
    expect(await cancel.opened).toBe("left");
  });

  it("breaks off with the error of the body", async () => {
    const { signal } = new AbortController();
    const source = new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
    const response = await asReturned(new Response(source), signal);
    await expect(response.text()).rejects.toThrow("broken");
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("the body of a call can be read one way, and the other is refused", () => {
  it("asResponse() after await", async () => {
    const { api } = await serve(whole);
    const call = api.send(safe, {});
    await call;
    const error = await failureOf(call.asResponse(), ConfigurationError);
    expect(error.message).toContain("Call asResponse() where the call is made, and nothing else on the same call");
    expect(error).toMatchObject({ outcome: "unknown", operation: "test.safe" });
  });

  it("asResponse() after the response has come, although nobody awaited the call", async () => {
    const resolved = gate();
    const onEvent = ({ type }: ClientEvent) => type === "resolved" && resolved.open();
    const { api } = await serve(whole, { onEvent });
    const call = api.send(safe, {});
    await resolved.opened;
    const error = await failureOf(call.asResponse(), ConfigurationError);
    expect(error.message).toContain("The body of this call has been read already.");
    expect(await call).toEqual(body);
  });

  it("await after asResponse()", async () => {
    const { api } = await serve(whole);
    const call = api.send(safe, {});
    const response = await call.asResponse();
    const error = await failureOf(call, ConfigurationError);
    expect(error.message).toContain("Make another call to have it parsed");
    expect(error.outcome).toBe("unknown");
    expect(await response.json()).toEqual(body);
    expect(await call.asResponse()).toBe(response);
  });
});
