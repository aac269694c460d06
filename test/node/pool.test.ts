import { describe, expect, it } from "vitest";
import { nodeFetch } from "../../src/node/index.ts";
import { gate } from "../support/gate.ts";
import { reply, startServer, startTcpServer } from "../support/server.ts";

const server = () => startServer((response) => reply(response, 200, {}));
const get = async (fetch: typeof globalThis.fetch, url: string) => (await fetch(url)).text();

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
    const announced = await startServer((response) => reply(response, 200, {}, { "keep-alive": "timeout=1" }));
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
