import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { ProxyAgent, fetch as undiciFetch } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeFetch } from "../../src/node/index.ts";
import { chooseProxy } from "../../src/node/proxy.ts";
import { clientOf, errorOf, nowhere } from "../support/client.ts";
import { never, safe } from "../support/operations.ts";
import { answers, deadAddress, startServer, startTcpServer } from "../support/server.ts";

import { cert, startTls } from "./tls-server.ts";

/** A proxy that records its requests, and tunnels to `port` whatever name it is asked for. */
async function startProxy(port: number, status = 200) {
  const seen: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    seen.push(request);
    response.end('{"status":"SUCCESS"}');
  });
  server.on("connect", (request, socket: Socket, head) => {
    seen.push(request);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const service = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    for (const end of [socket, service]) sockets.add(end.on("error", () => {}));
    service.write(head);
    service.pipe(socket).pipe(service);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

describe("through a proxy", () => {
  it("https: a tunnel, whose connection is used again; the proxy sees neither headers nor path, the service no password", async () => {
    const received: string[] = [];
    const port = await startTls((request, response) => {
      received.push(...Object.keys(request.headers));
      response.end('{"status":"SUCCESS"}');
    });
    const proxy = await startProxy(port);
    const fetch = nodeFetch({ proxy: `http://us%65r:p%40ss@${proxy.host}`, tls: { ca: cert } });
    const api = clientOf({ url: "https://api.example.com/secret-path" }, { fetch });
    for (let i = 0; i < 2; i++) expect(await api.send(safe, {})).toEqual({ status: "SUCCESS" });
    expect(proxy.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(["CONNECT api.example.com:443"]);
    expect(proxy.seen[0]?.headers).toEqual({
      host: "api.example.com:443",
      connection: expect.any(String),
      "proxy-authorization": `Basic ${Buffer.from("user:p@ss").toString("base64")}`,
    });
    expect(received).toContain("client-secret");
    expect(received).not.toContain("proxy-authorization");
  });

  it("port 0 is the one that is asked for, not the port of the scheme", async () => {
    const proxy = await startProxy(0, 403);
    const fetch = nodeFetch({ proxy: `http://${proxy.host}` });
    await errorOf(clientOf({ url: "https://api.example.com:0" }, { fetch }).send(never, {}));
    expect(proxy.seen.map(({ url }) => url)).toEqual(["api.example.com:0"]);
    const error = await errorOf(clientOf({ url: "http://127.0.0.1:0" }, { fetch: nodeFetch() }).send(never, {}));
    expect(String(error.cause)).toMatch(/connect \w+ 127\.0\.0\.1(?!:\d)/);
  });

  it("https: undici's own agent, as docs/proxies.md passes it", async () => {
    const port = await startTls();
    const proxy = await startProxy(port);
    const dispatcher = new ProxyAgent({ uri: `http://${proxy.host}`, requestTls: { ca: cert } });
    onTestFinished(() => dispatcher.close());
    const viaProxy = undiciFetch as unknown as typeof fetch;
    const throughProxy: typeof fetch = (url, init) => viaProxy(url, Object.assign({}, init, { dispatcher }));
    const api = clientOf({ url: "https://api.example.com/path" }, { fetch: throughProxy });
    expect(await api.send(safe, {})).toEqual({ status: "SUCCESS" });
    expect(proxy.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(["CONNECT api.example.com:443"]);
  });

  it("http: the request line names the URL", async () => {
    const proxy = await startProxy(0);
    const response = await nodeFetch({ proxy: `http://u:p@${proxy.host}` })("http://service.example:8080/a?b");
    expect(await response.json()).toEqual({ status: "SUCCESS" });
    expect(proxy.seen[0]).toMatchObject({ url: "http://service.example:8080/a?b" });
    expect(proxy.seen[0]?.headers).toMatchObject({ host: "service.example:8080", "proxy-authorization": "Basic dTpw" });
  });

  it("the certificate of the service is checked, not the proxy's word", async () => {
    const port = await startTls();
    const proxy = await startProxy(port);
    const api = clientOf(nowhere, { fetch: nodeFetch({ proxy: `http://${proxy.host}` }) });
    expect(await errorOf(api.send(never, {}))).toMatchObject({
      outcome: "notSent",
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
    });
  });

  it.each([
    [407, "ERR_PROXY_AUTHENTICATION", false],
    [403, "ERR_PROXY_TUNNEL", true],
    [502, "ERR_PROXY_TUNNEL", true],
  ])(
    "a tunnel that is refused with HTTP %i: nothing was sent, and no password is shown",
    async (status, code, isRetryable) => {
      const proxy = await startProxy(0, status);
      const fetch = nodeFetch({ proxy: `http://user:hunter2@${proxy.host}` });
      const error = await errorOf(clientOf(nowhere, { fetch }).send(never, {}));
      expect(error).toMatchObject({ kind: "connection", outcome: "notSent", code, isRetryable });
      expect(String(error.cause)).toContain(`HTTP ${status}`);
      expect(`${error} ${error.cause} ${error.stack}`).not.toMatch(/hunter2|dXNlcj/);
    },
  );

  it.each<[string, (socket: Socket) => void]>([
    ["closes before its response", (socket) => socket.end()],
    ["resets before its response", (socket) => socket.resetAndDestroy()],
    ["closes in its response", (socket) => socket.end("HTTP/1.1 200 Conn")],
    ["responds with another protocol", (socket) => socket.end("220 mail\r\n\r\n")],
    ["closes the tunnel at once", (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n")],
  ])("that %s: nothing was sent", async (_, respond) => {
    const { port } = await startTcpServer((socket) => socket.once("data", () => respond(socket)));
    const fetch = nodeFetch({ proxy: `http://user:hunter2@127.0.0.1:${port}` });
    const error = await errorOf(clientOf(nowhere, { fetch }).send(never, {}));
    expect(error).toMatchObject({ kind: "connection", outcome: "notSent", code: "ERR_PROXY_TUNNEL", attempts: 1 });
    expect(`${error} ${error.cause} ${error.stack}`).not.toMatch(/hunter2|dXNlcj/);
  });

  it("that sends another head before its response: the message says so", async () => {
    const heads = "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n";
    const proxy = await startTcpServer((socket) => socket.once("data", () => socket.write(heads)));
    const api = clientOf(nowhere, { fetch: nodeFetch({ proxy: proxy.url }) });
    const error = await errorOf(api.send(never, {}));
    expect(error).toMatchObject({ outcome: "notSent", code: "ERR_PROXY_TUNNEL" });
    expect(String(error.cause)).toContain("its response has HTTP 103");
    expect(`${error} ${error.cause}`).not.toContain("refused");
  });

  it("that is not there: nothing was sent", async () => {
    const api = clientOf(nowhere, { fetch: nodeFetch({ proxy: deadAddress }) });
    expect(await errorOf(api.send(never, {}))).toMatchObject({ outcome: "notSent", code: "ECONNREFUSED" });
  });

  it("`false` uses none, whatever the environment says", async () => {
    const server = await startServer(answers(200, {}));
    vi.stubEnv("http_proxy", deadAddress);
    expect((await nodeFetch({ proxy: false })(server.url)).status).toBe(200);
    await expect(nodeFetch()(server.url)).rejects.toThrow("fetch failed");
  });
});

describe("the environment, as curl reads it", () => {
  const used = (url: string, env: Record<string, string>) => {
    const proxy = chooseProxy(undefined, env)(new URL(url));
    return proxy && `${proxy.host}:${proxy.port}`;
  };

  it.each<[string, Record<string, string>, string | undefined]>([
    ["https://a.in", { HTTPS_PROXY: "http://p:1" }, "p:1"],
    ["https://a.in", { HTTPS_PROXY: "p:1" }, "p:1"],
    ["https://a.in", { HTTPS_PROXY: "https://p" }, "p:443"],
    ["https://a.in", { https_proxy: "http://q:2", HTTPS_PROXY: "http://p:1" }, "q:2"],
    ["https://a.in", { https_proxy: " ", HTTPS_PROXY: "http://p:1" }, "p:1"],
    ["https://a.in", { HTTP_PROXY: "http://p:1" }, undefined],
    ["https://a.in", { ALL_PROXY: "http://p:1" }, "p:1"],
    ["http://a.in", { HTTP_PROXY: "http://p:1" }, "p:1"],
    ["http://a.in", { HTTP_PROXY: "http://p:1", REQUEST_METHOD: "GET" }, undefined],
    ["http://a.in", { http_proxy: "http://p:1", REQUEST_METHOD: "GET" }, "p:1"],
    ["http://a.in", { HTTPS_PROXY: "http://p:1" }, undefined],
    ["https://[::1]", { HTTPS_PROXY: "http://[::2]:1" }, "::2:1"],
  ])("%s with %o: %s", (url, env, proxy) => {
    expect(used(url, env)).toBe(proxy);
  });

  it.each<[string, string, boolean]>([
    ["*", "https://a.in", true],
    ["a.in", "https://a.in", true],
    ["A.IN", "https://a.in.", true],
    ["a.in", "https://b.a.in", true],
    [".a.in", "https://b.a.in", true],
    ["*.a.in", "https://b.a.in", true],
    ["a.in", "https://ba.in", false],
    ["x.in, a.in", "https://a.in", true],
    ["x.in a.in", "https://a.in", true],
    ["a.in:443", "https://a.in", true],
    ["a.in:8443", "https://a.in", false],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.1.2.3", "https://10.1.2.3", true],
    ["2.3", "https://10.1.2.3", false],
    ["[::1]", "https://[::1]", true],
    ["::1", "https://[::1]", true],
    ["0:0:0:0:0:0:0:1", "https://[::1]", true],
    ["::ffff:10.1.2.3", "https://[::ffff:10.1.2.3]", true],
    ["fd00::/8", "https://[fd12::1]", true],
    ["", "https://a.in", false],
  ])("NO_PROXY=%s: %s goes around it: %s", (list, url, bypassed) => {
    expect(used(url, { HTTPS_PROXY: "http://p:1", NO_PROXY: list }) === undefined).toBe(bypassed);
    expect(used(url, { HTTPS_PROXY: "http://p:1", no_proxy: list, NO_PROXY: "other" }) === undefined).toBe(bypassed);
  });

  it.each([
    { HTTPS_PROXY: "socks5://u:hunter2@p:1" },
    { https_proxy: "http://u:hunter2%@p" },
    { ALL_PROXY: "http://" },
  ])("%o is refused by its name, without its value", (env) => {
    expect(() => used("https://a.in", env)).toThrow(Object.keys(env)[0]);
    expect(() => used("https://a.in", env)).not.toThrow("hunter2");
  });
});
