import type { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { nodeFetch } from "../../src/node/index.ts";
import { clientOf, errorOf } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { ifNotProcessed, never, safe } from "../support/operations.ts";
import { serve } from "../support/serve.ts";
import { answers, deadAddress, reset, stalls, startServer, startTcpServer, succeeds } from "../support/server.ts";

const ok = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n";
const success = '{"status":"SUCCESS"}';

/** Calls `onRequest` for each request of a connection, with its number on it. */
function eachRequest(socket: Socket, onRequest: (n: number) => void): void {
  let received = "";
  let n = 0;
  socket.setEncoding("utf8").on("data", (text: string) => {
    received += text;
    for (;;) {
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
      const end = received.indexOf("\r\n\r\n") + 4 + length;
      if (Number.isNaN(length) || received.length < end) return;
      received = received.slice(end);
      onRequest(++n);
    }
  });
}

describe.each([never, ifNotProcessed])(
  "$name: one request on the wire, and nothing that may have left is called unsent",
  (operation) => {
    it("a request has its own connection, which cannot deliver the rest of another response", async () => {
      let connections = 0;
      const server = await startTcpServer((socket) => {
        connections++;
        // One response: after a second one, the connection would not be used again in any case.
        eachRequest(socket, () => socket.write(ok + success));
      });
      const api = clientOf(server, { fetch: nodeFetch() });
      await api.send(operation, {});
      await api.send(operation, {});
      expect(connections).toBe(2);
    });

    it("a kept-alive connection that was closed in the meantime", async () => {
      let requests = 0;
      let first: Socket | undefined;
      const server = await startTcpServer((socket) => {
        first ??= socket;
        eachRequest(socket, () => {
          requests++;
          socket.write(ok + success);
        });
      });
      const api = clientOf(server, { fetch: nodeFetch() });
      await api.send(operation, {});
      first?.end();
      // In the same turn of the event loop: the client has not seen the end yet.
      const second = await api
        .send(operation, {})
        .withResponse()
        .catch((error: unknown) => error);
      expect(second).toMatchObject(requests === 2 ? { attempts: 1 } : { outcome: "unknown", attempts: 1 });
      expect(requests).toBeLessThanOrEqual(2);
    });

    it("a connection that is reset once the request was received", async () => {
      const { server, api } = await serve(reset, { fetch: nodeFetch() });
      const error = await errorOf(api.send(operation, {}));
      expect(error).toMatchObject({ kind: "connection", outcome: "unknown", code: "ECONNRESET" });
      expect(server.requests).toHaveLength(1);
    });

    it("HTTP 421, after which fetch sends again", async () => {
      const { server, api } = await serve(answers(421, {}), { fetch: nodeFetch() });
      await errorOf(api.send(operation, {}));
      expect(server.requests).toHaveLength(1);
    });

    it("a switch of protocols that nobody asked for", async () => {
      let requests = 0;
      const server = await startTcpServer((socket) => {
        eachRequest(socket, () => {
          requests++;
          socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n");
        });
      });
      const error = await errorOf(clientOf(server, { fetch: nodeFetch() }).send(operation, {}));
      expect(error).toMatchObject({ kind: "connection", outcome: "unknown" });
      expect(requests).toBe(1);
    });
  },
);

describe("a request is written as fetch writes it", () => {
  it.each(["one write", "two writes"])("a second response to a request is not that of the next: %s", async (how) => {
    const body = (n: number | string) => {
      const text = JSON.stringify({ status: "SUCCESS", n });
      return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
    };
    let requests = 0;
    const server = await startTcpServer((socket) => {
      eachRequest(socket, () => {
        requests++;
        if (how === "one write") return socket.write(body(requests) + body("stale"));
        socket.write(body(requests));
        return setImmediate(() => socket.write(body("stale")));
      });
    });
    const other = clientOf(await startServer(succeeds));
    const api = clientOf(server, { fetch: nodeFetch() });
    for (let n = 1; n <= 5; n++) {
      expect(await api.send(safe, {})).toEqual({ status: "SUCCESS", n });
      // Longer than the stale response takes.
      await other.send(safe, {});
    }
  });

  it("has the caller's headers, its length, and the encodings that can be read", async () => {
    const { server, api } = await serve(succeeds, { fetch: nodeFetch() });
    await api.send(safe, { text: "₹" });
    expect(server.requests[0]?.headers).toMatchObject({
      host: `127.0.0.1:${server.port}`,
      "client-id": "test-client",
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(server.requests[0]?.body ?? "")),
      "accept-encoding": "gzip, deflate, br",
      connection: "keep-alive",
    });
  });

  it("has the bytes that `fetch` sends for a header and a body beyond ASCII", async () => {
    const requests: string[] = [];
    const server = await startTcpServer((socket) => {
      let received = "";
      socket.setEncoding("latin1").on("data", (part: string) => {
        received += part;
        if (received.endsWith("}")) requests.push(received);
        if (received.endsWith("}")) socket.end(ok + success);
      });
    });
    for (const fetch of [undefined, nodeFetch()]) {
      await clientOf(server, { fetch, headers: { "x-shop": "Müller" } }).send(safe, { text: "₹ü" });
    }
    for (const request of requests) {
      expect(request).toContain("x-shop: M\u00fcller\r\n");
      const body = Buffer.from(request.split("\r\n\r\n")[1] ?? "", "latin1").toString();
      expect(JSON.parse(body)).toMatchObject({ text: "₹ü" });
    }
    expect(requests).toHaveLength(2);
  });

  it("a header that HTTP does not allow is refused before anything is sent, without its value", async () => {
    const server = await startServer(answers(200, {}));
    await errorOf(nodeFetch()(server.url, { headers: { "x-secret": "hush\nhush" } }), TypeError);
    expect(server.requests).toHaveLength(0);
  });
});

describe("what went wrong has the codes of fetch", () => {
  it.each(["while it is sent", "before there is a connection"])("a body that fails %s is the cause", async (when) => {
    const received = gate();
    const server = await startTcpServer((socket) => socket.on("data", received.open));
    const fetch = nodeFetch({ maxSockets: 1, proxy: false });
    const reason = new Error("the caller's own");
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(1));
        if (when.startsWith("before")) controller.error(reason);
      },
      async pull(controller) {
        await received.opened;
        controller.error(reason);
      },
    });
    const error = await errorOf(fetch(server.url, { method: "POST", body, duplex: "half" } as RequestInit), TypeError);
    expect(error.cause).toBe(reason);
    await server.idle();
  });

  it("a body that fails while its request waits does not end the process, and is left if the request is", async () => {
    const server = await startServer(stalls);
    const fetch = nodeFetch({ maxSockets: 1, proxy: false });
    const holding = errorOf(fetch(server.url), TypeError);
    await server.received(1);
    const { readable: failing, writable } = new TransformStream();
    const cancel = vi.fn();
    const left = new ReadableStream({ cancel });
    const requests = [failing, left].map((body) =>
      errorOf(fetch(server.url, { method: "POST", body, duplex: "half" } as RequestInit), TypeError),
    );
    await writable.abort(new Error("no"));
    // Longer than an error takes that nobody handles.
    await errorOf(nodeFetch({ proxy: false })(deadAddress), TypeError);
    fetch.close();
    await Promise.all([holding, ...requests]);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("an abort rejects with its reason, before and during the request", async () => {
    const server = await startServer(stalls);
    const reason = new Error("enough");
    await expect(nodeFetch()(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
    const controller = new AbortController();
    const pending = nodeFetch()(server.url, { signal: controller.signal });
    await server.received(1);
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await server.idle();
  });
});
