import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getEventListeners, once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { nodeFetch } from "../../src/node/index.ts";
import { type DirectFetch, directFetch } from "../../src/transport/fetch.ts";
import { clientOf, errorOf } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { collectGarbage } from "../support/gc.ts";
import { safe } from "../support/operations.ts";
import { type Answer, answers, drips, reply, reset, startServer, startTcpServer } from "../support/server.ts";

const text = JSON.stringify({ status: "SUCCESS", n: 1 });
const api = (server: { readonly url: string }, options = {}) =>
  clientOf(server, { fetch: nodeFetch(), maxRetries: 0, ...options });

/** Returns the next connection that this process makes. */
function nextConnection(): Promise<Socket> {
  const channel = "net.client.socket";
  return new Promise((resolve) => {
    const onSocket = (message: unknown) => {
      unsubscribe(channel, onSocket);
      resolve((message as { readonly socket: Socket }).socket);
    };
    subscribe(channel, onSocket);
  });
}

describe("a caller gets a real Response", () => {
  it("withResponse(): read already, the same each time", async () => {
    const server = await startServer(answers(201, text, { "x-a": "1" }));
    const call = api(server).send(safe, {});
    const { response, data } = await call.withResponse();
    expect(response).toBeInstanceOf(Response);
    expect(response).toMatchObject({ status: 201, statusText: "Created", ok: true, bodyUsed: true, redirected: false });
    expect(response.url).toBe(server.url + (server.requests[0]?.path ?? ""));
    expect([...response.headers]).toContainEqual(["x-a", "1"]);
    await expect(response.text()).rejects.toThrow(TypeError);
    expect(data).toEqual({ status: "SUCCESS", n: 1 });
    expect((await call.withResponse()).response).toBe(response);
  });

  it("asResponse(): unread, and can be cloned", async () => {
    const server = await startServer(answers(200, text));
    const response = await api(server).send(safe, {}).asResponse();
    expect(response).toBeInstanceOf(Response);
    expect(response.bodyUsed).toBe(false);
    expect(await response.clone().text()).toBe(text);
    expect(await response.json()).toEqual({ status: "SUCCESS", n: 1 });
  });

  it("cookies stay apart, and other headers of one name are joined", async () => {
    const server = await startServer((response) => {
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.setHeader("x-request-id", ["one", "two"]);
      reply(response, 200, text);
    });
    const { response, requestId } = await api(server).send(safe, {}).withResponse();
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(requestId).toBe("one, two");
  });

  it("a reason phrase with a control character is left out", async () => {
    const server = await startTcpServer((socket) =>
      socket.once("data", () => socket.end('HTTP/1.1 200 O\u0001K\r\ncontent-length: 20\r\n\r\n{"status":"SUCCESS"}')),
    );
    const { response } = await api(server).send(safe, {}).withResponse();
    expect([response.status, response.statusText]).toEqual([200, ""]);
  });

  it.each([204, 205, 304])("HTTP %i has no body, and its connection is used again", async (status) => {
    const server = await startServer((response) => response.writeHead(status).end());
    const fetch = nodeFetch();
    for (let i = 0; i < 2; i++) {
      const response = await fetch(server.url, { redirect: "manual" });
      expect([response.status, response.body]).toEqual([status, null]);
    }
    expect(server.requests[1]?.socket).toBe(server.requests[0]?.socket);
  });

  it("HEAD has no body, whatever its length says", async () => {
    const server = await startServer((response) => response.writeHead(200, { "content-length": "9" }).end());
    const response = await nodeFetch()(server.url, { method: "HEAD" });
    expect([response.body, response.headers.get("content-length")]).toEqual([null, "9"]);
  });

  it("a status that `Response` refuses is received as with fetch", async () => {
    const server = await startServer(answers(799, text));
    expect(await nodeFetch()(server.url)).toMatchObject({ status: 799, ok: false });
  });
});

/** Responds with a body in this encoding. */
const encoded =
  (encoding: string, bytes?: string | Uint8Array): Answer =>
  (response) =>
    response.writeHead(200, { "content-encoding": encoding }).end(bytes);

describe("a body that was compressed", () => {
  const compressed: readonly (readonly [string, Buffer])[] = [
    ["gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
  ];

  it.each<readonly [string, Buffer]>([
    ...compressed,
    ["x-gzip", gzipSync(text)],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
    ["identity", Buffer.from(text)],
    ["GZIP", gzipSync(text)],
  ])("%s %#", async (encoding, bytes) => {
    const server = await startServer(encoded(encoding, bytes));
    expect(await api(server).send(safe, {})).toEqual({ status: "SUCCESS", n: 1 });
    expect(await (await nodeFetch()(server.url)).text()).toBe(text);
  });

  it.each(compressed)("%s %# that ends too early is cut", async (encoding, bytes) => {
    const server = await startServer(encoded(encoding, bytes.subarray(0, bytes.length / 2)));
    expect(await errorOf(api(server).send(safe, {}))).toMatchObject({ kind: "unexpected_response", reason: "cut" });
  });

  it.each(compressed)("%s %# with bytes after its end is the body", async (encoding, bytes) => {
    const withMore = Buffer.concat([bytes, Buffer.alloc(8)]);
    const server = await startServer(encoded(encoding, withMore));
    expect(await api(server).send(safe, {})).toEqual({ status: "SUCCESS", n: 1 });
    expect(await (await nodeFetch()(server.url)).text()).toBe(text);
  });

  it("a gzip body without its check sum is the body, as with `fetch`", async () => {
    const bytes = gzipSync(text).subarray(0, -8);
    const server = await startServer(encoded("gzip", bytes));
    expect(await api(server).send(safe, {})).toEqual({ status: "SUCCESS", n: 1 });
  });

  it("an abort ends one that has been received, and is read by the caller", async () => {
    const bytes = gzipSync(Buffer.alloc(20_000_000));
    const server = await startServer(encoded("gzip", bytes));
    const abort = new AbortController();
    const response = await api(server).send(safe, {}, { signal: abort.signal }).asResponse();
    const reader = response.body?.getReader();
    await reader?.read();
    abort.abort("no");
    const readAll = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(readAll()).rejects.toBe("no");
  });

  it("an empty body is empty", async () => {
    const server = await startServer(encoded("gzip"));
    expect(await (await nodeFetch()(server.url)).text()).toBe("");
    expect(await errorOf(api(server).send(safe, {}))).toMatchObject({ reason: "empty" });
  });

  it("what is not in its encoding is cut", async () => {
    const server = await startServer(encoded("gzip", text));
    expect(await errorOf(api(server).send(safe, {}))).toMatchObject({ kind: "unexpected_response", reason: "cut" });
    await expect((await nodeFetch()(server.url)).text()).rejects.toThrow("terminated");
  });

  it("a bomb is stopped at the limit, and its connection closed", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const server = await startServer(encoded("gzip", bomb));
    const error = await errorOf(api(server, { maxResponseBytes: 100_000 }).send(safe, {}));
    expect(error).toMatchObject({ reason: "tooLarge" });
    await server.idle();
  });
});

it.each([
  ["br", brotliCompressSync(Buffer.alloc(300_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ["gzip", gzipSync(Buffer.alloc(300_000_000), { level: 1 })],
  ["deflate", deflateRawSync(Buffer.alloc(300_000_000), { level: 1 })],
])("a reader who pauses pauses the decoder: %s", async (encoding, bomb) => {
  const server = await startServer(encoded(encoding, bomb));
  const response = await nodeFetch()(server.url);
  const reader = response.body?.getReader();
  await reader?.read();
  const before = process.memoryUsage().arrayBuffers;
  const other = await startServer((answer) => reply(answer, 200, text));
  for (let i = 0; i < 100; i++) await (await nodeFetch()(other.url)).text();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(30_000_000);
  await reader?.cancel();
  await server.idle();
});

describe("a body with several encodings", () => {
  it.each([
    [5, "is decoded", { status: "SUCCESS", n: 1 }],
    [6, "is not", { reason: "badEncoding" }],
  ])("of which there are %i %s", async (layers, _what, expected) => {
    const names = Array.from({ length: layers }, () => "gzip");
    const packed = names.reduce<Buffer>((inner) => gzipSync(inner), Buffer.from(text));
    const server = await startServer(encoded(names.join(", "), packed));
    const result = await api(server)
      .send(safe, {})
      .then(undefined, (error: unknown) => error);
    expect(result).toMatchObject(expected);
  });
});

describe("a body that breaks off", () => {
  it.each([
    ["before its length", { "content-length": "1000" }],
    ["before its last chunk", {}],
  ])("%s is cut, in a call and in a stream", async (_case, headers) => {
    const server = await startServer((response) => {
      response.writeHead(200, headers);
      response.write(text, () => response.destroy());
    });
    expect(await errorOf(api(server).send(safe, {}))).toMatchObject({ kind: "unexpected_response", reason: "cut" });
    await expect((await nodeFetch()(server.url)).text()).rejects.toThrow("terminated");
  });

  it("before somebody reads it is not lost", async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write(text);
    });
    const response = await nodeFetch()(server.url);
    for (const socket of server.sockets) socket.destroy();
    await server.idle();
    await expect(response.text()).rejects.toThrow();
  });

  it("before the transport reads it is not lost either", async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write(text);
    });
    const send: DirectFetch = Reflect.get(nodeFetch(), directFetch);
    const connecting = nextConnection();
    const { body } = await send(server.url, { method: "POST", body: "" }, true);
    const closed = once(await connecting, "close");
    for (const socket of server.sockets) socket.destroy();
    await closed;
    await expect(body?.read(() => true)).rejects.toThrow("terminated");
  });

  it("by an abort rejects with its reason, while it drips", async () => {
    const server = await startServer(drips);
    const controller = new AbortController();
    const response = await nodeFetch()(server.url, { signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    const reason = new Error("enough");
    globalThis.gc?.();
    controller.abort(reason);
    await expect(
      (async () => {
        for (;;) await reader?.read();
      })(),
    ).rejects.toBe(reason);
    await server.idle();
  });

  it("because its reader leaves closes the connection", async () => {
    const server = await startServer(drips);
    const response = await nodeFetch()(server.url);
    await response.body?.cancel();
    await server.idle();
  });
});

it("reads that are asked for at once get one chunk each", async () => {
  const server = await startServer(drips);
  const reader = (await api(server).send(safe, {}).asResponse()).body?.getReader();
  const chunks = await Promise.all([reader?.read(), reader?.read(), reader?.read()]);
  expect(chunks.map((chunk) => chunk?.done)).toEqual([false, false, false]);
  await reader?.cancel();
  await server.idle();
});

it("a read that nobody else holds gets its chunk, although garbage is collected meanwhile", async () => {
  const finish = gate();
  const server = await startServer(async (response) => {
    response.writeHead(200);
    response.flushHeaders();
    await finish.opened;
    response.end(text);
  });
  const begin = async () => (await api(server).send(safe, {}).asResponse()).text();
  const reading = begin();
  await server.received(1);
  for (let i = 0; i < 5; i++) {
    await pause(10);
    collectGarbage();
  }
  finish.open();
  expect(await reading).toBe(text);
});

it("responses that are dropped unread are closed once they have been collected", async () => {
  const server = await startServer(drips);
  const { signal } = new AbortController();
  const drop = async () => {
    const client = api(server);
    for (let call = 0; call < 5; call++) await client.send(safe, {}, { signal }).asResponse();
  };
  await drop();
  await expect
    .poll(() => {
      collectGarbage();
      return getEventListeners(signal, "abort");
    })
    .toHaveLength(0);
  await server.idle();
});

it.each<[string, (response: Response, sent: ServerResponse, abort: () => void) => Promise<unknown>]>([
  [
    "read to their end",
    (response, sent) => {
      const reading = response.text();
      sent.end(text);
      return reading;
    },
  ],
  [
    "that break off",
    (response, sent) => {
      const reading = errorOf(response.text(), TypeError);
      reset(sent);
      return reading;
    },
  ],
  [
    "cancelled while their next chunk is waited for",
    async (response) => {
      const reader = response.body?.getReader();
      const waiting = reader?.read();
      await reader?.cancel();
      await waiting;
    },
  ],
  [
    "aborted while their next chunk is waited for",
    (response, _sent, abort) => {
      const reading = errorOf(response.text(), DOMException);
      abort();
      return reading;
    },
  ],
])("responses %s are collected", async (_how, use) => {
  let sent: ServerResponse | undefined;
  const server = await startServer((response) => {
    sent = response;
    response.writeHead(200).flushHeaders();
  });
  const client = api(server);
  const useOne = async () => {
    const controller = new AbortController();
    const response = await client.send(safe, {}, { signal: controller.signal }).asResponse();
    await use(response, sent as ServerResponse, () => controller.abort());
    return new WeakRef(response.body as object);
  };
  const bodies: WeakRef<object>[] = [];
  for (let call = 0; call < 5; call++) bodies.push(await useOne());
  await expect
    .poll(() => {
      collectGarbage();
      return bodies.filter((body) => body.deref() !== undefined);
    })
    .toHaveLength(0);
});

it("a reader who pauses pauses the sender", async () => {
  let sent = 0;
  const server = await startServer((response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(65_536);
    const more = () => {
      while (sent < 100_000_000 && response.write(chunk)) sent += chunk.length;
      if (sent < 100_000_000) response.once("drain", more);
    };
    more();
    response.once("drain", () => {});
  });
  const response = await nodeFetch()(server.url);
  const reader = response.body?.getReader();
  await reader?.read();
  // Another request makes its way there and back: what can be sent has been sent by then.
  const other = await startServer((answer) => reply(answer, 200, text));
  for (let i = 0; i < 50; i++) await (await nodeFetch()(other.url)).text();
  expect(sent).toBeLessThan(50_000_000);
  await reader?.cancel();
});
