import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { callFetch, directFetch, toResponse } from "../../src/transport/fetch.ts";

// The module itself, without the watch over its URLs (test/support/leaks/watch.ts).
vi.unmock("../../src/transport/fetch.ts");

/** Covers what can be tested in Node alone; `test/runtimes` covers the runtimes themselves. */

afterEach(() => void vi.resetModules());

describe("the quirks of the runtimes", () => {
  const init = { method: "POST", body: "{}" };
  /** Passed to `fetch`: an edge runtime would keep the response of a POST (test/transport/uncached.test.ts). */
  const sent = { ...init, cache: "no-store" };

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
        const response = toResponse(await callFetch(`http://127.0.0.1:${port}/`, post, { retry }));
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
    const module = await import("../../src/transport/fetch.ts");
    const createHttpClient = vi.fn(() => "the client");
    const fetch = vi.fn(async () => new Response());
    vi.stubGlobal("Deno", { createHttpClient });
    vi.stubGlobal("fetch", fetch);
    for (const retry of ["never", "ifNotProcessed"] as const)
      await module.callFetch("https://x.example", init, { retry });
    expect(createHttpClient).toHaveBeenCalledOnce();
    expect(createHttpClient).toHaveBeenCalledWith(expect.objectContaining({ poolMaxIdlePerHost: 0 }));
    expect(fetch.mock.calls.map((args: unknown[]) => args[1])).toEqual([
      { ...sent, client: "the client" },
      { ...sent, client: "the client" },
    ]);
    await module.callFetch("https://x.example", init, { retry: "safe" });
    expect(fetch).toHaveBeenLastCalledWith("https://x.example", sent);
  });

  it("Deno re-sends an HTTP/2 stream that was refused: what must not be re-sent keeps to HTTP/1.1", async () => {
    const module = await import("../../src/transport/fetch.ts");
    const createHttpClient = vi.fn(() => "the client");
    vi.stubGlobal("Deno", { createHttpClient });
    vi.stubGlobal("fetch", async () => new Response());
    await module.callFetch("https://x.example", init, { retry: "never" });
    expect(createHttpClient).toHaveBeenCalledWith({ poolMaxIdlePerHost: 0, http2: false });
  });

  it("Bun up to 1.3.11 re-sends as well: what must not be re-sent gets its own connection", async () => {
    const fetch = vi.fn(async () => new Response());
    vi.stubGlobal("Bun", {});
    vi.stubGlobal("fetch", fetch);
    await callFetch("https://x.example", init, { retry: "never" });
    expect(fetch).toHaveBeenLastCalledWith("https://x.example", { ...sent, keepalive: false });
    await callFetch("https://x.example", init, { retry: "safe" });
    expect(fetch).toHaveBeenLastCalledWith("https://x.example", sent);
  });

  /** The `fetch` of a runtime with these globals, once it has sent what must not be sent again. */
  async function sentOnce(globals: Readonly<Record<string, unknown>>) {
    const fetch = vi.fn(async (_url: string, _init: RequestInit) => new Response());
    for (const [name, value] of Object.entries({ ...globals, fetch })) vi.stubGlobal(name, value);
    await callFetch("https://x.example", init, { retry: "never" });
    return fetch;
  }

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["a Deno without that function", { Deno: {} }],
    ["workerd, which shows Node's `process`", { WebSocketPair: class {} }],
    ["a browser", { process: undefined, document: {} }],
    ["a worker of a browser, with a polyfill of `process`", { process: { env: {} }, WorkerGlobalScope: class {} }],
  ])("%s sends unchanged", async (_runtime, globals) => {
    expect((await sentOnce(globals)).mock.calls).toEqual([["https://x.example", sent]]);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["Node without `navigator`", { navigator: undefined }],
    ["Node whose `navigator` was replaced", { navigator: { userAgent: "Mozilla/5.0" } }],
    ["Node with the `document` of jsdom", { document: {}, window: {} }],
    ["a runtime that nobody knows", { process: undefined, navigator: undefined }],
  ])("%s gets a body that cannot be sent twice", async (_runtime, globals) => {
    expect((await sentOnce(globals)).mock.calls[0]?.[1].body).toBeInstanceOf(ReadableStream);
  });

  it("a custom fetch is used as it is, whatever the runtime", async () => {
    vi.stubGlobal("Deno", { createHttpClient: expect.unreachable });
    const custom = vi.fn(async () => new Response());
    await callFetch("https://x.example", init, { fetch: custom, retry: "never" });
    expect(custom).toHaveBeenCalledWith("https://x.example", sent);
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
      const response = toResponse(await callFetch("https://x.example", init, { fetch: custom, retry }));
      expect(await response.text()).toBe("direct");
      expect(direct).toHaveBeenCalledWith("https://x.example", init, mayReuse);
    },
  );
});
