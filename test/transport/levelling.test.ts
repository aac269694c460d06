import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toResponse } from "../../src/transport/direct-response.ts";
import { createSendOnce, endingWith } from "../../src/transport/runtime-fetch.ts";

/** What can be told in Node alone; `test/runtimes` looks at the runtimes themselves. */

afterEach(() => {
  vi.unstubAllGlobals();
});

const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"आशा"}' };

describe("what must not be re-sent is sent once", () => {
  it.each(["never", "ifNotProcessed"] as const)("%s: not again after HTTP 421, which Node re-sends", async (retry) => {
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
      const response = toResponse(await createSendOnce(undefined, retry)(`http://127.0.0.1:${port}/`, init));
      await response.text();
      expect(response.status).toBe(421);
      expect(received).toEqual([{ body: init.body, length: String(Buffer.byteLength(init.body)) }]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("Deno re-sends an HTTP/2 stream that was refused: what must not be re-sent keeps to HTTP/1.1", async () => {
    vi.resetModules();
    const module = await import("../../src/transport/runtime-fetch.ts");
    const createHttpClient = vi.fn(() => "the client");
    vi.stubGlobal("Deno", { createHttpClient });
    module.createSendOnce(undefined, "never");
    expect(createHttpClient).toHaveBeenCalledWith({ poolMaxIdlePerHost: 0, http2: false });
  });
});

describe("a body that the caller reads ends with the signal", () => {
  const { signal: never } = new AbortController();

  it("outside Deno `fetch` does so itself, and the response stays as it is", () => {
    const response = new Response("{}");
    expect(endingWith(never, response)).toBe(response);
  });

  describe("in Deno", () => {
    /** A body of one chunk that then goes on for ever, and whether it was let go of. */
    function endless() {
      const cancel = vi.fn();
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([123])), cancel });
      return { response: new Response(body, { status: 201, headers: { "x-a": "b" } }), cancel };
    }

    it("the read that waits rejects with the reason, and the connection is let go of", async () => {
      vi.stubGlobal("Deno", {});
      const { response, cancel } = endless();
      const controller = new AbortController();
      const reader = endingWith(controller.signal, response).body?.getReader();
      expect((await reader?.read())?.value).toEqual(new Uint8Array([123]));
      const rest = reader?.read();
      const reason = new Error("enough");
      controller.abort(reason);
      await expect(rest).rejects.toBe(reason);
      expect(cancel).toHaveBeenCalledOnce();
    });

    it("status, headers, URL and body are the same", async () => {
      vi.stubGlobal("Deno", {});
      const original = Object.defineProperty(Response.json({ a: 1 }, { status: 201 }), "url", { value: "https://x/" });
      const response = endingWith(never, original);
      expect(response).toMatchObject({ status: 201, url: "https://x/" });
      expect(response.headers.get("content-type")).toBe("application/json");
      await expect(response.json()).resolves.toEqual({ a: 1 });
    });

    it("cancelling it cancels the original; a response without a body stays as it is", async () => {
      vi.stubGlobal("Deno", {});
      const { response, cancel } = endless();
      await endingWith(never, response).body?.cancel("no more");
      expect(cancel).toHaveBeenCalledWith("no more");
      const empty = new Response(null, { status: 204 });
      expect(endingWith(never, empty)).toBe(empty);
    });
  });
});
