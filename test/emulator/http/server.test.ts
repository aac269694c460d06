import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type Emulator } from "../../../src/emulator/emulator.ts";
import { listen as listenTo } from "../../../src/emulator/http/server.ts";
import { aiPath, ask, caught, credentials, listen, lookUp, now, post } from "../helpers.ts";

async function serve(emulator: Emulator = createEmulator({ now, pace: 0 })) {
  const server = await listen(emulator);
  const send = (path: string, body: unknown, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    fetch(`${server.url}/${path}`, {
      method: "POST",
      headers: { ...credentials, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      ...init,
    });
  return { emulator, server, send };
}

const path = "verification/upimobile_multiple";

describe("the emulator over HTTP", () => {
  it.each([
    ["a look-up", path, lookUp("9876543210"), {}],
    ["a failure", path, lookUp("9876540404"), {}],
    ["a whole answer", aiPath, ask("Hello"), {}],
    ["a stream", aiPath, ask("Hello there", { stream: true }), {}],
    ["a framing", aiPath, ask("/framing:sse-cr Hello there", { stream: true }), {}],
    ["a stream in small pieces", aiPath, ask("/bytes:3 नमस्ते", { stream: true }), {}],
    ["a body that is cut", path, lookUp("9876543210"), { "X-Emulator-Response": "cut-json" }],
    ["an empty body", path, {}, { "X-Emulator-Response": "empty-504" }],
    ["a path of nobody", "flight/search", {}, {}],
  ])(
    "responds to %s with the same bytes, status and type as fetch",
    async (_, where, body, headers: Record<string, string>) => {
      const { send } = await serve();
      const answers = [
        await send(where, body, headers),
        await post(createEmulator({ now, pace: 0 }), where, body, headers),
      ];
      const [overHttp, inMemory] = await Promise.all(
        answers.map(async (answer) => [answer.status, answer.headers.get("content-type"), await answer.text()]),
      );
      expect(overHttp).toEqual(inMemory);
    },
  );

  it("shares its state with fetch", async () => {
    const { emulator, send } = await serve();
    const search = emulator.seedSearch();
    expect((await (await send("flight/fare_quote", { ...search, client_referenceId: "r" })).json()).status).toBe(
      "SUCCESS",
    );
    expect(emulator.requests).toHaveLength(1);
  });

  it("listens on loopback, on a free port", async () => {
    const { server } = await serve();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  });

  it("has a URL that can be reached if it listens on all addresses", async () => {
    const server = await listen(createEmulator(), { host: "0.0.0.0" });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  });

  it.each(["::1", "::"])("listens on %s if the machine has IPv6", async (host) => {
    const server = await listen(createEmulator(), { host }).catch((error: unknown) => error);
    expect(server).toMatchObject(
      server instanceof Error
        ? { code: expect.stringMatching(/EADDRNOTAVAIL|EAFNOSUPPORT/) }
        : { url: expect.stringMatching(/^http:\/\/\[::1\]:\d+$/) },
    );
  });

  it("rejects if the port is in use", async () => {
    const { server } = await serve();
    expect(await caught(createEmulator().listen({ port: server.port }))).toMatchObject({ code: "EADDRINUSE" });
  });

  it.each(["reset", "reset-after"])("resets the connection: %s", async (scenario) => {
    const { send } = await serve();
    const error = await caught(send(path, lookUp("6000000001"), { "X-Emulator-Response": scenario }));
    expect(error).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } });
  });

  it("drops the connection in the middle of a stream, without taking back what was sent", async () => {
    const { send } = await serve();
    const body = ask("Hello", { stream: true });
    const response = await send(aiPath, body, { "X-Emulator-Response": "reset-mid-body" });
    let text = "";
    const read = async () => {
      for await (const piece of response.body ?? []) text += new TextDecoder().decode(piece);
    };
    expect(await caught(read())).toMatchObject({ message: "terminated" });
    expect(text.match(/data: /g)).toHaveLength(3);
  });

  it("drops the connection in the middle of a body", async () => {
    const { send } = await serve();
    const response = await send(path, lookUp("6000000001"), { "X-Emulator-Response": "reset-mid-body" });
    expect(await caught(response.text())).toMatchObject({ message: "terminated" });
  });

  it("sends each piece as a separate chunk", async () => {
    const { server } = await serve();
    const body = JSON.stringify(ask("/bytes:40 Hello", { stream: true }));
    const raw = await rawRequest(server.port, aiPath, body);
    const sizes = [...raw.matchAll(/\r\n([0-9a-f]+)\r\n/g)].map(([, size = ""]) => Number.parseInt(size, 16));
    expect(sizes.length).toBeGreaterThan(10);
    expect(sizes.every((size) => size <= 40)).toBe(true);
  });

  it("stops generating when the reader goes", async () => {
    const { emulator, send } = await serve(createEmulator({ pace: 60_000 }));
    const stop = new AbortController();
    const response = await send(aiPath, ask("a b c", { stream: true }), {}, { signal: stop.signal });
    const text = caught(response.text());
    stop.abort();
    expect(await text).toMatchObject({ name: "AbortError" });
    expect(emulator.requests).toHaveLength(1);
  });

  it("refuses a body that no request of the service has", async () => {
    const { send } = await serve();
    const response = await send(path, { padding: "x".repeat(5_000_000) });
    expect(response.status).toBe(413);
  });

  it("responds with HTTP 500 if it fails itself, and cuts a response that has begun", async () => {
    const before = await listenTo(() => Promise.reject(new Error("a defect")), {});
    const after = await listenTo(async () => ({ status: 200, headers: {}, body: failing }), {});
    for (const server of [before, after]) onTestFinished(() => server.close());
    expect((await fetch(before.url)).status).toBe(500);
    expect(await caught((await fetch(after.url)).text())).toBeInstanceOf(TypeError);
  });

  it("closes immediately, even while a response stalls, and can be closed twice", async () => {
    const { emulator, server, send } = await serve();
    const answer = caught(send(path, lookUp("6000000504")));
    await expect.poll(() => emulator.requests.length).toBe(1);
    await server.close();
    await server[Symbol.asyncDispose]();
    expect(await answer).toBeInstanceOf(TypeError);
    await caught(fetch(server.url));
    expect(emulator.requests).toHaveLength(1);
  });
});

async function* failing(): AsyncGenerator<Uint8Array, void, undefined> {
  yield new Uint8Array(3);
  throw new Error("a defect");
}

/** The bytes of a response on the wire. */
function rawRequest(port: number, where: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
    const head = [
      `POST /${where} HTTP/1.1`,
      "Host: localhost",
      "Connection: close",
      "Content-Type: application/json",
      "client-id: a",
      "client-secret: b",
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}
