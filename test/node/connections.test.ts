import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Pool } from "../../src/node/connections.ts";
import { type NodeFetchOptions, nodeFetch } from "../../src/node/index.ts";
import { type DirectFetch, directFetch } from "../../src/transport/fetch.ts";
import { clientOf, errorOf } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { never, safe } from "../support/operations.ts";
import { answers, reply, startServer, startTcpServer } from "../support/server.ts";

const server = () => startServer(answers(200, {}));
const https = (port: number, options: NodeFetchOptions) =>
  clientOf({ url: `https://127.0.0.1:${port}` }, { fetch: nodeFetch({ ...options, proxy: false }) });
const get = async (fetch: typeof globalThis.fetch, url: string) => (await fetch(url)).text();

/** A server that responds to each request when `respond` is called. */
async function slowServer() {
  const responses: ServerResponse[] = [];
  const started = await startServer((response) => responses.push(response));
  return { ...started, respond: () => reply(responses.shift() ?? expect.unreachable(), 200, {}) };
}

describe("connections", () => {
  it("are used again", async () => {
    const { url, requests } = await server();
    const fetch = nodeFetch();
    for (let i = 0; i < 3; i++) await get(fetch, url);
    expect(new Set(requests.map(({ socket }) => socket)).size).toBe(1);
  });

  it("do not keep the process alive while they are unused", async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    const before = sockets();
    const { url, sockets: accepted } = await server();
    const fetch = nodeFetch();
    await get(fetch, url);
    // That of the server is left.
    await expect.poll(() => [accepted.size, sockets() - before]).toEqual([1, 1]);
    fetch.close();
  });

  it("are not used again after a response to a part of the request, which may be that of an earlier one", async () => {
    let connections = 0;
    const sent = gate();
    const received = gate();
    const body = new Uint8Array(32 * 1024 * 1024);
    const service = await startTcpServer((socket) => {
      connections++;
      let length = 0;
      let end = 0;
      socket.on("close", () => received.open());
      socket.on("data", (bytes: Buffer) => {
        const isFirst = length === 0;
        if (isFirst) end = bytes.indexOf("\r\n\r\n") + 4 + body.length;
        if (isFirst || length === end) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        if (isFirst) void sent.opened.then(() => socket.resume());
        if (isFirst) socket.pause();
        length += bytes.length;
        if (length === end) received.open();
      });
    });
    const fetch = nodeFetch();
    await (await fetch(service.url, { method: "POST", body })).text();
    sent.open();
    await received.opened;
    // Longer than a connection takes to be ready again.
    await get(fetch, (await server()).url);
    await get(fetch, service.url);
    expect(connections).toBe(2);
  });

  it("keepAlive: false closes each", async () => {
    const { url, requests, idle } = await server();
    const fetch = nodeFetch({ keepAlive: false });
    for (let i = 0; i < 2; i++) await get(fetch, url);
    await idle();
    expect(new Set(requests.map(({ socket }) => socket)).size).toBe(2);
  });

  it("maxSockets: further requests wait", async () => {
    const { url, requests } = await server();
    const fetch = nodeFetch({ maxSockets: 2 });
    await Promise.all(Array.from({ length: 10 }, () => get(fetch, url)));
    expect(new Set(requests.map(({ socket }) => socket)).size).toBe(2);
  });

  it("are closed after idleTimeout, or a second before the server announced to close them", async () => {
    const quick = await server();
    await get(nodeFetch({ idleTimeout: 50 }), quick.url);
    await quick.idle();
    const announced = await startServer(answers(200, {}, { "keep-alive": "timeout=1" }));
    await get(nodeFetch({ idleTimeout: 600_000 }), announced.url);
    await announced.idle();
  });

  it("are all closed by close(), and a later request opens a new one", async () => {
    const { url, idle, requests } = await server();
    const fetch = nodeFetch({ idleTimeout: 600_000 });
    await get(fetch, url);
    fetch.close();
    await idle();
    await get(fetch, url);
    fetch.close();
    await idle();
    expect(requests).toHaveLength(2);
  });
});

describe("maxSockets", () => {
  it("counts a connection that is not used any more", async () => {
    const service = await slowServer();
    const api = clientOf(service, { fetch: nodeFetch({ maxSockets: 1 }) });
    for (const operation of [safe, never]) {
      const call = api.send(operation, {}).withResponse();
      await service.received(service.requests.length + 1);
      await expect.poll(() => service.sockets.size).toBe(1);
      service.respond();
      await call;
    }
    expect(new Set(service.requests.map(({ socket }) => socket)).size).toBe(2);
  });

  it("waits no longer for a connection whose server responded before it had read the request, and reads no more", async () => {
    const sockets: Socket[] = [];
    const server = await startTcpServer((socket) => {
      sockets.push(socket);
      socket.once("data", () => {
        socket.pause();
        socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n");
      });
    });
    const fetch = nodeFetch({ maxSockets: 1 });
    for (const body of ["x".repeat(50_000_000), "x"]) {
      const response = await fetch(server.url, { method: "POST", body });
      expect([response.status, await response.text()]).toEqual([413, ""]);
    }
    for (const socket of sockets) socket.destroy();
    fetch.close();
  });

  it("lets the request go first that waits longest, and loses no turn to one that was aborted", async () => {
    const service = await slowServer();
    const fetch = nodeFetch({ maxSockets: 1 });
    const holding = get(fetch, `${service.url}/1`);
    await service.received(1);
    const controller = new AbortController();
    const aborted = fetch(`${service.url}/aborted`, { signal: controller.signal });
    const waiting = [2, 3].map((n) => get(fetch, `${service.url}/${n}`));
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    for (const n of [1, 2, 3]) {
      await service.received(n);
      service.respond();
    }
    await Promise.all([holding, ...waiting]);
    expect(service.requests.map(({ path }) => path)).toEqual(["/1", "/2", "/3"]);
  });

  it("leaves no listener on the signal of a request that waited, whether it was sent or not", async () => {
    const service = await slowServer();
    const fetch = nodeFetch({ maxSockets: 1 });
    const direct: DirectFetch = Reflect.get(fetch, directFetch);
    const holding = get(fetch, service.url);
    await service.received(1);
    const { signal } = new AbortController();
    const read = async () =>
      (await direct(service.url, { method: "POST", body: "", signal }, true)).body?.read(() => true);
    const sent = read();
    const closed = errorOf(read(), TypeError);
    expect(getEventListeners(signal, "abort")).toHaveLength(2);
    service.respond();
    await holding;
    await service.received(2);
    const closing = errorOf(sent, TypeError);
    fetch.close();
    await Promise.all([closed, closing]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("close() rejects the requests that wait", async () => {
    const service = await slowServer();
    const fetch = nodeFetch({ maxSockets: 1 });
    const holding = errorOf(get(fetch, service.url), TypeError);
    await service.received(1);
    const waiting = errorOf(get(fetch, service.url), TypeError);
    // Longer than a request takes to wait.
    await get(nodeFetch(), (await server()).url);
    fetch.close();
    expect(await waiting).toMatchObject({ cause: { message: "nodeFetch was closed." } });
    await holding;
    expect(service.requests).toHaveLength(1);
  });
});

it("origins without connections are forgotten, however many there are, and others are kept", async () => {
  const { url } = await server();
  const pool = new Pool({
    maxSockets: 1,
    keepAlive: true,
    idleTimeout: 600_000,
    connectTimeout: false,
    tls: {},
    proxyFor: () => undefined,
  });
  const [used, unused] = [new URL(url), new URL("https://api.example.com")];
  const kept = pool.origin(used);
  const forgotten = pool.origin(unused);
  kept.release(await kept.acquire(true, () => {}), undefined);
  for (let n = 0; n < 100; n++) pool.origin(new URL(`https://${n}.example.com`));
  expect(pool.origin(used)).toBe(kept);
  expect(pool.origin(unused)).not.toBe(forgotten);
  pool.close();
});

describe("a connection that is not made", () => {
  it("in connectTimeout was never sent", async () => {
    const server = await startTcpServer((socket) => socket.resume());
    const error = await errorOf(https(server.port, { connectTimeout: 50 }).send(never, {}));
    expect(error).toMatchObject({ kind: "connection", outcome: "notSent", code: "ETIMEDOUT" });
    await server.idle();
  });

  it("is given up with the request, whose place another takes, and nothing was sent", async () => {
    const server = await startTcpServer((socket) => socket.resume());
    const api = https(server.port, { connectTimeout: false, maxSockets: 1 });
    for (let i = 0; i < 2; i++) {
      const error = await errorOf(api.send(never, {}, { timeout: 60 }));
      expect(error).toMatchObject({ kind: "timeout", outcome: "notSent", attempts: 1 });
      await server.idle();
    }
  });

  it.each(["safe", "ifNotProcessed", "never"] as const)("%s: close() while it waits for one", async (retry) => {
    const service = await slowServer();
    const fetch = nodeFetch({ maxSockets: 1 });
    const holding = errorOf(get(fetch, service.url), TypeError);
    await service.received(1);
    const waiting = errorOf(clientOf(service, { fetch, maxRetries: 0 }).send({ ...never, retry }, {}));
    // Longer than a request takes to wait.
    await get(nodeFetch(), (await server()).url);
    fetch.close();
    expect(await waiting).toMatchObject({ kind: "connection", outcome: "notSent", isRetryable: true });
    await holding;
    expect(service.requests).toHaveLength(1);
  });

  it.each([["the timeout", { timeout: 60 }, "timeout"] as const, ["the caller", {}, "abort"] as const])(
    "%s ends the wait for another request's",
    async (_by, options, kind) => {
      const service = await slowServer();
      const api = clientOf(service, { fetch: nodeFetch({ maxSockets: 1 }) });
      const holding = api.send(never, {});
      await service.received(1);
      const controller = new AbortController();
      const waiting = errorOf(api.send(never, {}, { ...options, signal: controller.signal }));
      await get(nodeFetch(), (await server()).url);
      if (kind === "abort") controller.abort();
      expect(await waiting).toMatchObject({ kind, outcome: "notSent" });
      service.respond();
      await holding.catch(() => {});
      expect(service.requests).toHaveLength(1);
    },
  );

  it("to a peer that drops it: nothing was sent, also if a function is around the fetch", async () => {
    const server = await startTcpServer((socket) => socket.once("data", () => socket.destroy()));
    const fetch = nodeFetch({ proxy: false });
    const around: typeof globalThis.fetch = (input, init) => fetch(input, init);
    for (const given of [fetch, around]) {
      const api = clientOf({ url: `https://127.0.0.1:${server.port}` }, { fetch: given });
      const error = await errorOf(api.send(never, {}));
      expect(error).toMatchObject({ kind: "connection", outcome: "notSent", code: "ECONNRESET" });
    }
  });

  it("a request that waits for its turn ends with its signal", async () => {
    const { url } = await startTcpServer(() => {});
    const fetch = nodeFetch({ maxSockets: 1, proxy: false });
    const first = new AbortController();
    const holding = fetch(url, { signal: first.signal });
    const reason = new Error("enough");
    const second = new AbortController();
    const waiting = fetch(url, { signal: second.signal });
    second.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    first.abort(reason);
    await expect(holding).rejects.toBe(reason);
  });
});
