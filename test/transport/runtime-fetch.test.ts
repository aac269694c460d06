import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { directFetch, toResponse } from "../../src/transport/direct-response.ts";
import { createSendOnce, endingWith } from "../../src/transport/runtime-fetch.ts";

// The module itself, without the watch over its URLs (test/support/leaks/watch.ts).
vi.unmock("../../src/transport/runtime-fetch.ts");

/** Covers what can be tested in Node alone; `test/runtimes` covers the runtimes themselves. */

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe("the quirks of the runtimes", () => {
  const init = { method: "POST", body: "{}" };

  it.each(["never", "ifNotProcessed"] as const)(
    "%s: Node re-sends after HTTP 421, and what must not be re-sent arrives once, with its length",
    async (retry) => {
      const post = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"आशा"}' };
      const received: { readonly body: string; readonly length: string | undefined }[] = [];
      const server = createServer(async (request, response) => {
        let body = "";
        for await (const chunk of request.setEncoding("utf8")) body += chunk;
        received.push({ body, length: request.headers["content-length"] });
        response.writeHead(421).end("{}");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        const { port } = server.address() as AddressInfo;
        const response = toResponse(await createSendOnce(undefined, retry)(`http://127.0.0.1:${port}/`, post));
        await response.text();
        expect(response.status).toBe(421);
        expect(received).toEqual([{ body: post.body, length: String(Buffer.byteLength(post.body)) }]);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
  );

  it("Deno re-sends on a kept-alive connection that died: what must not be re-sent gets a client without idle ones", async () => {
    const module = await import("../../src/transport/runtime-fetch.ts");
    const createHttpClient = vi.fn(() => "the client");
    const fetch = vi.fn(async () => new Response());
    vi.stubGlobal("Deno", { createHttpClient });
    vi.stubGlobal("fetch", fetch);
    for (const retry of ["never", "ifNotProcessed"] as const)
      await module.createSendOnce(undefined, retry)("https://x.example", init);
    expect(createHttpClient).toHaveBeenCalledOnce();
    expect(createHttpClient).toHaveBeenCalledWith(expect.objectContaining({ poolMaxIdlePerHost: 0 }));
    expect(fetch.mock.calls.map((args: unknown[]) => args[1])).toEqual([
      { ...init, client: "the client" },
      { ...init, client: "the client" },
    ]);
    await module.createSendOnce(undefined, "safe")("https://x.example", init);
    expect(fetch).toHaveBeenLastCalledWith("https://x.example", init);
  });

  it("Deno re-sends an HTTP/2 stream that was refused: what must not be re-sent keeps to HTTP/1.1", async () => {
    const module = await import("../../src/transport/runtime-fetch.ts");
    const createHttpClient = vi.fn(() => "the client");
    vi.stubGlobal("Deno", { createHttpClient });
    module.createSendOnce(undefined, "never");
    expect(createHttpClient).toHaveBeenCalledWith({ poolMaxIdlePerHost: 0, http2: false });
  });

  it("Bun up to 1.3.11 re-sends as well: what must not be re-sent gets its own connection", async () => {
    const fetch = vi.fn(async () => new Response());
    vi.stubGlobal("Bun", {});
    vi.stubGlobal("fetch", fetch);
    await createSendOnce(undefined, "never")("https://x.example", init);
    expect(fetch).toHaveBeenLastCalledWith("https://x.example", { ...init, keepalive: false });
    await createSendOnce(undefined, "safe")("https://x.example", init);
    expect(fetch).toHaveBeenLastCalledWith("https://x.example", init);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["a Deno without that function", { Deno: {} }],
    ["workerd, which shows Node's `process`", { WebSocketPair: class {} }],
    ["a browser", { process: undefined, document: {} }],
    ["a worker of a browser, with a polyfill of `process`", { process: { env: {} }, WorkerGlobalScope: class {} }],
  ])("%s sends unchanged", async (_runtime, globals) => {
    const fetch = vi.fn(async () => new Response());
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    vi.stubGlobal("fetch", fetch);
    await createSendOnce(undefined, "never")("https://x.example", init);
    expect(fetch).toHaveBeenCalledWith("https://x.example", init);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["Node without `navigator`", { navigator: undefined }],
    ["Node whose `navigator` was replaced", { navigator: { userAgent: "Mozilla/5.0" } }],
    ["Node with the `document` of jsdom", { document: {}, window: {} }],
    ["a runtime that nobody knows", { process: undefined, navigator: undefined }],
  ])("%s gets a body that cannot be sent twice", async (_runtime, globals) => {
    const fetch = vi.fn(async (_url: string, _init: RequestInit) => new Response());
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    vi.stubGlobal("fetch", fetch);
    await createSendOnce(undefined, "never")("https://x.example", init);
    expect(fetch.mock.calls[0]?.[1].body).toBeInstanceOf(ReadableStream);
  });

  it("a custom fetch is used as it is, whatever the runtime", async () => {
    vi.stubGlobal("Deno", { createHttpClient: expect.unreachable });
    const custom = vi.fn(async () => new Response());
    await createSendOnce(custom, "never")("https://x.example", init);
    expect(custom).toHaveBeenCalledWith("https://x.example", init);
  });

  it.each([
    ["safe", true],
    ["ifNotProcessed", false],
    ["never", false],
  ] as const)(
    "%s: a plainer way that a fetch offers learns whether a used connection will do: %s",
    async (retry, mayReuse) => {
      const direct = vi.fn(async () => new Response("direct"));
      const custom = Object.assign(async () => new Response("custom"), { [directFetch]: direct });
      const response = toResponse(await createSendOnce(custom, retry)("https://x.example", init));
      expect(await response.text()).toBe("direct");
      expect(direct).toHaveBeenCalledWith("https://x.example", init, mayReuse);
    },
  );
});

describe("Deno 2.9 loses the link from a signal to a body to garbage collection: the library restores it", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  /** The signal of an attempt that the test outlives. */
  const attemptSignal = () => {
    const attempt = new AbortController();
    onTestFinished(() => attempt.abort());
    return attempt.signal;
  };

  it("nowhere else, and not without a body", () => {
    const { signal } = new AbortController();
    const response = new Response("x");
    expect(endingWith(signal, response)).toBe(response);
    vi.stubGlobal("Deno", {});
    const empty = new Response(null);
    expect(endingWith(signal, empty)).toBe(empty);
  });

  it("returns the body chunk by chunk, with the status, the headers and the URL", async () => {
    vi.stubGlobal("Deno", {});
    const source = new ReadableStream({
      start(controller) {
        for (const text of ["one ", "two"]) controller.enqueue(bytes(text));
        controller.close();
      },
    });
    const response = new Response(source, { status: 201, headers: { "x-a": "1" } });
    Object.defineProperty(response, "url", { value: "https://api.example.com/x" });
    const wrapped = endingWith(attemptSignal(), response);
    expect([wrapped.status, wrapped.headers.get("x-a"), wrapped.url]).toEqual([201, "1", "https://api.example.com/x"]);
    expect(await wrapped.text()).toBe("one two");
  });

  it("keeps a status that `Response` refuses", async () => {
    vi.stubGlobal("Deno", {});
    const response = Object.defineProperty(new Response("odd"), "status", { value: 999 });
    const { status, ok, body } = endingWith(attemptSignal(), response);
    expect([status, ok, await new Response(body).text()]).toEqual([999, false, "odd"]);
  });

  it("an abort ends the pending read with the caller's reason, and the connection", async () => {
    vi.stubGlobal("Deno", {});
    const cancel = vi.fn();
    const source = new ReadableStream({ start: (controller) => controller.enqueue(bytes("{")), cancel });
    const controller = new AbortController();
    const reader = endingWith(controller.signal, new Response(source)).body?.getReader();
    expect((await reader?.read())?.value).toEqual(bytes("{"));
    const rest = reader?.read();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(rest).rejects.toBe(reason);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("a reader that leaves ends the connection too", async () => {
    vi.stubGlobal("Deno", {});
    const cancel = vi.fn();
    const wrapped = endingWith(attemptSignal(), new Response(new ReadableStream({ cancel })));
    await wrapped.body?.cancel("left");
    expect(cancel).toHaveBeenCalledWith("left");
  });
});
